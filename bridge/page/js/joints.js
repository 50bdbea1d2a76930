// What is between two texts that touch: nothing, a blank that only a style makes, or the step up or
// down to a raised or lowered sign. Without it 4² is 42, and $19 with small cents is $1999.
//
// Asked only where a word would go on in another element: on most pages that is nowhere.

const ENDS_WORD = /[\p{L}\p{N})\]}]/u;
const BEGINS_WORD = /^[\p{L}\p{N}\p{Sc}]/u;
const BEGINS_RAISED = /^[\p{L}\p{N}+\-\u2212(]/u;
const ORDINAL = /^(?:st|nd|rd|th)\b/i; // 2nd is read as it is
const DIGIT = /\p{N}/u;
const RAISED = { sub: "_", sup: "^", super: "^" }; // by tag, and by what a style says
const WORD_GAP = 0.2; // of the font's size: a blank is a quarter
const MOST_RAISED = 6; // elements to look at

// Between the words `said` last, in `before`, and the text of `after`.
function jointOf(said, before, after, text) {
  const last = said.at(-1);
  if (before === after || last === undefined || !ENDS_WORD.test(last)) return "";
  const goesOn = BEGINS_WORD.test(text);
  if (!goesOn && !BEGINS_RAISED.test(text)) return "";
  const raised = raisedAround(after);
  if (raised && !isWithin(before, raised.element)) return stepTo(raised.sign, last, text);
  if (!goesOn) return "";
  const left = raisedAround(before);
  if (left && !isWithin(after, left.element)) return DIGIT.test(last) && DIGIT.test(text[0]) ? " " : "";
  return isApart(before, after) ? " " : "";
}

function stepTo(sign, last, text) {
  return DIGIT.test(last) && ORDINAL.test(text) ? "" : sign;
}

// The raised or lowered element that a text is in.
function raisedAround(element) {
  let at = element;
  for (let steps = 0; at && steps < MOST_RAISED; steps++, at = parentOf(at)) {
    const style = getComputedStyle(at);
    const sign = RAISED[tagOf(at)] ?? RAISED[style.verticalAlign];
    if (sign) return { element: at, sign };
    if (style.display !== "inline" && style.display !== "contents") return null;
  }
  return null;
}

// Whether margins and paddings keep words apart that nothing else does.
function isApart(before, after) {
  let gap = 0;
  for (let at = before; at && !isWithin(after, at); at = parentOf(at)) {
    const { marginInlineEnd, paddingInlineEnd } = getComputedStyle(at);
    gap += parseFloat(marginInlineEnd) + parseFloat(paddingInlineEnd);
  }
  for (let at = after; at && !isWithin(before, at); at = parentOf(at)) {
    const { marginInlineStart, paddingInlineStart } = getComputedStyle(at);
    gap += parseFloat(marginInlineStart) + parseFloat(paddingInlineStart);
  }
  return gap >= WORD_GAP * parseFloat(getComputedStyle(after).fontSize);
}

const SIGN = /^[\p{L}\p{N}\p{P}]\p{M}*$/u;

// Whether a box in a line only holds a letter, which belongs to those beside it.
function isLetter(element, display) {
  if (!display.startsWith("inline-")) return false;
  let only = firstOf(element);
  while (only && typeOf(only) === ELEMENT && !nextOf(only)) only = firstOf(only);
  return Boolean(only) && typeOf(only) === TEXT && !nextOf(only) && SIGN.test(only.data) && !isRoomy(element, getComputedStyle(element));
}

// What is struck out holds no more: marked as Markdown does.
const STRUCK = new Set(["del", "s", "strike"]);

function isStruck(element, style) {
  return STRUCK.has(tagOf(element)) || style.textDecorationLine.includes("line-through");
}

function struck(text) {
  const words = text.replaceAll("~~", "").trim();
  return words && text.replaceAll("~~", "").replace(words, () => `~~${words}~~`);
}

// A part of a name, as it is set off from what stands before it.
function setOff(element, text, before) {
  const tag = tagOf(element);
  if (text && isStruck(element, getComputedStyle(element))) return struck(text);
  const sign = tag === "sup" || tag === "sub" ? RAISED[tag] : "";
  const last = before.at(-1);
  return sign && last !== undefined && ENDS_WORD.test(last) && BEGINS_RAISED.test(text) ? stepTo(sign, last, text) + text : text;
}

// The same words without these marks, for who looks for what was told.
function withoutMarks(text) {
  return text.replace(/~~|(?<=[\p{L}\p{N})\]}])(?:\^(?=[\p{L}\p{N}+\-\u2212(])|_(?=\p{N}))/gu, "");
}
