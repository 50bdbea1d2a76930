// Of a large page no more is read than will be told: as soon as that is enough, only what is in view
// counts, for it is told first, wherever it stands. The rest is counted, and read if somebody goes on.

const LARGE_PAGE = 10000; // elements: what has fewer is read whole, in less than 0.1 s
const PER_LINE = 16; // bytes of a line besides what it names: role, ref and marks

let enough = Infinity; // bytes that are still to be collected
let inSight = null; // elements in view and what is around them, once there is enough
let inOnePiece = 0; // nodes around that are told whole or not at all
let passed = 0; // elements

function beginCounting(bytes) {
  enough = bytes;
  inSight = null;
  inOnePiece = 0;
  passed = 0;
}

function spend(...texts) {
  enough -= PER_LINE;
  for (const text of texts) if (text) enough -= text.length;
}

// Whether nothing of it is told this time.
function isPassedOver(element, { display }) {
  if (inOnePiece || display === "none" || !isBlock(display)) return false;
  inSight ??= elementsInSight();
  if (inSight.has(element)) return false;
  passed += 1 + element.getElementsByTagName("*").length;
  return true;
}

function elementsInSight() {
  const found = new Set();
  const look = (element) => {
    const box = boxes.get(element) ?? measured(element);
    if (box.top < reading.view.bottom && overlap(box, reading.view)) for (let at = element; at && !found.has(at); at = parentOf(at)) found.add(at);
    const root = shadowOf(element);
    if (root) lookIn(root);
  };
  const lookIn = (root) => {
    for (const each of root.querySelectorAll("*")) look(each);
  };
  lookIn(document);
  return found;
}

function isLarge(root) {
  return root.getElementsByTagName("*").length > LARGE_PAGE;
}

// About how many lines it would have been, if there is a rest.
function unread(root) {
  if (!passed) return {};
  const walked = Math.max(root.getElementsByTagName("*").length - passed, 1);
  return { unread: Math.ceil((lines.length * passed) / walked) };
}
