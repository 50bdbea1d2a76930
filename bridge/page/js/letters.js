// Letters as they are painted. `text-transform` changes what people read and copy, and what Chrome
// tells assistive devices, but not the document. The rules are Chrome's, compared with innerText.

// The words of a text in an element of this style; `node` is the text's own, where it has one.
// (An element that has left the page has no style, and "" for it.) Where dots are painted for letters
// nobody sees the words, and so many dots would tell how long they are.
function painted(text, style, node = null) {
  if (style.webkitTextSecurity !== "none" && isMasked(style, node)) return text.replace(/\S(?:.*\S)?/s, MASK);
  const how = style.textTransform;
  return how === "none" || how === "" ? text : transformed(text, how, style, node);
}

const masked = new WeakSet(); // texts that were dots when they were read, and what holds such texts

// What has left the page is masked if it was.
function isMasked({ webkitTextSecurity }, node) {
  if (webkitTextSecurity !== "") {
    if (node) masked.add(node);
    return true;
  }
  if (node?.parentElement?.closest("[style*=text-security]")) return true;
  for (let at = node; at; at = at.parentNode) if (masked.has(at)) return true;
  return false;
}

function transformed(text, how, style, node) {
  if (how.includes("uppercase")) return text.toLocaleUpperCase(ownRulesOf(style));
  if (how.includes("lowercase")) return text.toLocaleLowerCase(ownRulesOf(style));
  return how.includes("capitalize") ? capitalized(text, node ? signBefore(node) : "") : text;
}

// Only some languages have rules of their own; without one the browser's would be taken.
function ownRulesOf(style) {
  return /^"(az|el|lt|tr)\b/i.exec(style.webkitLocale)?.[1] ?? "en";
}

let segmenter = null; // made for the first text that needs it

// The first sign of each word, as far as one sign can be a capital; all others stay as they are.
function capitalized(text, before) {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  let said = "";
  for (const { segment } of segmenter.segment((before + text).replace(/\u00a0/g, " "))) {
    const first = segment[0].toUpperCase();
    said += (first.length === 1 ? first : segment[0]) + segment.slice(1);
  }
  const changed = said.slice(before.length);
  return text.includes("\u00a0") ? [...text].map((sign, at) => (sign === "\u00a0" ? sign : changed[at])).join("") : changed;
}

const ENDS_A_WORD = /^(?:audio|br|canvas|embed|iframe|img|input|object|select|svg|textarea|video|wbr)$/;

// The sign that stands right before a text in its line: half a word may be in another element.
function signBefore(node) {
  for (let at = node; at; ) {
    const before = at.previousSibling;
    at = before ? lastIn(before) : at.parentNode;
    if (!at || (typeOf(at) === ELEMENT && !isInLine(at))) return "";
    if (typeOf(at) === TEXT && at.data) return at.data.at(-1);
  }
  return "";
}

function lastIn(node) {
  let at = node;
  for (let last; (last = typeOf(at) === ELEMENT && isInLine(at) && at.lastChild); ) at = last;
  return at;
}

function isInLine(element) {
  return !ENDS_A_WORD.test(tagOf(element)) && /^(?:inline|contents)$/.test(getComputedStyle(element).display);
}
