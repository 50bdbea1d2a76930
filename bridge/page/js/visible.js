// What a person sees. Asked for every element of a page, so only what is cheap is asked of all:
// words of the computed style (0.1 µs each). Boxes (1 µs) are measured for what could be a trick.

const GONE = 0; // neither it nor anything in it
const UNSEEN = 1; // not it, but perhaps something in it
const SEEN = 2;

const SMALLEST = 3; // pixels: what is smaller both ways shows nobody anything
const SMALLEST_FONT = 3;
const LEAST_ADVANCE = 0.5; // pixels from one letter to the next
const FAINT = 0.05; // opacity: nobody reads what is less
const PALE = 0.5; // opacity: what is less is asked for its ancestors' as well, one of many is not
const FAR = 200; // pixels: a wide box that begins so far outside may have its words there

// Parts of drawings: used by others, never painted by themselves.
const DRAWN_ELSEWHERE = new Set(["clipPath", "defs", "desc", "filter", "marker", "mask", "metadata", "pattern", "symbol", "title"]);
const SVG = "http://www.w3.org/2000/svg";

// `clipped` is what an ancestor without a size cuts off: 0 nothing, 1 what is not positioned, 2 all
// but what is fixed.
function judge(element, style, clipped, display = style.display) {
  if (display === "none" || display === "") return GONE; // "" is in no slot
  if (DRAWN_ELSEWHERE.has(element.localName) && element.namespaceURI === SVG) return GONE;
  if (display === "contents") return clipped || style.visibility !== "visible" ? UNSEEN : SEEN; // nothing else applies
  const { opacity, filter } = style;
  if (opacity !== "1" && (opacity < FAINT || (opacity < PALE && isFaint(element, opacity)))) return isBareControl(element) || comesIntoView(element, isOpaqueIn) ? SEEN : GONE;
  if (filter !== "none" && filter.includes("opacity(") && /opacity\((.*?)\)/.exec(filter)[1] < FAINT) return GONE;
  if (style.clipPath !== "none" && isEmptyClip(style.clipPath, element)) return isBareControl(element) || comesIntoView(element, isCutOpenIn) ? SEEN : GONE;
  if (style.maskImage !== "none" && isMaskedAway(style)) return comesIntoView(element, isUnmaskedIn) ? SEEN : GONE;
  const { position } = style;
  if ((position !== "static" && isMovedAway(element, style, position)) || isTurnedAway(element, style)) return GONE;
  if (escapes(position, clipped)) clipped = 0;
  return clipped || style.visibility !== "visible" ? UNSEEN : SEEN;
}

// Ancestors that let through a little each let through nothing.
function isFaint(element, opacity) {
  let left = Number(opacity);
  for (let at = parentOf(element); at && left >= FAINT; at = parentOf(at)) {
    const above = getComputedStyle(at);
    if (above.display !== "contents") left *= above.opacity;
  }
  return left < FAINT;
}

// Below the window, and uncovered by a style while it is scrolled into it: as much of the page as what
// needs no uncovering. One that a script uncovers looks like one that stays hidden.
function comesIntoView(element, isUncovered) {
  const isUncovering = ({ timeline, effect }) => timeline instanceof ViewTimeline && effect.getKeyframes().some((frame) => isUncovered(frame, element));
  return isOutOfView(boxOf(element)) && element.getAnimations().some(isUncovering);
}

function isOpaqueIn({ opacity }) {
  return opacity >= FAINT;
}

function isCutOpenIn({ clipPath }, element) {
  return clipPath !== undefined && !isEmptyClip(clipPath, element);
}

function isUnmaskedIn({ maskImage, maskSize }) {
  return (maskImage ?? maskSize) !== undefined;
}

// The back of a card, say, as long as the card is not turned: its sides lie one over the other.
function isTurnedAway(element, style) {
  if (style.backfaceVisibility !== "hidden" || style.display === "inline") return false; // words in a line do not turn
  let turned = turnedBy(style);
  for (let at = parentOf(element); at; at = parentOf(at)) {
    const above = getComputedStyle(at);
    if (flattens(above)) break;
    turned = turnedBy(above).multiply(turned);
  }
  return turned.m33 < 0;
}

const AXES = { "": "0,0,1", x: "1,0,0", y: "0,1,0", z: "0,0,1" };

function turnedBy({ rotate, transform }) {
  const turned = new DOMMatrix(transform);
  if (rotate === "none") return turned;
  const axis = rotate.split(" ");
  const angle = axis.pop();
  return new DOMMatrix(`rotate3d(${AXES[axis.join()] ?? axis.join()},${angle})`).multiply(turned);
}

// Whether what is in it is painted onto it, and turns with it as a picture does. Some styles have that
// done whatever is asked for.
function flattens(style) {
  if (style.transformStyle !== "preserve-3d" || style.overflowX !== "visible" || style.overflowY !== "visible") return true;
  if (style.opacity < 1 || style.filter !== "none" || style.clipPath !== "none" || style.maskImage !== "none") return true;
  return style.isolation === "isolate" || style.mixBlendMode !== "normal" || /opacity|filter/.test(style.willChange);
}

function isRoot(element) {
  const tag = tagOf(element);
  return tag === "body" || tag === "html";
}

function escapes(position, clipped) {
  return position === "fixed" || (position === "absolute" && clipped === 1);
}

// Boxes whose content no style cuts off: words in a line, rows.
const NEVER_CUTS = new Set(["contents", "inline", "inline list-item", "ruby", "ruby-text", "table-footer-group", "table-header-group", "table-row", "table-row-group"]);

// What an element cuts off of its content, given what its ancestors do.
function clippingOf(element, style, clipped, display = style.display) {
  if (clipped && display !== "contents" && escapes(style.position, clipped)) clipped = 0;
  if (clipped || NEVER_CUTS.has(display)) return clipped;
  const across = style.overflowX !== "visible";
  const down = style.overflowY !== "visible"; // `clip` may be the one or the other
  if (!(across || down) || isRoot(element)) return 0;
  const box = boxOf(element);
  if ((!across || box.width >= SMALLEST) && (!down || box.height >= SMALLEST) && !isAllBorder(element, box)) return 0;
  return style.position === "static" ? 1 : 2;
}

// What is cut off is so at the inner edge of the borders; boxes of a few pixels may be nothing else.
function isAllBorder(element, box) {
  return (box.height < 20 || box.width < 20) && element.offsetHeight > 0 && (element.clientHeight < SMALLEST || element.clientWidth < SMALLEST);
}

// Controls that a site paints itself: the real one lies over it, transparent, and takes the click or the
// keys. Of fields for text only those with suggestions: others that nobody sees are traps for robots.
const PAINTED_OVER = new Set(["checkbox", "color", "date", "datetime-local", "file", "month", "radio", "range", "time", "week"]);

function isBareControl(element) {
  const painted = element.localName === "select" || (element.localName === "input" && (PAINTED_OVER.has(element.type) || roleOf(element) === "combobox"));
  return painted && !isSliver(boxOf(element)) && getComputedStyle(element).pointerEvents !== "none";
}

// Whether a style keeps its content from being painted (`content-visibility`). Boxes that are as large as
// what they hold cannot do that; a drawing is none of them.
const AS_LARGE_AS_CONTENT = new Set([...NEVER_CUTS, "inline-table", "table"]);

function isKeptBack(element, style, display = style.display) {
  if (AS_LARGE_AS_CONTENT.has(display) && tagOf(element) !== "svg") return false;
  return style.contentVisibility === "hidden";
}

// Whether nothing that it holds is seen, given what it cuts off.
function hidesAll(element, style, clipped, display) {
  return clipped > 0 || isKeptBack(element, style, display);
}

function isTiny(box) {
  return box.width < SMALLEST && box.height < SMALLEST;
}

// Nobody hits it: it is only kept for the form, and something else stands for it.
function isSliver(box) {
  return box.width < SMALLEST || box.height < SMALLEST;
}

function isMovedAway(element, style, position) {
  const floating = position === "absolute" || position === "fixed";
  if (floating && style.clip !== "auto" && isEmptyRect(style.clip)) return !isBareControl(element);
  if (!floating && style.left === "auto" && style.top === "auto") return false;
  const box = boxOf(element);
  if (!box.width || !box.height) return false; // what overflows it is judged by itself
  return position === "fixed" ? isOutOfView(box) : isOutOfReach(element, box);
}

// Boxes are kept for the length of one reading: nothing moves meanwhile.
let boxes = new Map();

// What was measured for an earlier reading counts no more.
function beginReading() {
  boxes = new Map();
  painters = new Map();
  walls = [];
  standing = null;
  pseudoRoots = new Map();
  seenBefore = new Map();
  namesByLabel = new Map();
}

const measure = Element.prototype.getBoundingClientRect;

function boxOf(element) {
  let box = boxes.get(element);
  if (!box) boxes.set(element, (box = measured(element)));
  return box;
}

function isBoxless(element) {
  return getComputedStyle(element).display === "contents";
}

// What has no box of its own (`display: contents`) is where its words are, and what it holds.
function measured(element) {
  const box = measure.call(element);
  if (box.width || box.height || !isBoxless(element)) return box;
  const range = document.createRange();
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
}

function isOutOfView(box) {
  return box.right <= 0 || box.bottom <= 0 || box.left >= innerWidth || box.top >= innerHeight;
}

// Above the page or beside it, where no scrolling leads.
function isOutOfReach(element, box) {
  if (box.right > 0 && box.bottom > 0) return false;
  if (box.right + scrollX > 0 && box.bottom + scrollY > 0) return false;
  let { right, bottom } = box;
  for (let at = parentOf(element); at; at = parentOf(at)) {
    right += Math.abs(at.scrollLeft);
    bottom += at.scrollTop;
  }
  if (bottom <= 0) return true;
  return right <= 0 && !growsToTheLeft(document.scrollingElement);
}

function growsToTheLeft(root) {
  if (!root) return false;
  const style = getComputedStyle(root);
  return style.direction === "rtl" || style.writingMode === "vertical-rl";
}

// Whether the text directly in an element can be read, as far as its first piece, `node`, says.
// `ground` is what is painted behind it.
function isLegible(element, style, ground, node) {
  if (isUncertainSize(parseFloat(style.fontSize), boxOf(element), node.length) && !isLargeEnough(node)) return false;
  if (element.namespaceURI === SVG && (isUnfilled(style) || isOffDrawing(element))) return false;
  if (style.textIndent !== "0px" && isIndentedAway(element, style, node)) return false;
  return hasPlace(element) && !isInvisibleInk(element, style, ground);
}

// Whether letters may be of another size than their style says, scaled or zoomed by whatever is around
// them: the box is too small for so many, or they would be too small themselves.
function isUncertainSize(size, { width, height }, count) {
  return size < SMALLEST_FONT || height < size * 0.8 || width * height < size * size * 0.1 * count;
}

// All letters of a text are of one size, so some are enough: a log has millions.
const MOST_MEASURED = 500;

function isLargeEnough(node) {
  const begin = Math.max(node.data.search(/[^\s\p{M}\p{Cf}]/u), 0);
  const letters = node.data.slice(begin, begin + MOST_MEASURED);
  const range = document.createRange();
  range.setStart(node, begin);
  range.setEnd(node, begin + letters.length);
  const rects = [...range.getClientRects()];
  const count = letters.replace(/[\s\p{M}\p{Cf}]/gu, "").length;
  const across = rects.reduce((sum, { width, height }) => sum + Math.max(width, height), 0);
  return rects.some(({ width, height }) => Math.min(width, height) >= SMALLEST_FONT) && across >= count * LEAST_ADVANCE;
}

// What lies outside of a drawing no scrolling leads to.
function isOffDrawing(element) {
  const drawing = element.ownerSVGElement;
  return drawing !== null && getComputedStyle(drawing).overflowX !== "visible" && !overlap(boxOf(element), boxOf(drawing));
}

// Letters of a drawing that are neither filled nor outlined.
function isUnfilled(style) {
  if (style.fill !== "none" && style.fillOpacity >= FAINT) return false;
  return style.stroke === "none" || style.strokeOpacity < FAINT || !parseFloat(style.strokeWidth);
}

// Its own box is asked even where it only is words in a line: some elements have none, whatever their
// style says (`noscript`).
function hasPlace(element) {
  const box = boxOf(element);
  if (box.width < 1 || box.height < 1 || tagOf(element) === "object") return hasTextBox(element); // it may show something else
  if (isOutOfReach(element, box)) return false;
  return box.left >= -FAR || box.left + scrollX >= -FAR || hasTextBox(element);
}

// A first line that hangs out may still be in its box, or beside it in the window.
function isIndentedAway(element, style, node) {
  const indent = parseFloat(style.textIndent);
  const clips = style.overflowX !== "visible";
  const box = boxOf(element);
  const isFar = style.textIndent.endsWith("%") ? Math.abs(indent) >= 100 : indent <= -200 || (clips && indent >= box.width);
  if (!isFar) return false;
  const range = document.createRange();
  range.selectNodeContents(node);
  const isInWindow = ({ left, right, top }) => right > 0 && left < innerWidth && !isScrolledAway(element, (left + right) / 2, top);
  return !Array.from(range.getClientRects()).some((rect) => rect.width >= 1 && (overlap(rect, box) || (!clips && isInWindow(rect))));
}

function hasTextBox(element) {
  const range = document.createRange();
  for (const child of childrenOf(element)) {
    if (child.nodeType !== Node.TEXT_NODE) continue;
    range.selectNodeContents(child);
    const box = range.getBoundingClientRect();
    if (box.width >= 1 && box.height >= 1 && !isOutOfReach(element, box)) return true;
  }
  return false;
}

// One element by itself, wherever it is: for those who do not walk the page.
function isVisible(element) {
  if (!element.isConnected) return false;
  if (element.localName === "area") return imageOf(element) !== null;
  return seenAlone(element).sight === SEEN && hasBox(element);
}

function seenAlone(element, known = new Map()) {
  const told = known.get(element);
  if (told) return told;
  const parent = parentOf(element);
  const above = parent ? seenAlone(parent, known) : { sight: SEEN, clipped: 0, empty: false };
  const style = getComputedStyle(element);
  const gone = above.sight === GONE || above.empty || isFoldedAway(element, parent);
  const sight = gone ? GONE : judge(element, style, above.clipped);
  const clipped = sight === GONE ? 0 : clippingOf(element, style, above.clipped);
  const found = { sight, clipped, empty: isKeptBack(element, style) };
  known.set(element, found);
  return found;
}

function isFoldedAway(element, parent) {
  return parent?.localName === "details" && !parent.open && summaryOf(parent) !== element;
}

function hasBox(element) {
  const box = boxOf(element);
  if (box.width || box.height) return !isTiny(box) && !isOutOfReach(element, box);
  return [...element.querySelectorAll("*")].slice(0, 100).some((inner) => !isTiny(boxOf(inner)));
}

lib.isVisible = (wanted) => {
  beginReading();
  return isVisible(target(wanted));
};
