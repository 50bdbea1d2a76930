// The tree as it is painted: shadow roots instead of what they replace, slots with what is in them.

const ELEMENT = Node.ELEMENT_NODE; // each look at `Node` costs as much as a look at the element
const TEXT = Node.TEXT_NODE;

// Elements that show something else than their children.
const CHILDLESS = new Set(["audio", "canvas", "embed", "iframe", "frame", "img", "input", "meter", "progress", "select", "textarea", "video"]);
const NOTHING = [];

// Its children if they are not simply those of the document, else null: most are, and going from
// one to the next is quicker than through a list.
function specialChildren(element) {
  const tag = tagOf(element);
  if (CHILDLESS.has(tag)) return tag === "select" && isOpenInPage(element) ? [...element.children].filter((each) => each.localName !== "button") : NOTHING;
  const inner = shadowOf(element);
  if (inner) return inner.childNodes;
  if (tag === "slot") {
    const assigned = element.assignedNodes();
    return assigned.length ? assigned : null;
  }
  if (tag === "details" && !element.open) {
    const summary = summaryOf(element);
    return summary ? [summary] : NOTHING;
  }
  return null;
}

function childrenOf(element) {
  return specialChildren(element) ?? element.childNodes;
}

function eachChild(element, act) {
  const special = specialChildren(element);
  if (special) for (const child of special) act(child);
  else for (let child = firstOf(element); child; child = nextOf(child)) act(child);
}

function typeOf(node) {
  return node.nodeType;
}

function tagOf(element) {
  return element.localName;
}

function nextOf(node) {
  return node.nextSibling;
}

function firstOf(element) {
  return element.firstChild;
}

// The parent in this tree, or null above the root.
function parentOf(node) {
  return node.assignedSlot ?? node.parentElement ?? node.parentNode?.host ?? null;
}

function isWithin(node, ancestor) {
  for (let at = node; at; at = parentOf(at)) if (at === ancestor) return true;
  return false;
}

// What elements have beside their children, by `aria-owns`: each thing once, with the first who asks
// for it and can be seen, and nothing inside itself. Chrome's tree says the same.
let belongings = new Map(); // owner: elements, in the order it wants them
let ownerOf = new Map();

function forgetOwners() {
  belongings = new Map();
  ownerOf = new Map();
}

function noteOwners(tree, root) {
  for (const owner of tree.querySelectorAll("[aria-owns]")) {
    if (!canOwn(owner) || !isWithin(owner, root)) continue;
    const found = wantedBy(owner).filter((each) => take(owner, each));
    if (found.length) belongings.set(owner, found);
  }
}

function canOwn(owner) {
  if (CHILDLESS.has(owner.localName)) return false;
  return seenAlone(owner, seenBefore).sight !== GONE && !isKeptBack(owner, getComputedStyle(owner));
}

function take(owner, wanted) {
  if (ownerOf.has(wanted)) return false;
  for (let at = owner; at; at = ownerOf.get(at) ?? parentOf(at)) if (at === wanted) return false;
  ownerOf.set(wanted, owner);
  return true;
}

function wantedBy(owner) {
  const tree = owner.getRootNode();
  const ids = owner.getAttribute("aria-owns").split(/\s+/);
  return ids.map((id) => tree.getElementById?.(id)).filter(Boolean);
}

function summaryOf(details) {
  for (const child of details.children) if (child.localName === "summary") return child;
  return null;
}

// The innermost element at a point of the viewport, inside shadow roots as well.
function topmost(x, y) {
  let found = null;
  for (let root = document; root; root = shadowOf(found)) {
    const next = root.elementFromPoint(x, y);
    if (!next || next === found) break;
    found = next;
  }
  return found;
}
