// Finds elements by what a person would call them: their text or their name.

const MOST_NAMED = 1000; // options of one list

// Collects the page's words, a line per block, and where each element begins and ends in them.
class Finder {
  words = "";
  spans = []; // [element, start, end, number of the one around], outer ones first
  shown = new Set(); // elements with text of their own that a person sees
  named = []; // [index of the span, name], for what is not painted as text
  frames = [];
  within = [];
  border = ""; // what stands before the next word

  open(element, style, sight) {
    this.part(element, element.localName === "br" ? "block" : style.display);
    this.within.push(this.begin(element, 0));
    if (sight === SEEN && isFrameHolder(element)) this.frames.push(element);
    if (sight === SEEN && element.useMap) for (const area of areasOf(element)) this.named.push([this.begin(area, this.words.length), nameOf(area)]);
    if (sight === SEEN && isNamedApart(element)) {
      this.named.push([this.within.at(-1), nameOf(element)]);
      const value = valueOf(element);
      if (value) this.named.push([this.within.at(-1), clean(value)]);
      if (element.localName === "select" && (element.multiple || element.size > 1)) this.addOptions(element);
    }
  }

  begin(element, end) {
    return this.spans.push([element, this.words.length, end, this.within.at(-1) ?? -1]) - 1;
  }

  // Of a list that is open all the time; it is what one would choose them from.
  addOptions(list) {
    for (const { label } of [...list.options].slice(0, MOST_NAMED)) this.named.push([this.within.at(-1), clean(label)]);
  }

  close(element, style) {
    this.part(element, style.display);
    this.spans[this.within.pop()][2] = this.words.length;
  }

  part(element, display) {
    if (isBlock(display)) this.border = "\n";
    else if (display !== "inline" && display !== "contents" && !isLetter(element, display)) this.border ||= " ";
  }

  text(data, element, style, written, joint) {
    if (joint === " " || /^\s/.test(data)) this.border ||= " ";
    const plain = clean(data);
    if (!plain) return;
    if (this.words) this.words += this.border;
    this.words += plain;
    this.border = /\s$/.test(data) ? " " : "";
    this.shown.add(element);
    if (written !== data && !data.includes(MASK)) this.named.push([this.within.at(-1), clean(written)]); // who read the markup asks for that
  }

  // Numbers of the spans that hold this text, or are called so, innermost, in the page's order.
  hits(wanted, exact) {
    const found = this.hitsOf(wanted, exact);
    const plain = withoutMarks(wanted);
    return found.length || !plain || plain === wanted ? found : this.hitsOf(plain, exact);
  }

  hitsOf(wanted, exact) {
    const found = new Set();
    const [words, sought] = exact ? [this.words, wanted] : [folded(this.words), folded(wanted)];
    for (let at = words.indexOf(sought); at >= 0; at = words.indexOf(sought, at + sought.length)) {
      const index = this.innermost(at, at + sought.length);
      if (index >= 0 && (!exact || this.textOf(index) === wanted)) found.add(index);
    }
    for (const [index, name] of this.named) {
      if (exact ? name === wanted : folded(name).includes(sought)) found.add(index);
    }
    return [...found].sort((one, other) => one - other);
  }

  innermost(start, end) {
    let low = 0;
    let high = this.spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.spans[middle][1] <= start) low = middle + 1;
      else high = middle;
    }
    let index = low - 1; // it, or one around it
    while (index >= 0 && this.spans[index][2] < end) index = this.spans[index][3];
    return index;
  }

  textOf(index) {
    const [, start, end] = this.spans[index];
    return this.words.slice(start, end).trim();
  }

  // The line the sought words stand in, as far as it is the element's.
  lineOf(index, wanted) {
    const text = this.textOf(index);
    const at = folded(text).indexOf(folded(wanted));
    return at < 0 ? text.split("\n")[0] : text.slice(text.lastIndexOf("\n", at) + 1).split("\n")[0];
  }
}

// In small letters, each where it was: of all letters only this one would become two, and whatever stands
// behind it be taken for what stands beside that.
function folded(text) {
  return text.replaceAll("İ", "i").toLowerCase();
}

const NAMED_APART = /^(?:area|button|details|iframe|img|input|meter|progress|select|svg|textarea)$/;

function isNamedApart(element) {
  return saidBy(element, "aria-label") !== null || element.hasAttribute("aria-labelledby") || element.hasAttribute("title") || NAMED_APART.test(element.localName);
}

// The control whose text this is: that is what one would click.
function controlAround(element) {
  let at = element;
  for (let steps = 0; at && steps < 6; steps++, at = parentOf(at)) {
    if (WIDGETS.has(roleOf(at))) return at;
    if (at.localName === "label" && at.control) return at.control;
  }
  return element;
}

function lineFor(element, text, wanted, mark = "") {
  const control = mark ? element : controlAround(element);
  if (WIDGETS.has(roleOf(control)) && !mark) return lineOf(control);
  return `- ${roleOf(element) || "text"} ${quoted(excerpt(text || nameOf(element), wanted))} [ref=${refOf(element)}]${mark}`;
}

// As much of a long text as fits around what was sought in it.
function excerpt(text, wanted) {
  if (text.length <= LONGEST_NAME) return text;
  const at = folded(text).indexOf(folded(wanted));
  const start = Math.max(0, at - (LONGEST_NAME - wanted.length) / 2);
  return `${start ? "…" : ""}${text.slice(start)}`.toWellFormed();
}

// The line of an element that was named by a selector.
function lineAbout(element) {
  return lineFor(element, nameOf(element) || clean(element.innerText ?? element.textContent ?? ""), "");
}

// A text to look for, as the page's words are read.
function sought(text) {
  return clean(text) || fail("BAD_ARGS", "there is no text to look for");
}

function findText(wanted) {
  const finder = new Finder();
  walkSeen(document.documentElement, finder);
  return finder.hits(wanted, false).map((index) => [finder.spans[index][0], finder.lineOf(index, wanted)]);
}

const WORDLESS = "script, style, template, noscript, title, head, textarea, option";

// Elements with such text that a person does not see.
function* hiddenWith(wanted, exact, shown, root = document) {
  const sought = exact ? wanted : folded(wanted);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = clean(node.data);
    if (!(exact ? text === sought : folded(text).includes(sought))) continue;
    const parent = node.parentElement;
    if (parent && !shown.has(parent) && !shown.has(parent.closest("math")) && !parent.closest(WORDLESS) && !masksLetters(parent)) yield [parent, text];
  }
  for (const inner of shadowRootsBelow(root)) yield* hiddenWith(wanted, exact, shown, inner);
}

// Whether an element is one of those a selector matches (all of them count), or stands in one.
function withinEach(wanted) {
  const first = target(wanted);
  const roots = new Set(wanted.ref === undefined ? select(wanted.selector) : [first]);
  return (element) => {
    let at = element;
    while (at && !roots.has(at)) at = parentOf(at);
    return Boolean(at);
  };
}

lib.find = (where, text, exact, limit) => {
  const wanted = sought(text);
  const isThere = where ? withinEach(where) : () => true;
  const finder = new Finder();
  walkSeen(document.documentElement, finder);
  const frames = finder.frames.filter(isThere).map(refOf);
  const asking = askable();
  const found = new Map();
  for (const index of finder.hits(wanted, exact)) {
    const element = finder.spans[index][0];
    const control = controlAround(element);
    if (!isThere(element) && !isThere(control)) continue;
    if (!found.has(control)) found.set(control, [element, finder.lineOf(index, wanted)]);
  }
  const lines = [...found.values()].slice(0, limit).map(([element, said]) => lineFor(element, said, wanted));
  const unseen = [];
  let hidden = 0;
  for (const [element, said] of hiddenWith(wanted, exact, finder.shown)) {
    if (!isThere(element)) continue;
    if (hidden++ < limit) unseen.push(lineFor(element, said, wanted, " [hidden]"));
  }
  return { lines, unseen, visible: found.size, hidden, frames, ...asking };
};
