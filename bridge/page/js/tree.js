// The tree as it is painted: shadow roots instead of what they replace, slots with what is in them.

// Elements that show something else than their children.
const CHILDLESS = new Set(["audio", "canvas", "embed", "iframe", "frame", "img", "input", "meter", "progress", "select", "textarea", "video"]);
const NOTHING = [];

function childrenOf(element) {
  if (CHILDLESS.has(element.localName)) return NOTHING;
  const inner = shadowOf(element);
  if (inner) return inner.childNodes;
  if (element.localName === "slot") {
    const assigned = element.assignedNodes();
    return assigned.length ? assigned : element.childNodes;
  }
  if (element.localName === "details" && !element.open) {
    const summary = summaryOf(element);
    return summary ? [summary] : NOTHING;
  }
  return siblings(element.firstChild);
}

// Quicker than `childNodes`, whose every item goes through the list.
function siblings(first) {
  if (!first) return NOTHING;
  const found = [];
  for (let node = first; node; node = node.nextSibling) found.push(node);
  return found;
}

// The parent in this tree, or null above the root.
function parentOf(node) {
  return node.assignedSlot ?? node.parentElement ?? node.parentNode?.host ?? null;
}

function isWithin(node, ancestor) {
  for (let at = node; at; at = parentOf(at)) if (at === ancestor) return true;
  return false;
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
