// What a style cuts off of an element, or masks: where next to nothing is left, nobody sees anything.

const COLOURS = /\b(?:rgba?|color|lab|lch|oklab|oklch)\([^()]*\)/g; // as Chrome tells them
const PIECES = /[\w-]+\([^()]*\)|[^\s,]+/g; // lengths, sums of them as one
const DRAWN = 64; // pixels each way: shapes are drawn so large to see whether there is anything to them
const LEAST_DRAWN = 9; // square pixels of the page

function isEmptyRect(clip) {
  const sizes = clip.match(/-?[\d.]+px|auto/g)?.map(parseFloat) ?? [];
  const [top, right, bottom, left] = sizes;
  return right - left <= 1 || bottom - top <= 1;
}

function isEmptyClip(path, element) {
  const [, shape, inner] = /^(inset|circle|ellipse|polygon|path|shape)\((.*)\)(?: [a-z]+-box)?$/.exec(path) ?? [];
  if (!shape || (element.offsetWidth === undefined && /[1-9]\d*(?:\.\d+)?px/.test(inner))) return false; // in a drawing a pixel is of any size
  const { width, height } = boxOf(element);
  const size = [element.offsetWidth ?? width, element.offsetHeight ?? height];
  if (shape === "inset") return isInsetAway(inner, size);
  const reach = [Math.max(size[0], element.scrollWidth), Math.max(size[1], element.scrollHeight)]; // what overflows it is cut as well
  if (shape === "circle" || shape === "ellipse") return isRoundAway(shape, inner, size, reach);
  const drawing = shape === "path" ? /"(.*)"/.exec(inner)?.[1] : shape === "polygon" ? polygonPath(inner, size) : shapePath(inner, size);
  return drawing !== undefined && isBlankPath(drawing, reach);
}

// NaN for what is no plain length.
function lengthOf(text, whole) {
  if (!/^(?:calc\([^()]*\)|-?[\d.]+(?:e-?\d+)?(?:px|%)?)$/.test(text)) return NaN;
  let sum = 0;
  for (const [, minus, number, unit] of text.matchAll(/(- )?(-?[\d.]+(?:e-?\d+)?)(px|%)?/g)) sum += (minus ? -1 : 1) * number * (unit === "%" ? whole / 100 : 1);
  return sum;
}

function isInsetAway(inner, [width, height]) {
  const pieces = inner.split(" round ")[0].match(PIECES);
  const [top, right = top, bottom = top, left = right] = pieces;
  const isAway = (one, other, whole) => {
    const cut = lengthOf(one, whole) + lengthOf(other, whole);
    return cut > 0 && whole - cut < SMALLEST;
  };
  return isAway(top, bottom, height) || isAway(left, right, width);
}

function isRoundAway(shape, inner, [width, height], [across, down]) {
  const [sizes, at = "50% 50%"] = inner.split(/ ?\bat /);
  const [first, second = first] = sizes.match(PIECES) ?? [];
  const round = shape === "circle" ? Math.hypot(width, height) / Math.SQRT2 : 0;
  const [wide, high] = [lengthOf(first ?? "", round || width), lengthOf(second ?? "", round || height)];
  if (wide === 0 || high === 0) return true;
  const [place, below] = at.match(PIECES);
  const [x, y] = [lengthOf(place, width), lengthOf(below, height)];
  return x + wide <= 0 || y + high <= 0 || x - wide >= across || y - high >= down;
}

function polygonPath(inner, size) {
  const points = inner.replace(/^(?:evenodd|nonzero), /, "").match(PIECES).map((piece, index) => lengthOf(piece, size[index % 2]));
  return points.some(Number.isNaN) ? undefined : `M${points.join(" ")}Z`;
}

// Straight lines only: what is bent is taken for something.
const LINES = { from: "M", move: "M", line: "L", hline: "H", vline: "V", close: "Z" };

function shapePath(inner, size) {
  const steps = inner.replace(/^(?:evenodd|nonzero) /, "").split(", ").map((step) => {
    const [, verb, , by, rest] = /^([a-z]+)( (?:to|(by)))? ?(.*)$/.exec(step) ?? [];
    const axes = verb === "vline" ? [1] : [0, 1];
    const lengths = (rest?.match(PIECES) ?? []).map((piece, index) => lengthOf(piece, size[axes[index]]));
    return Object.hasOwn(LINES, verb) && !lengths.some(Number.isNaN) ? `${by ? LINES[verb].toLowerCase() : LINES[verb]}${lengths.join(" ")}` : undefined;
  });
  return steps.includes(undefined) ? undefined : steps.join("");
}

const MOST_SHAPES = 10_000; // shapes of a page that goes on changing them
const blankPaths = new Map(); // a path and the size it is for -> whether
let easel = null;

function isBlankPath(drawing, [width, height]) {
  if (!(width > 0 && height > 0)) return false;
  const key = `${drawing} ${width} ${height}`;
  let blank = blankPaths.get(key);
  if (blank === undefined) {
    if (blankPaths.size >= MOST_SHAPES) blankPaths.clear();
    easel ??= new OffscreenCanvas(DRAWN, DRAWN).getContext("2d", { willReadFrequently: true });
    easel.setTransform(1, 0, 0, 1, 0, 0);
    easel.clearRect(0, 0, DRAWN, DRAWN);
    easel.setTransform(DRAWN / width, 0, 0, DRAWN / height, 0, 0);
    easel.fill(new Path2D(drawing));
    const pixels = easel.getImageData(0, 0, DRAWN, DRAWN).data;
    let drawn = 0;
    for (let at = 3; at < pixels.length; at += 4) drawn += pixels[at];
    blankPaths.set(key, (blank = ((drawn / 255) * width * height) / DRAWN ** 2 < LEAST_DRAWN));
  }
  return blank;
}

const clearMasks = new Map(); // an image -> whether it lets nothing through

// A mask of nothing but colours that let nothing through, or without a size.
function isMaskedAway({ maskImage, maskSize }) {
  let clear = clearMasks.get(maskImage);
  if (clear === undefined) {
    if (clearMasks.size >= MOST_SHAPES) clearMasks.clear();
    const colours = maskImage.includes("url(") ? [] : maskImage.match(COLOURS) ?? [];
    clearMasks.set(maskImage, (clear = colours.length > 0 && colours.every(isFaintInk)));
  }
  if (clear || maskSize === "auto") return clear;
  return maskSize.split(", ").every((size) => /(?:^| )0(?:px|%)(?: |$)/.test(size));
}
