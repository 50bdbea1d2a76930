// The page's words, made safe for one line of an answer: nothing in them can end the line, forge a
// ref or a mark, or say what a person cannot see.

const ODD = /[^\x20-\x7e]|^ | $| {2}|\[/;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
// Signs without a picture: bidirectional controls, fillers, tags, private use (icon fonts). Joiners
// and the emoji selector stay, words and pictures are spelt with them.
const PICTURELESS =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ue000-\uf8ff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{10ffff}]/gu;
const MARK =
  /\[(?=\s*(?:ref|origin|covered|clickable|editable|inert|checked|disabled|selected|pressed|expanded|collapsed|required|invalid|readonly|focused|current|busy|level|modal|placeholder|draggable|active|playing|sort)\b|\s*(?:f\d+)?e\d+\s*\])/gi;

const LONGEST_NAME = 120;
const LONGEST_VALUE = 200;
const LONGEST_TEXT = 1000;
const MASK = "••••";

function clean(text) {
  if (!ODD.test(text)) return text;
  return text
    .toWellFormed()
    .replace(CONTROLS, " ")
    .replace(PICTURELESS, "")
    .replace(/\s+/g, " ")
    .trim()
    .replace(MARK, "(");
}

function isBlank(text) {
  return !/\S/.test(text);
}

// A cleaned text, cut where it is too long; what is missing is counted.
function cut(text, longest) {
  if (text.length <= longest) return text;
  const kept = text.slice(0, longest).replace(/[\ud800-\udbff]$/, "");
  return `${kept}… (+${text.length - kept.length} chars)`;
}

function quoted(text, longest = LONGEST_NAME) {
  const kept = text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`;
  return `"${kept.replace(/["\\]/g, "\\$&")}"`;
}
