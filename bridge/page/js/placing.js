// Where a frame shows the points of its document, in the document around it.
//
// No script is told that: only the upright box around a frame is. But whatever turns, scales or
// zooms the frame keeps the middle of that box in its middle, and by how much is in the styles.

const SLACK = 3; // pixels: sizes are told rounded

// How a frame is turned and scaled by its own styles and those around it, without where it is, and
// whether it stays in the plane.
function turnOf(frame) {
  let turn = new DOMMatrix();
  let flat = true;
  for (let at = frame; at; at = parentOf(at)) {
    const { rotate, scale, transform } = getComputedStyle(at);
    if (rotate === "none" && scale === "none" && transform === "none") continue;
    const own = new DOMMatrix(transform);
    if (scale !== "none") own.preMultiplySelf(new DOMMatrix().scale(...scale.split(" ").slice(0, 2).map(Number)));
    if (/^\S+deg$/.test(rotate)) own.preMultiplySelf(new DOMMatrix().rotate(parseFloat(rotate)));
    flat &&= own.is2D;
    turn = new DOMMatrix([own.a, own.b, own.c, own.d, 0, 0]).multiply(turn);
  }
  return { turn, flat };
}

// The way from points in the frame to points around it; `lost` where there is none: what is turned in
// space is foreshortened, and its middle is elsewhere.
function placementOf(frame) {
  const { left, top, width, height } = frame.getBoundingClientRect();
  const [offsetWidth, offsetHeight] = [frame.offsetWidth, frame.offsetHeight];
  let { turn, flat } = turnOf(frame);
  const across = Math.abs(turn.a) * offsetWidth + Math.abs(turn.c) * offsetHeight;
  const down = Math.abs(turn.b) * offsetWidth + Math.abs(turn.d) * offsetHeight;
  let zoom = across ? width / across : 1;
  const fits = Math.abs(down * zoom - height) <= SLACK;
  if (!fits) {
    zoom = 1;
    turn = new DOMMatrix([width / (offsetWidth || 1), 0, 0, height / (offsetHeight || 1), 0, 0]);
  }
  const { paddingLeft, paddingTop } = getComputedStyle(frame);
  const way = new DOMMatrix().translate(left + width / 2, top + height / 2).scale(zoom).multiply(turn);
  way.translateSelf(frame.clientLeft + parseFloat(paddingLeft) - offsetWidth / 2, frame.clientTop + parseFloat(paddingTop) - offsetHeight / 2);
  return { way, lost: !fits && !flat };
}

function outward(frame, x, y) {
  const at = placementOf(frame).way.transformPoint({ x, y });
  return { x: at.x, y: at.y };
}

function inward(frame, x, y) {
  const at = placementOf(frame).way.inverse().transformPoint({ x, y });
  return { x: at.x, y: at.y };
}

// The upright box around a box of the frame's document.
function boxAround(frame, [left, top, width, height]) {
  const corners = [[left, top], [left + width, top], [left, top + height], [left + width, top + height]];
  const points = corners.map(([x, y]) => outward(frame, x, y));
  const across = points.map(({ x }) => x);
  const down = points.map(({ y }) => y);
  const [x, y] = [Math.min(...across), Math.min(...down)];
  return [x, y, Math.max(...across) - x, Math.max(...down) - y];
}

lib.boxAround = boxAround;
