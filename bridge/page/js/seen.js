// A walk over what a person sees, for readers who want words rather than a tree.
//
// A reader has `open(element, style, sight)`, `text(data, element, style, written)` and
// `close(element, style, sight)`; where `open` says false, the content is left out. `data` is the text
// as it is painted, `written` as it stands in the document. `text` has a last argument as well: what
// is between it and the text before where those two touch.

let lastText = null; // in this line: [its last sign, whose it is]

// Whether another document may be shown in it. (`length` counts those of this document.)
function isFrameHolder(element) {
  const holds = /^i?frame$/.test(element.localName) || (window.length > 0 && /^(?:embed|object)$/.test(element.localName));
  return holds && !isShut(element);
}

// A frame without a size has borders all the same, two pixels wide if nobody says otherwise.
function isShut(frame) {
  const { width, height } = boxOf(frame);
  const inner = Math.min(frame.clientWidth, frame.clientHeight);
  return inner < SMALLEST || Math.min(width, height) < inner * SMALLEST_SCALE; // it may be turned
}

const SMALLEST_SCALE = 0.15; // what is in it is of the usual size, or it would be larger itself

function walkSeen(root, reader) {
  beginReading();
  lastText = null;
  veiled = [];
  if (root && seenAlone(root, seenBefore).sight !== GONE) passSeen(root, startAt(root), reader);
  release();
}

function passSeen(element, at, reader) {
  const style = getComputedStyle(element);
  const sight = judge(element, style, at.clipped);
  if (sight === GONE) {
    if (style.display === "") suspectParent(element);
    else if (style.display !== "none") noteVeiled(element, style);
    return;
  }
  if (sight === UNSEEN) noteVeiled(element, style);
  suspect(element);
  if (isFormula(element)) {
    passFormula(element, style, sight, at, reader);
    return;
  }
  const goesOn = (style.display === "inline" || style.display === "contents") && !ENDS_A_WORD.test(tagOf(element));
  if (!goesOn) lastText = null;
  if (reader.open(element, style, sight) !== false && !isKeptBack(element, style)) {
    passContent(element, inside(element, style, at, style.display), reader, style, sight);
  }
  if (!goesOn) lastText = null;
  reader.close(element, style, sight);
}

// In one piece; in a line of its own where the page sets it off.
function passFormula(element, style, sight, at, reader) {
  const text = sight === SEEN && !at.clipped ? formulaText(element, groundOf(element, style, at.ground)) : "";
  const inLine = { ...LINE, display: style.display.startsWith("block") ? "block" : "inline" };
  reader.open(element, inLine, sight);
  if (text) tell(text, element, reader, inLine, text);
  reader.close(element, inLine, sight);
}

const LINE = { textDecorationLine: "none", whiteSpaceCollapse: "collapse" };

function tell(text, element, reader, style, written) {
  const joint = lastText ? jointOf(...lastText, element, text) : "";
  if (text) lastText = [text.at(-1), element];
  reader.text(text, element, style, written, joint);
}

function passContent(element, at, reader, style, sight) {
  const shown = sight === SEEN && !at.clipped;
  const talks = shown && (at.talks || isQuoted(element));
  if (talks) tellPseudo(element, "::before", reader, style, at.ground);
  let legible; // asked at the first text only
  for (const child of childrenOf(element)) {
    if (child.nodeType === Node.ELEMENT_NODE) passSeen(child, at, reader);
    else if (child.nodeType === Node.TEXT_NODE && shown) {
      const { data } = child;
      if (isBlank(data)) tell(data, element, reader, style, data);
      else if ((legible ??= isLegible(element, style, at.ground, child))) tell(painted(data, style, child), element, reader, style, data);
    }
  }
  if (talks) tellPseudo(element, "::after", reader, style, at.ground);
}

function tellPseudo(element, which, reader, style, ground) {
  const text = pseudoText(element, which, ground);
  if (text) tell(text, element, reader, text.includes("\n") ? getComputedStyle(element, which) : style, text);
}
