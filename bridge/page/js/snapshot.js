// The page as lines of text, and what is needed to put the frames' lines into them.

let lines = [];
let owners = []; // by line: the element it is about
let frames = []; // [line, number of the iframe's ref, visible part of it in its own coordinates]
const INDENTS = [""];

function indent(depth) {
  return (INDENTS[depth] ??= "  ".repeat(depth));
}

function print(nodes, depth) {
  for (const node of nodes) {
    if (node.text !== undefined) {
      if (!interactiveOnly) put(`${indent(depth)}- text: ${textTold(node)}`, node.element);
    } else if (interactiveOnly && !node.ref) print(node.kids, depth);
    else printNode(node, depth);
  }
}

function textTold({ text, node }) {
  return cut(text, LONGEST_TEXT) + (node && isBuried(node) ? " [covered]" : "");
}

function put(line, element) {
  lines.push(line);
  owners.push(element);
}

function printNode(node, depth) {
  let { kids } = node;
  let said = node.value;
  if (!said && !node.usable && kids.length && kids[0].text !== undefined) {
    said = textTold(kids[0]);
    kids = kids.slice(1);
  } else if (said) said = cut(said, /^(?:math|options|row)$/.test(node.role) ? LONGEST_TEXT : LONGEST_VALUE);
  if ((node.role === "iframe" || node.role === "embed") && node.ref) frames.push([lines.length, node.ref, depth, windowOf(node.element)]);
  put(`${indent(depth)}- ${headOf(node)}${said ? `: ${said}` : ""}`, node.element);
  const head = lines.length - 1;
  print(kids, depth + 1);
  if (!said && lines.length - 1 > head) lines[head] += ":";
}

function headOf(node) {
  const name = node.name ? ` ${quoted(node.name)}` : "";
  const ref = node.ref ? ` [ref=${node.ref}]` : "";
  if (node.source === "content" && !node.usable && isBuried(node.element)) node.marks.push("covered");
  return `${node.role}${name}${ref}${node.marks.map((mark) => ` [${mark}]`).join("")}`;
}

lib.number = refOf;

// The part of a frame that can be seen, in the coordinates of its own document.
function windowOf(frame) {
  const box = boxOf(frame);
  const left = box.left + frame.clientLeft;
  const top = box.top + frame.clientTop;
  const { view } = reading;
  return [view.left - left, view.top - top, view.right - left, view.bottom - top];
}

let reading = { view: null };

function snapshotOf(root, { only = false, view = null, most = Infinity } = {}) {
  beginReading();
  beginCounting(most);
  nesting = 0;
  labelled = null;
  veiled = [];
  lines = [];
  owners = [];
  frames = [];
  interactiveOnly = only;
  reading.view = viewOf(view);
  const nodes = [];
  forgetOwners();
  noteOwners(root.getRootNode(), root);
  if (seenAlone(root, seenBefore).sight !== GONE) visit(root, nodes, startAt(root));
  endRun(nodes);
  print(nodes, 0);
}

function viewOf(view) {
  const [left, top, right, bottom] = view ?? [0, 0, innerWidth, innerHeight];
  return { left: Math.max(left, 0), top: Math.max(top, 0), right: Math.min(right, innerWidth), bottom: Math.min(bottom, innerHeight) };
}

// Lines in view, as numbers.
function linesInView() {
  const found = [];
  for (let index = 0; index < owners.length; index++) if (overlap(boxOf(owners[index]), reading.view)) found.push(index);
  return found;
}

function sizeOfLines() {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function release() {
  beginReading();
  beginCounting(Infinity);
  forgetOwners();
  owners = [];
}

lib.snapshot = (wanted, options) => {
  const root = wanted ? target(wanted) : document.documentElement;
  if (!root) return { text: "", frames: [], inView: null, suspects: 0, internals: 0 }; // it is being written anew
  const { bytes } = options;
  const brief = options.brief && isLarge(root);
  snapshotOf(root, brief ? { ...options, most: 2 * bytes } : options);
  if (isBrief && sizeOfLines() < bytes) snapshotOf(root, options); // it was less than it seemed
  const text = lines.join("\n");
  const isCut = bytes && (frames.length || text.length > bytes / 4); // or may be
  const inView = isCut ? linesInView() : null;
  const answer = { text, frames, inView, ...unread(root), ...askable(), ...veiledTold() };
  release();
  return answer;
};

// On its first walk V8 learns what kinds of elements there are. A short one beforehand, of which nothing
// is kept, spares the first reading that: a tenth of it. Who asks for something first has waited enough.
const REHEARSED = 400; // elements, 4 to 8 ms
const LARGE = 20000; // it would be laid out for this alone

function rehearse() {
  if (wasCalled || !document.body || document.getElementsByTagName("*").length > LARGE) return;
  rehearsing = true;
  affordable = REHEARSED;
  try {
    snapshotOf(document.body);
  } catch {
    // A reading says it to whoever asked for one; here the console would, in the name of the page.
  } finally {
    rehearsing = false;
    affordable = Infinity;
    release();
  }
}

let wasCalled = false;

lib.rehearse = () => void later(0, rehearse);

// One line about an element, as a snapshot has it.
function lineOf(element) {
  beginReading();
  const at = startAt(element);
  const style = getComputedStyle(element);
  const role = roleOf(element);
  const usable = isUsable(element, role, hasHand(element, style) && !at.pointer);
  const node = nodeOf(element, role, usable, at);
  node.ref = refOf(element);
  if (!node.name && node.value === undefined) node.name = clean(element.innerText ?? element.textContent ?? "") || clean(tipOf(element));
  const said = node.value ? `: ${cut(node.value, LONGEST_VALUE)}` : "";
  return `- ${headOf(node)}${said}`;
}

lib.lineOf = (wanted) => lineOf(target(wanted));
