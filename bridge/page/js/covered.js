// What lies over something, where it is in view now.

function isCovered(element) {
  const box = boxOf(element);
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  const right = Math.min(box.right, innerWidth);
  const bottom = Math.min(box.bottom, innerHeight);
  if (right <= left || bottom <= top) return false;
  const x = (left + right) / 2;
  const y = (top + bottom) / 2;
  const hit = topmost(x, y);
  if (!hit || isWithin(hit, element) || isWithin(element, hit) || isPartOfImage(hit, element)) return false;
  return !ownLabelAt(hit, element) && !isScrolledAway(element, x, y);
}

function ownLabelAt(hit, element) {
  for (let at = hit; at; at = parentOf(at)) if (at.localName === "label" && at.control === element) return at;
  return null;
}

function isScrolledAway(element, x, y) {
  for (let at = parentOf(element); at && !isRoot(at); at = parentOf(at)) {
    if (getComputedStyle(at).overflowX === "visible") continue;
    if (!isAt(boxOf(at), x, y)) return true;
  }
  return false;
}

let walls = []; // met in this reading: what has a ground of its own and is not in the flow of words
let hitsLeft = 0;
let standing = null; // those of them in view, once they are asked for

const MOST_HITS = 150; // in a reading: 1.5 ms each on a page of 4,000 positioned boxes

// Whether a box that lets nothing through lies over a text, or an element that is told by its words: a
// bar that stays while the page scrolls, or a dialog. What is transparent itself may lie over them all
// the same, as the link of a whole card does. The page is only asked where a wall is.
function isBuried(node) {
  if (!walls.length) return false;
  const element = typeOf(node) === TEXT ? node.parentElement ?? node.parentNode.host : node;
  if (isOutOfView(boxOf(element))) return false;
  if (!standing) {
    standing = wallsInView();
    hitsLeft = MOST_HITS;
  }
  const place = edgesOf(boxOf(element));
  if (!standing.some((wall) => overlap(wall.box, place) && !isWithin(element, wall.element))) return false;
  const line = lineInView(node, boxOf(element));
  if (!line) return false;
  const [x, y] = [line.left + line.width / 2, line.top + line.height / 2];
  if (!standing.some((wall) => isAt(wall.box, x, y) && !isWithin(element, wall.element))) return false;
  if (isPressedThrough(element) || isScrolledAway(element, x, y) || hitsLeft-- <= 0) return false;
  const hit = topmost(x, y);
  if (!hit || isWithin(hit, element) || isWithin(element, hit)) return false;
  return isWall(hit, element, x, y);
}

function wallsInView() {
  return walls.filter((wall) => !isOutOfView(boxOf(wall))).map((wall) => ({ element: wall, box: edgesOf(boxOf(wall)) }));
}

function isAt({ left, top, right, bottom }, x, y) {
  return x >= left && x < right && y >= top && y < bottom;
}

// The middle one of its lines in view: what lies beside the words of a heading, or between two lines,
// covers none of them. A log of thousands is asked as a whole.
function lineInView(node, { height }) {
  const range = document.createRange();
  range.selectNodeContents(node);
  const all = height > innerHeight ? [range.getBoundingClientRect()] : range.getClientRects();
  const lines = Array.from(all, inViewport).filter(Boolean);
  return lines[lines.length >> 1];
}

// Then what is at its place says nothing of what lies over it.
function isPressedThrough(element) {
  if (getComputedStyle(element).pointerEvents === "none" || isIdleByStyle(element)) return true;
  for (let at = element; at; at = parentOf(at)) if (at.inert) return true;
  return false;
}

// Up to what holds both: is any of it painted there, and seen through nowhere?
function isWall(hit, element, x, y) {
  let solid = false;
  for (let at = hit; at && !isWithin(element, at); at = parentOf(at)) {
    const { backgroundColor, backgroundClip, display, opacity } = getComputedStyle(at);
    if (display === "contents") continue;
    if (opacity < OPAQUE) return false;
    solid ||= isOpaque(backgroundColor) && !backgroundClip.includes("text") && isAt(boxOf(at), x, y);
  }
  return solid;
}

const OPAQUE = 0.95;
