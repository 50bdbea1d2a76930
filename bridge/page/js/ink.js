// Text in the colour of what is behind it. Said only when it is certain: nothing else that paints
// may lie between, for white words on a picture are white words on a white page as well.

const CLEAR = "rgba(0, 0, 0, 0)";
const PAINTERS = new Set(
  "canvas circle ellipse embed iframe image img input line object path picture polygon polyline rect svg use video".split(" "),
);

// What is painted behind the content of an element: a colour, and whose it is.
function groundOf(element, style, below) {
  const color = style.backgroundColor;
  if (color === CLEAR || style.display === "contents") return below;
  if (style.position !== "static") walls.push(element);
  if (color === below.color) return below;
  return style.backgroundClip.includes("text") ? below : { color, element };
}

function firstGround() {
  const root = document.documentElement;
  if (paper.boxes !== boxes) paper = { boxes, color: isFramed || isDark(schemeOf(root)) ? "" : "rgb(255, 255, 255)" };
  return { color: paper.color, element: root };
}

const isFramed = window !== window.parent; // then the page around it shows through where it paints nothing
let paper = { boxes: null, color: "" }; // what a page is painted on; by reading

// A style says it of the root, or a page in its head.
function schemeOf(root) {
  const { colorScheme } = getComputedStyle(root);
  return colorScheme === "normal" ? document.querySelector("meta[name=color-scheme i]")?.getAttribute("content") ?? "" : colorScheme;
}

function isDark(scheme) {
  const said = scheme.toLowerCase().split(/\s+/);
  return said.includes("dark") && (!said.includes("light") || matchMedia("(prefers-color-scheme: dark)").matches);
}

// Letters are filled (with `color`, unless said otherwise), outlined and shadowed. An ink that lets
// everything through shows them as little as one in the colour of the ground.
function isInvisibleInk(element, style, ground) {
  const shows = (color) => !isFaintInk(color) && !isSameInk(color, ground.color);
  const isDrawn = element.namespaceURI === SVG;
  const fill = isDrawn ? style.fill : style.webkitTextFillColor;
  if (fill.includes("url(") || (fill !== "none" && shows(fill))) return false;
  const others = style.textShadow === "none" ? [] : style.textShadow.match(COLOURS) ?? [];
  if (isDrawn && style.stroke !== "none") others.push(style.stroke);
  if (!isDrawn && parseFloat(style.webkitTextStrokeWidth)) others.push(style.webkitTextStrokeColor);
  if (others.some((ink) => ink.includes("url(") || shows(ink)) || isSeenThrough(element, style, shows)) return false;
  return [fill, ...others].every(isFaintInk) || isCertainlyHidden(element, ground);
}

const ALPHA = /(?:^rgba\(.*,|\/) ([\d.e-]+)\)$/; // rgba(0, 0, 0, 0), oklch(0 0 0 / 0)

function isFaintInk(color) {
  return ALPHA.exec(color)?.[1] < FAINT;
}

const NEAR = 4; // of 255, in each of the three: no eye tells them apart
const sameInks = new Map(); // both colours -> whether

// Of an ink that lets some of the ground through nothing is seen either, where that is its colour.
function isSameInk(color, ground) {
  if (color === ground) return true;
  if (!isOpaque(ground)) return false;
  const both = color + ground;
  let same = sameInks.get(both);
  if (same === undefined) {
    const [one, other] = [color, ground].map(partsOf);
    sameInks.set(both, (same = one.every((part, index) => Math.abs(part - other[index]) <= NEAR)));
  }
  return same;
}

// Of another form than rgb() Chrome tells what is not sRGB, `oklch(1 0 0)`, and what is mixed.
function isOpaque(color) {
  return color.startsWith("rgb(") || (color !== "" && !color.startsWith("rgba(") && !color.includes("/"));
}

let palette = null; // where Chrome itself works such a colour out

function partsOf(color) {
  if (color.startsWith("rgb")) return color.match(/[\d.]+/g).slice(0, 3).map(Number);
  palette ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  palette.fillStyle = color.replace(/ \/ .*/, ")");
  palette.fillRect(0, 0, 1, 1);
  return [...palette.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

// Whether letters are cut out of a ground that shows; `style` may be that of a text which a style writes.
function isSeenThrough(element, style, shows) {
  const shines = ({ backgroundClip, backgroundColor, backgroundImage }) => backgroundClip.includes("text") && (backgroundImage !== "none" || shows(backgroundColor));
  if (shines(style)) return true;
  for (let at = element; at; at = parentOf(at)) if (shines(getComputedStyle(at))) return true;
  return false;
}

const ON_TOP = ":modal, :popover-open, :fullscreen"; // has a curtain behind it, and anything of the page

function isCertainlyHidden(element, ground) {
  for (let at = element; at; at = parentOf(at)) {
    const own = getComputedStyle(at);
    if (own.backgroundImage !== "none" || own.boxShadow.includes("inset") || own.filter !== "none" || own.mixBlendMode !== "normal") return false;
    if (isPainted(getComputedStyle(at, "::before")) || isPainted(getComputedStyle(at, "::after"))) return false;
    if (at === ground.element) break;
    if (at.matches(ON_TOP)) return false;
  }
  const box = edgesOf(boxOf(element));
  return !paintersIn(ground.element).some((other) => overlap(other.box, box) && !isWithin(element, other.element));
}

function isPainted(pseudo) {
  if (pseudo.content === "none" || pseudo.content === "normal") return false;
  return pseudo.backgroundColor !== CLEAR || pseudo.backgroundImage !== "none";
}

function paintsItself(element) {
  if (PAINTERS.has(element.localName)) return true;
  const style = getComputedStyle(element);
  if (style.backgroundColor !== CLEAR || style.backgroundImage !== "none" || style.boxShadow !== "none") return true;
  if (["Top", "Left", "Bottom"].some((side) => parseFloat(style[`border${side}Width`]))) return true;
  return ["::before", "::after"].some((which) => !/^(?:none|normal)$/.test(getComputedStyle(element, which).content));
}

let painters = new Map(); // ground element -> what paints inside it

function paintersIn(ground) {
  let found = painters.get(ground);
  if (found) return found;
  found = [];
  const walker = document.createTreeWalker(ground, NodeFilter.SHOW_ELEMENT);
  for (let at = walker.nextNode(); at; at = walker.nextNode()) {
    const style = getComputedStyle(at);
    const paints = PAINTERS.has(at.localName) || style.backgroundImage !== "none" || style.backgroundColor !== CLEAR;
    if (paints) found.push({ element: at, box: paintedBox(at, style) });
  }
  painters.set(ground, found);
  return found;
}

// Of a line that is drawn, Chrome tells the box without its breadth.
function paintedBox(element, { stroke, strokeWidth }) {
  const { left, top, right, bottom } = boxOf(element);
  const matrix = stroke !== "none" && element instanceof SVGGeometryElement ? element.getScreenCTM() : null;
  const half = matrix ? (parseFloat(strokeWidth) * Math.hypot(matrix.a, matrix.b)) / 2 : 0;
  return { left: left - half, top: top - half, right: right + half, bottom: bottom + half };
}

// In numbers of our own: to ask a box of Chrome's takes many times as long.
function edgesOf({ left, top, right, bottom }) {
  return { left, top, right, bottom };
}

function overlap(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
