// The tree as it is painted: shadow roots instead of what they replace, slots with what is in them.

// Elements that show something else than their children.
const CHILDLESS = new Set(["audio", "canvas", "embed", "iframe", "frame", "img", "input", "meter", "progress", "select", "textarea", "video"]);
const NOTHING = [];

// Its children if they are not simply those of the document, else null: most are, and going from
// one to the next is quicker than through a list.
function specialChildren(element) {
  if (CHILDLESS.has(element.localName)) return NOTHING;
  const inner = shadowOf(element);
  if (inner) return inner.childNodes;
  if (element.localName === "slot") {
    const assigned = element.assignedNodes();
    return assigned.length ? assigned : null;
  }
  if (element.localName === "details" && !element.open) {
    const summary = summaryOf(element);
    return summary ? [summary] : NOTHING;
  }
  return null;
}

function childrenOf(element) {
  return specialChildren(element) ?? element.childNodes;
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
