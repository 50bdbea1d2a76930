// Text that style sheets put before and after elements.
//
// Asking every element costs as much as the whole rest of a reading (0.9 µs a time, twice), so the
// sheets are looked through first, once each: most put nothing there but icons and empty boxes.

const talking = new WeakMap(); // style sheet -> [number of rules, whether one adds text]
const PSEUDO = /::?(?:before|after)\b/;
const WORDS = /["'](?:[^"'\\]|\\.)*[\p{L}\p{N}\p{P}\p{S}]|attr\(|counters?\(|var\(|\b(?:open|close)-quote|\\/u;

let pseudoRoots = new Map(); // document or shadow root -> whether to ask; for one reading
let quoting = false; // whether there is a `q` anywhere: Chrome's own sheet has words for nothing else

function hasPseudoText(element) {
  return rootTalks(element.getRootNode());
}

function rootTalks(root) {
  let known = pseudoRoots.get(root);
  if (known === undefined) {
    pseudoRoots.set(root, (known = sheetsOf(root).some(addsText)));
    quoting ||= root.querySelector("q") !== null;
  }
  return known;
}

function isQuoted(element) {
  return quoting && tagOf(element) === "q";
}

function sheetsOf(root) {
  const own = [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])];
  return root === document || !root.host ? own : [...own, ...sheetsOf(root.host.getRootNode())];
}

function addsText(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return true; // of another origin: nobody may look
  }
  const known = talking.get(sheet);
  if (known?.[0] === rules.length) return known[1];
  const adds = [...rules].some(ruleAddsText);
  talking.set(sheet, [rules.length, adds]);
  return adds;
}

function ruleAddsText(rule) {
  if (rule.styleSheet) return addsText(rule.styleSheet);
  if (rule.selectorText && PSEUDO.test(rule.selectorText) && WORDS.test(rule.style.content)) return true;
  return rule.cssRules ? [...rule.cssRules].some(ruleAddsText) : false;
}

// Fields and pictures have no room for any, but for boxes that a page paints itself and pictures that
// have not come.
function isWithoutParts(element) {
  if (tagOf(element) === "img") return element.naturalWidth > 0;
  return CHILDLESS.has(tagOf(element)) && !/^(?:checkbox|radio)$/.test(element.type);
}

// Tips that show themselves under the mouse stand there all the time. No script is told where, only how
// they are painted.
const AWAY = -1000; // pixels

function isPseudoHidden(element, style, ground) {
  if (style.opacity < FAINT || parseFloat(style.fontSize) < SMALLEST_FONT) return true;
  if (style.maskImage !== "none" && isMaskedAway(style)) return true;
  if (style.transform !== "none" && isScaledAway(style.transform)) return true;
  if (style.scale !== "none" && style.scale.split(" ").some((factor) => Math.abs(factor) < FAINT)) return true;
  if (style.clipPath !== "none" && /^inset\((?:50|100)%\)$/.test(style.clipPath)) return true;
  if (style.overflowX !== "visible" && (parseFloat(style.width) < SMALLEST || parseFloat(style.height) < SMALLEST)) return true;
  if (style.position === "absolute" || style.position === "fixed") {
    return (style.clip !== "auto" && isEmptyRect(style.clip)) || parseFloat(style.left) < AWAY || parseFloat(style.top) < AWAY || parseFloat(style.textIndent) < AWAY;
  }
  return parseFloat(style.textIndent) < AWAY || isInvisibleInk(element, style, groundOf(element, style, ground));
}

function isScaledAway(transform) {
  const { a, b, c, d } = new DOMMatrix(transform);
  return Math.hypot(a, b) < FAINT || Math.hypot(c, d) < FAINT;
}

// What a counter says only a walk over all of the page could tell, and "Section ." says nothing.
const COUNTER = /\bcounters?\(/;
const ESCAPED = /\\(?:([0-9a-f]{1,6}) ?|(.))/g; // a sign that ends a line stands there as its number
// What a text is made of. The address of a picture is no part of it, nor is what kind of one it is.
const STRING = /(?:url|type)\("(?:[^"\\]|\\.)*"\)|"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)\)|(?<![\w-])(open|close)-quote/g;

// `ground`: what is behind it, for who wants to know what a person sees of it, and not what it is called.
function pseudoText(element, which, ground = null) {
  if (!hasPseudoText(element) && !isQuoted(element)) return "";
  const style = getComputedStyle(element, which);
  const { content } = style;
  if (content === "none" || content === "normal" || style.display === "none" || style.visibility !== "visible") return "";
  if (isWithoutParts(element) || (ground && isPseudoHidden(element, style, ground))) return "";
  const [shown, spoken] = content.split(/ \/ (?=")/);
  if (spoken === undefined && COUNTER.test(shown.replace(STRING, ""))) return "";
  let text = "";
  for (const [, words, attribute, side] of (spoken ?? shown).matchAll(STRING)) {
    text += side ? quotationMark(element, style, side) : attribute ? (element.getAttribute(attribute) ?? "") : unescaped(words ?? "");
  }
  text = painted(text, style);
  return style.display.startsWith("inline") && spoken === undefined ? text : ` ${text} `;
}

function unescaped(words) {
  return words.replace(ESCAPED, (_, code, sign) => sign ?? String.fromCodePoint(Number.parseInt(code, 16)));
}

// No script is told which marks Chrome paints where a page names none: those of the page's language. Each
// of them reads as one of these.
const MARKS = ["“", "”", "‘", "’"];

function quotationMark(element, { quotes }, side) {
  const marks = quotes === "auto" ? MARKS : Array.from(quotes.matchAll(STRING), ([, words]) => unescaped(words ?? ""));
  let depth = 0;
  for (let at = parentOf(element); at; at = parentOf(at)) if (tagOf(at) === "q") depth++;
  return marks[Math.min(depth * 2, marks.length - 2) + (side === "close" ? 1 : 0)] ?? "";
}
