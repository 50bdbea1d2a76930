// Formulas in MathML, in one line: what stands above, below or raised says so by signs, where it would
// read as another number otherwise.

const MATHML = "http://www.w3.org/1998/Math/MathML";
const SIMPLE = /^(?:\p{L}?\p{M}*|[\p{N}.,]+)$/u; // needs no brackets
const BETWEEN = /^[=<>≤≥≠≈≡∼→←↔⇒⇔∈∉⊂⊆+±×÷·−*∧∨∪∩:-]$/u; // an operator with room around it
const MOST_MATHS = 2000; // elements of one formula
const DEEPEST_MATHS = 100; // within each other; behind a deep walk there is not much of the stack left

let mathsLeft = 0;
let mathsDeep = 0;

// What is used, or shows something, in a formula has to have a line: then it is read in parts.
const IN_PARTS =
  "a, audio, button, canvas, iframe, img, input, select, svg, textarea, video, [contenteditable], [onclick], [role=button], [role=link], [tabindex]";

function isFormula(element) {
  return tagOf(element) === "math" && element.namespaceURI === MATHML && !element.querySelector(IN_PARTS);
}

// `ground`: what is behind it; null where it does not matter what can be seen.
function formulaText(element, ground) {
  mathsLeft = MOST_MATHS;
  return mathsOf(element, ground).replace(/\s+/g, " ").trim();
}

// The words of an element as a person sees them.
function mathsOf(element, ground) {
  const style = getComputedStyle(element);
  if (mathsLeft < 0 || judge(element, style, 0) !== SEEN) return "";
  if (mathsLeft-- === 0 || mathsDeep === DEEPEST_MATHS) return "…";
  mathsDeep++;
  const text = laidOut(element, style, ground && groundOf(element, style, ground));
  mathsDeep--;
  return text;
}

function laidOut(element, style, inner) {
  const tag = tagOf(element);
  if (tag === "mspace") return " ";
  if (tag === "msqrt") return `√${bracketed(wordsInRow(element, style, inner))}`;
  if (tag !== "mmultiscripts" && !Object.hasOwn(LAID_OUT, tag)) return wordsInRow(element, style, inner);
  const parts = [...element.children].map((each) => mathsOf(each, inner).trim());
  if (tag === "mmultiscripts") return withScripts(element, parts);
  if (tag === "mfrac" && parseFloat(element.getAttribute("linethickness")) === 0) return `binom(${parts.join(", ")})`;
  return LAID_OUT[tag](...parts);
}

// Below and above by turns: first those behind the base, then those before it.
function withScripts(element, [base = "", ...scripts]) {
  const border = [...element.children].findIndex((each) => tagOf(each) === "mprescripts") - 1;
  const behind = border < 0 ? scripts : scripts.slice(0, border);
  const before = border < 0 ? [] : scripts.slice(border + 1);
  return ` ${before.reduce(scripted, "")}${behind.reduce(scripted, base)}`;
}

const bracketed = (text) => (SIMPLE.test(text) ? text : `(${text})`);
const marked = (sign, text) => text && `${sign}${bracketed(text)}`;
const raised = (base = "", over = "") => base + marked("^", over);
const lowered = (base = "", under = "") => base + marked("_", under);

const scripted = (text, script, index) => (index % 2 ? raised : lowered)(text, script);

const LAID_OUT = {
  mfrac: (above = "", below = "") => `${bracketed(above)}/${bracketed(below)}`,
  mover: raised,
  mroot: (base = "", index = "") => `root(${index}, ${base})`,
  msub: lowered,
  msubsup: (base, sub, sup) => raised(lowered(base, sub), sup),
  msup: raised,
  mtable: (...rows) => `[${rows.join("; ")}]`,
  mtr: (...cells) => cells.join(", "),
  munder: lowered,
  munderover: (base, under, over) => `${raised(lowered(base, under), over)} `,
};

function wordsInRow(element, style, ground) {
  let text = "";
  let legible; // asked at the first text only
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE && !isBlank(child.data)) {
      if ((legible ??= !ground || isLegible(element, style, ground, child))) text += readable(painted(child.data, style, child));
    } else if (child.nodeType === Node.ELEMENT_NODE) {
      const part = mathsOf(child, ground);
      text += text && tagOf(child) === "mo" && BETWEEN.test(part.trim()) ? ` ${part.trim()} ` : part;
    }
  }
  return text;
}
