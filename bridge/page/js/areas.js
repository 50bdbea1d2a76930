// Areas of an image: links of their own without a box of their own. The map they stand in shows
// nothing; they are where the image is that uses it, and Chrome tells which one is at a point.

function mapNameOf(image) {
  return image.localName === "img" && image.useMap ? image.useMap.replace(/^[^#]*#/, "") : "";
}

function mapNamed(name, root) {
  return name ? root.querySelector(`map[name="${CSS.escape(name)}"]`) : null;
}

// The first that shows them: several may use the same map.
function imageOf(area) {
  const map = area.closest("map");
  return map && mapNamed(map.name, map.getRootNode()) === map ? imageWith(map) : null;
}

function imageWith(map) {
  const all = map.getRootNode().querySelectorAll(`img[usemap$="#${CSS.escape(map.name)}"]`);
  return Array.from(all).find((each) => mapNameOf(each) === map.name && shownRects(each).length) ?? null;
}

function isPartOfImage(hit, image) {
  return hit === image || (hit?.localName === "area" && imageOf(hit) === image);
}

// Those of an image that can be used.
function areasOf(image) {
  const map = mapNamed(mapNameOf(image), image.getRootNode());
  if (!map || shownBy(map) !== image) return NOTHING;
  return [...map.areas].filter((each) => roleOf(each) || isMadeUsable(each));
}

const shownImages = new WeakMap(); // boxes of a reading -> map -> the image that shows it

function shownBy(map) {
  let known = shownImages.get(boxes);
  if (!known) shownImages.set(boxes, (known = new Map()));
  if (!known.has(map)) known.set(map, imageWith(map));
  return known.get(map);
}

function placeOfArea(area) {
  const image = imageOf(area);
  if (!image) return null;
  const [box] = shownRects(image);
  return { element: image, rects: [boxOfShape(area, image, box), box] };
}

// Of an image that is larger than the window.
function scrollToArea(area) {
  const [{ left, top, width, height }] = placeOfArea(area)?.rects ?? [new DOMRect()];
  scrollBy({ left: left + width / 2 - innerWidth / 2, top: top + height / 2 - innerHeight / 2, behavior: "instant" });
}

// The upright box around it. Coordinates are in pixels of the image before it is transformed, from the
// corner of its border; another size of the image changes nothing (Chrome 156, measured).
function boxOfShape(area, image, box) {
  const [x, y, ...rest] = area.coords.split(/[\s,;]+/).map(parseFloat);
  const shape = area.shape.toLowerCase();
  if (shape === "default" || rest.length === 0 || [x, y, ...rest].some(Number.isNaN)) return box;
  if (shape.startsWith("circ")) return boxInImage(image, [x - rest[0], x + rest[0]], [y - rest[0], y + rest[0]]);
  const all = shape.startsWith("poly") ? [x, y, ...rest] : [x, y, ...rest.slice(0, 2)];
  return boxInImage(image, all.filter((_, index) => index % 2 === 0), all.filter((_, index) => index % 2 === 1));
}

function boxInImage(image, across, down) {
  const { paddingLeft, paddingTop } = getComputedStyle(image);
  const [left, top] = [image.clientLeft + parseFloat(paddingLeft), image.clientTop + parseFloat(paddingTop)];
  const xs = [Math.min(...across) - left, Math.max(...across) - left];
  const ys = [Math.min(...down) - top, Math.max(...down) - top];
  return new DOMRect(...boxAround(image, [xs[0], ys[0], xs[1] - xs[0], ys[1] - ys[0]]));
}
