// Elements that may hide a closed shadow root. Scripts cannot see one; Python asks the debugger
// about these, once each, and again only if they have changed.

const ROOT_TAGS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);
const SMALLEST_HOST = 8; // pixels: what is smaller is a dot, a line or a spacer
const MOST_SUSPECTS = 256;

const asked = new WeakMap(); // element -> how it was when it was asked about
const suspected = []; // until they are taken: of two readings at once, one must not lose the other's

function suspect(element) {
  const tag = tagOf(element);
  const isCustom = tag.includes("-");
  if (!isCustom && (!ROOT_TAGS.has(tag) || element.firstChild)) return;
  if (isCustom) wantInternals(element);
  if (isCustom || isSizeable(boxOf(element))) consider(element, isCustom);
}

// One of its children is nowhere in the painted tree: a root without a slot for it stands before.
function suspectParent(child) {
  const parent = child.parentElement;
  if (parent && !shadowOf(parent) && ROOT_TAGS.has(parent.localName)) consider(parent, false);
}

function isSizeable(box) {
  return box.width >= SMALLEST_HOST && box.height >= SMALLEST_HOST;
}

function consider(element, isCustom) {
  if (rehearsing || shadowOf(element) || suspected.length >= MOST_SUSPECTS) return;
  const box = boxOf(element);
  const now = isCustom ? element.matches(":defined") : `${box.width}x${box.height}`;
  if (asked.get(element) === now || suspected.includes(element)) return;
  asked.set(element, now);
  suspected.push(element);
}

// What there is to ask the debugger about, once a page has been walked.
function askable() {
  return { suspects: suspected.length, internals: countUnasked() };
}

lib.suspects = () => suspected.splice(0);
