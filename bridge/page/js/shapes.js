// Elements that do not fill their boxes: cut by a clip-path, drawn hollow, or an area of an image.

const MOST_ON_LINE = 400;
const GRID = [24, 48]; // rows, and points in each

// Whether an element is not there at the middle of its place, rather than below something else.
function isHollow(element, shown, rects) {
  const seen = rects.map(inViewport).find((rect) => rect !== null);
  if (!seen) return false;
  const [x, y] = [seen.left + seen.width / 2, seen.top + seen.height / 2];
  if (element.localName === "area") return isPartOfImage(topmost(x, y), shown);
  if (shown.getRootNode().elementsFromPoint(x, y).some((each) => isWithin(each, shown))) return false;
  beginReading();
  return !isScrolledAway(shown, x, y);
}

// The middle of the first place that gets what is done there: {x, y, hit}, or null.
function spotInShape(element, rects) {
  const known = new Map(); // what is hit -> does it pass it on?
  const gets = (hit) => {
    if (!known.has(hit)) known.set(hit, receives(hit, element) && (hit === element || !INNER_FRAMES.has(hit.localName)));
    return known.get(hit);
  };
  for (const rect of rects.map(inViewport)) {
    for (const line of rect ? linesThrough(rect) : []) {
      const spot = middleOfHits(line, gets);
      if (spot) return spot;
    }
  }
  return null;
}

// What is in one piece and reaches from edge to edge of its box crosses both lines through its
// middle. What is less may be anywhere.
function* linesThrough({ left, top, width, height }) {
  const row = (y, count) => parts(count).map((part) => [left + width * part, y]);
  yield row(top + height / 2, Math.min(width, MOST_ON_LINE));
  yield parts(Math.min(height, MOST_ON_LINE)).map((part) => [left + width / 2, top + height * part]);
  for (const part of parts(GRID[0])) yield row(top + height * part, GRID[1]);
}

function parts(count) {
  return Array.from({ length: Math.ceil(count) }, (_, index) => (index + 0.5) / Math.ceil(count));
}

// Of the longest row of hits on a line.
function middleOfHits(line, gets) {
  let [begin, best, length] = [0, 0, 0];
  const hits = line.map(([x, y]) => topmost(x, y));
  for (let index = 0; index < line.length; index++) {
    if (!hits[index] || !gets(hits[index])) begin = index + 1;
    else if (index - begin >= length) [best, length] = [begin, index - begin + 1];
  }
  if (!length) return null;
  const at = best + ((length - 1) >> 1);
  return { x: line[at][0], y: line[at][1], hit: hits[at] };
}
