// Numbers for elements: `e12` is the same element in every answer, until its document is gone.
//
// Numbers are never reused in a frame: whoever calls says which were given out before this document
// came (`base`), so a ref of an earlier document is unknown here, and not another element. The page
// sees nothing of it: no attribute, no property, no object of its world.

const elements = new Map(); // number -> WeakRef
const numbers = new WeakMap(); // element -> number
let nextNumber = 1;
let firstNumber = 0; // of this document; 0 until somebody calls
let prefix = "";
let rehearsing = false; // what is walked now is not to be told

function refOf(element) {
  if (rehearsing) return "";
  return `${prefix}e${numberOf(element)}`;
}

function numberOf(element) {
  let number = numbers.get(element);
  if (number === undefined) {
    number = nextNumber++;
    numbers.set(element, number);
    elements.set(number, new WeakRef(element));
  }
  return number;
}

// The element of a number, or undefined: never given out here, or gone from the page.
function elementOf(number) {
  const element = elements.get(number)?.deref();
  return element?.isConnected ? element : undefined;
}

class Failure extends Error {
  constructor(code, message, facts = {}) {
    super(message);
    this.code = code;
    this.facts = facts;
  }
}

// Ends the call with an error of ours; the hint is for Python to add.
function fail(code, message, facts) {
  throw new Failure(code, message, facts);
}

// Why a ref means nothing here.
function whyGone(number) {
  if (number < firstNumber) return "the page that had it was left or loaded anew";
  return "the element of this ref is not in the page any more";
}

// The one element a target means: {ref: number} or {selector: text}.
function target(wanted) {
  if (wanted.ref !== undefined) {
    return elementOf(wanted.ref) ?? fail("REF_EXPIRED", whyGone(wanted.ref));
  }
  const found = select(wanted.selector);
  if (found.length === 0) fail("SELECTOR_NOT_FOUND", "nothing on the page matches it");
  return found[0];
}

// All elements a selector matches, in open and closed shadow roots as well. Where that is nothing, a
// blank leads into shadow roots, too: `x-card button` is a button in the root of an x-card.
function select(selector, root = document) {
  const found = selectInEach(selector, root);
  if (found.length || shadowRootsBelow(root).next().done) return found;
  return [...new Set(alternatives(selector).flatMap((each) => selectAcross(each, root)))];
}

function selectInEach(selector, root) {
  let found;
  try {
    found = [...root.querySelectorAll(selector)];
  } catch {
    fail("BAD_ARGS", "this is not a CSS selector");
  }
  for (const inner of shadowRootsBelow(root)) found.push(...selectInEach(selector, inner));
  return found;
}

function selectAcross(steps, root) {
  const found = [];
  for (let n = 1; n < steps.length; n++) {
    for (const outer of selectInEach(steps.slice(0, n).join(" "), root)) {
      const own = shadowOf(outer);
      for (const inner of [...(own ? [own] : []), ...shadowRootsBelow(outer)]) {
        found.push(...selectInEach(steps.slice(n).join(" "), inner), ...selectAcross(steps.slice(n), inner));
      }
    }
  }
  return found;
}

const STEP = /\s*([>+~,])\s*|\s+|(?:\\[^]|"(?:\\[^]|[^"\\])*"|'(?:\\[^]|[^'\\])*'|[^])/gy;

// A selector, parted at its commas and then at the blanks that mean "somewhere within".
function alternatives(selector) {
  const all = [[""]];
  let inside = 0;
  for (const [token, sign] of selector.trim().matchAll(STEP)) {
    const steps = all.at(-1);
    inside += (token === "(" || token === "[") - (token === ")" || token === "]");
    if (inside || (token.trim() && sign !== ",")) steps[steps.length - 1] += token;
    else if (sign) all.push([""]);
    else steps.push("");
  }
  return all;
}

function* shadowRootsBelow(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const inner = shadowOf(node);
    if (inner) yield inner;
  }
}

const closedRoots = new WeakMap(); // host -> a closed root that the debugger told us of

function shadowOf(element) {
  return element.shadowRoot ?? closedRoots.get(element) ?? null;
}

lib.closedRoot = (host, root) => void closedRoots.set(host, root);
lib.element = target;
lib.count = (selector) => select(selector).length;
