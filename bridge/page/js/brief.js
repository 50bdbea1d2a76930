// Of a large page no more is read than will be told: as soon as that is enough, only what is in view
// counts, for it is told first, wherever it stands. The rest is counted, and read if somebody goes on.

const LARGE_PAGE = 10000; // elements: what has fewer is read whole, in less than 0.1 s
const PER_LINE = 16; // bytes of a line besides what it names: role, ref and marks

let enough = Infinity; // bytes that are still to be collected
let inSight = null; // elements in view and what is around them, once there is enough
let inOnePiece = 0; // nodes around that are told whole or not at all
let isBrief = false; // something has been passed over
let walked = 0; // elements that have not

function beginCounting(bytes) {
  enough = bytes;
  inSight = null;
  inOnePiece = 0;
  isBrief = false;
  walked = 0;
}

function spend(...texts) {
  enough -= PER_LINE;
  for (const text of texts) if (text) enough -= text.length;
}

// Whether nothing of it is told this time.
function isPassedOver(element, { display }) {
  if (inOnePiece || display === "none" || !isBlock(display)) return false;
  inSight ??= elementsInSight();
  return !inSight.has(element);
}

function passOver(kids) {
  endRun(kids);
  isBrief = true;
  walked--;
}

function elementsInSight() {
  const found = new Set();
  const { view } = reading;
  const lookIn = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let each = walker.nextNode(); each; each = walker.nextNode()) {
      if (measure.call(each).top < view.bottom && overlap(boxOf(each), view)) add(each);
      const inner = shadowOf(each);
      if (inner) lookIn(inner);
    }
  };
  const add = (element) => {
    for (let at = element; at && !found.has(at); at = parentOf(at)) found.add(at);
  };
  lookIn(document);
  return found;
}

function isLarge(root) {
  return root.getElementsByTagName("*").length > LARGE_PAGE;
}

// About how many lines there are in what was passed over.
function unread(root) {
  if (!isBrief) return {};
  const rest = Math.max(root.getElementsByTagName("*").length - walked, 1);
  return { unread: Math.ceil((lines.length * rest) / walked) };
}
