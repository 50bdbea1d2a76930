// Large parts further down that are transparent for now, or hidden in their place. Libraries that let a
// page show itself as it is scrolled begin with them like that; so does what is never shown. A reader
// gets none of their words, but hears that they are there.

const LEAST_VEILED = 10_000; // square pixels: what is less shows itself under the mouse, say
const MOST_VEILED = 100;

let veiled = []; // outermost ones, met in this reading

function noteVeiled(element, style) {
  if (veiled.length >= MOST_VEILED || !isInFlow(style)) return;
  if (style.opacity >= FAINT && (style.visibility !== "hidden" || isHiddenAround(element))) return;
  const box = boxOf(element);
  const isBelow = box.top >= innerHeight && box.right > 0 && box.left < innerWidth;
  if (isBelow && box.width * box.height >= LEAST_VEILED && !isBlank(element.textContent)) veiled.push(element);
}

function isInFlow({ position }) {
  return position === "static" || position === "relative" || position === "sticky";
}

function isHiddenAround(element) {
  const parent = parentOf(element);
  return parent === null || getComputedStyle(parent).visibility !== "visible";
}

// How many, and refs of the first.
function veiledTold() {
  return veiled.length ? { veiled: { count: veiled.length, refs: veiled.slice(0, 3).map(refOf) } } : {};
}
