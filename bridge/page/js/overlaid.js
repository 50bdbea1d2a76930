// What a form, a document or the window says of itself, also where something in it is called like
// what is asked for: `form.parentElement` can be a field, `document.body` an image, `addEventListener`
// a link. Such names are always texts, so each property has a second one in our world that is none:
// a symbol. It costs what the first one costs, for forms and others alike.
//
// Nothing here is written so by hand: `bridge/page/overlaid.py` puts `[$localName]` for `.localName`.

const { addEventListener, removeEventListener } = EventTarget.prototype;
const KINDS = [
  EventTarget, Node, Element, HTMLElement, SVGElement, MathMLElement, HTMLFormElement, Document, DocumentFragment, ShadowRoot,
  Range, // is asked for its boxes as elements are
];

function secondName(name) {
  const second = Symbol(name);
  for (const { prototype } of KINDS) {
    const property = Object.getOwnPropertyDescriptor(prototype, name);
    if (property) Object.defineProperty(prototype, second, property);
  }
  return second;
}

// The same for a name that is worked out, or that other things have as well.
function propertyOf(element, name) {
  return Reflect.get(Object.getPrototypeOf(element), name, element);
}
