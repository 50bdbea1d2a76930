// Where to press so that an element gets it, and a guard that lets nothing else get it.
//
// Between the look and the press a page may move, cover or replace the element. So the press is
// judged once more when it arrives, before the page sees it: one that would hit something else is
// swallowed, and can be tried again without harm.

const CLICKABLE =
  "a[href], button, input, select, textarea, label, summary, option, [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=option], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=treeitem]";

const HANDLED = `${CLICKABLE}, [onclick]`;
const KEPT_FROM_LABELS = "a[href], button, input, select, textarea"; // no press on one in a label is one on its field

// Whether what is hit at a point passes it on to the element.
function receives(hit, element) {
  if (isWithin(hit, element)) return true;
  const own = ownLabelAt(hit, element);
  if (own) return !isTakenBefore(hit, element, KEPT_FROM_LABELS, own) || placeOf(element)?.element === own;
  const label = nearest(element, "label, a[href], button");
  if (label?.control && isWithin(hit, label.control)) return true;
  const around = nearest(element, HANDLED);
  return around !== null && isWithin(hit, around) && !isTakenBefore(hit, element, HANDLED);
}

// Whether something takes a press before it comes to what is around the element as well, or to its label.
function isTakenBefore(hit, element, takers, label = null) {
  for (let at = hit; at !== label && !isWithin(element, at); at = parentOf(at)) if (at.matches(takers)) return true;
  return false;
}

function nearest(element, selector) {
  for (let at = element; at; at = parentOf(at)) if (at.matches(selector)) return at;
  return null;
}

// Whether what is hit lets the element have what is dropped there. While something is dragged, pages
// switch pointer events off below it, and have a copy or a shield of their own under the pointer.
function letsDrop(hit, element) {
  if (isWithin(element, hit) && getComputedStyle(element).pointerEvents === "none") return true;
  const under = guard?.at ? topmost(...guard.at) : null;
  return under !== null && (isWithin(hit, under) || isWithin(under, hit));
}

// Controls inside another one that take a press for themselves: the delete button of a card, a link
// in the label of a checkbox, the items below an item of a tree.
const TAKERS = `${CLICKABLE}, [tabindex]:not([tabindex^="-"]), [onclick], [contenteditable], audio[controls], video[controls]`;
const MADE_OF_PARTS = /^(?:combobox|listbox|scrollbar|searchbox|slider|spinbutton|textbox)$/;

function takerAt(hit, element, around) {
  let taker = null;
  for (let at = hit; at !== around; at = parentOf(at)) {
    if (!at) return null; // nothing inside it
    if (at.matches(TAKERS) && at !== element && at !== element.control && at.control !== element) taker ??= at;
  }
  return taker;
}

// Whether a press on it is meant for itself, and not for whatever it holds.
function isOneThing(element) {
  const role = roleOf(element);
  if (MADE_OF_PARTS.test(role)) return false;
  if (element.localName === "label") return true;
  const parent = parentOf(element);
  const hand = hasHand(element, getComputedStyle(element)) && !(parent && hasHand(parent, getComputedStyle(parent)));
  return isUsable(element, role, hand);
}

// Boxes of its words and pictures that no control inside it holds; none where it only wraps controls.
const MOST_OWN = 20;
const PICTURES = new Set(["img", "svg", "canvas", "picture"]);

function ownRects(element, around) {
  const found = [];
  const range = document.createRange();
  const look = (node) => {
    if (found.length >= MOST_OWN) return;
    if (node.nodeType === Node.TEXT_NODE && !isBlank(node.data)) {
      range.selectNodeContents(node);
      found.push(...range.getClientRects());
    } else if (node.nodeType === Node.ELEMENT_NODE && !takerAt(node, element, around)) {
      if (PICTURES.has(node.localName)) found.push(node.getBoundingClientRect());
      else eachChild(node, look);
    }
  };
  eachChild(around, look);
  return found.filter(({ width, height }) => width && height);
}

function spotBeside(element, around, own) {
  for (const [x, y] of pointsIn(own, MOST_OWN)) {
    const hit = topmost(x, y);
    if (hit && receives(hit, element) && !takerAt(hit, element, around)) return { x, y, hit };
  }
  return null;
}

// The point to press, or to drop at, and what is hit there: {x, y, hit}, or NotYet with what covers
// the element. `scroll` allows to scroll. A frame inside gets the press if all there is of the
// element is below it; a control inside, its `taker`, if nothing else of the element can be pressed.
function spotOf(element, place, scroll, dropping = false) {
  let covering = null;
  let hollow = false;
  let taken = null;
  const choosy = !dropping && isOneThing(element);
  for (const align of scroll ? [null, "center", "start", "end", "center"] : [null]) {
    if (align) place.element.scrollIntoView({ block: align, inline: "center", behavior: "instant" });
    if (align === "center" && element.localName === "area") scrollToArea(element);
    const { rects } = align ? (placeOf(element) ?? { rects: [] }) : place;
    let inner = null;
    let own = null;
    taken = null;
    for (const [x, y] of pointsIn(rects)) {
      const hit = topmost(x, y);
      if (!hit) continue;
      const gets = receives(hit, element) || (dropping && letsDrop(hit, element));
      const taker = gets && choosy ? takerAt(hit, element, place.element) : null;
      if (taker) own ??= ownRects(element, place.element);
      if (taker && !own.length) return { x, y, hit }; // that is all there is of it
      if (taker) taken ??= { x, y, hit, taker };
      else if (gets && (hit === element || !INNER_FRAMES.has(hit.localName))) return { x, y, hit };
      else if (gets) inner ??= { x, y, hit };
      else covering = hit;
    }
    if (inner) return inner;
    const beside = taken ? spotBeside(element, place.element, own) : null;
    if (beside) return beside;
    if (taken) continue;
    hollow = covering !== null && isHollow(element, place.element, rects);
    const spot = hollow ? spotInShape(element, rects) : null;
    if (spot) return spot;
    if (hollow && rects.every(isAllInView)) break; // elsewhere there is no more of it
  }
  if (taken) return taken;
  if (getComputedStyle(element).pointerEvents === "none") return notActionable("it takes no pointer events (pointer-events: none)");
  const modal = covering && (nearest(covering, ":modal") ?? document.querySelector(":modal"));
  if (modal && !isWithin(element, modal)) return notActionable(`it is behind the modal ${coverName(modal, element)}`, { covered: true });
  if (hollow) return notActionable("no part of it can be pressed: it is cut away, or nothing but an outline", { covered: true });
  if (!covering) return notActionable("it is outside of what can be scrolled into view");
  return notActionable(`it is covered by ${coverName(covering, element)}`, { covered: true });
}

const INNER_FRAMES = new Set(["iframe", "frame", "fencedframe"]); // an object may be a mere picture
const INSETS = [[0.5, 0.5], [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75], [0.5, 0.1], [0.5, 0.9], [0.1, 0.5], [0.9, 0.5]];

// Points of what is in view: the centre of the first box, then others.
function* pointsIn(rects, most = 3) {
  const seen = rects.map(inViewport).filter((rect) => rect !== null);
  for (const [right, down] of INSETS) {
    for (const rect of seen.slice(0, most)) yield [rect.left + rect.width * right, rect.top + rect.height * down];
  }
}

function inViewport(rect) {
  const left = Math.max(rect.left, 0);
  const top = Math.max(rect.top, 0);
  const width = Math.min(rect.right, innerWidth) - left;
  const height = Math.min(rect.bottom, innerHeight) - top;
  return width > 0 && height > 0 ? { left, top, width, height } : null;
}

function isAllInView({ left, top, right, bottom }) {
  return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
}

const LONGEST_LINE = 200; // of the page's own words in an error

// The outermost element that covers without holding the other one: quoted, a selector and a line.
function coverName(hit, element) {
  let cover = hit;
  for (let at = hit; at && !isWithin(element, at) && at !== document.body; at = parentOf(at)) cover = at;
  beginReading();
  const id = cover.id ? `#${cover.id}` : "";
  const kind = [...cover.classList].slice(0, 2).map((each) => `.${each}`).join("");
  const tag = clean(`${cover.localName}${id}${kind}`).slice(0, 80);
  return quoted(`${tag} (${lineOf(cover).slice(2, 160)})`, LONGEST_LINE);
}

// The guard.

const GUARDED = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
const DRAGS = ["dragstart", "dragend"];
const CLICKS = ["click", "auxclick"];
const GUARD_MS = 2000; // a press that has not come by then will not: ours take some milliseconds
const DRAG_MS = 10000;
let guard = null;

// A page that is left and kept may come back with this still here, beside the next library: a guard
// that nobody waits for would swallow every press.
addEventListener("pagehide", () => lib.standDown());

// `element` null: no press at all should arrive in this document. `taker`: who gets it inside of it.
function expectPress(element, taker = null) {
  standDown();
  guard = { element, taker, presses: 0, clicks: 0, menus: 0, missed: null, swallowing: false, at: null, last: null, program: null, drag: null, drop: null, relieve: later(GUARD_MS, standDown) };
  for (const type of GUARDED) addEventListener(type, judgePress, { capture: true, passive: false });
  for (const type of DRAGS) addEventListener(type, noteDrag, true);
  for (const type of CLICKS) addEventListener(type, keepHere);
}

function standDown() {
  guard?.relieve();
  for (const type of GUARDED) removeEventListener(type, judgePress, { capture: true });
  for (const type of DRAGS) removeEventListener(type, noteDrag, true);
  for (const type of CLICKS) removeEventListener(type, keepHere);
  const seen = guard;
  guard = null;
  return seen;
}

function judgePress(event) {
  if (!event.isTrusted || !guard) return;
  if (event.type === "pointerdown") judgeDown(event);
  if (guard.swallowing) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (event.type === "click" || event.type === "auxclick") {
    guard.last = event;
    if (lands(event.composedPath()[0], guard.element)) guard.clicks++;
  } else if (event.type === "contextmenu") guard.menus++;
}

function judgeDown(event) {
  const hit = topmost(event.clientX, event.clientY);
  guard.swallowing = !guard.element || !hit || !guard.element.isConnected || !receives(hit, guard.element);
  if (guard.swallowing) guard.missed ??= hit && guard.element ? coverName(hit, guard.element) : "something else";
  else {
    guard.presses++;
    guard.at = [event.clientX, event.clientY];
  }
  guard.relieve(); // what was swallowed is to be told at the end of a drag as well
  guard.relieve = later(DRAG_MS, standDown);
}

function noteDrag(event) {
  if (!guard) return;
  if (event.type === "dragstart") guard.drag = event;
  else guard.drop = event.dataTransfer?.dropEffect ?? "none";
}

// In a closed shadow root the path begins at its host.
function lands(first, element) {
  if (receives(first, element)) return true;
  for (let host = element.getRootNode().host; host; host = host.getRootNode().host) if (host === first) return true;
  return false;
}

// A link for another program (`tel:`, `zoommtg:`) makes Chrome ask a person, in a window of its own that
// takes every press and key of the tab until somebody answers (Chrome 156, Linux): behind all that the
// page does with the click, it is kept from that. Mail is not asked about.
const OF_BROWSERS = /^(?:about|blob|chrome|chrome-extension|data|file|filesystem|https?|javascript|mailto|view-source|web\+.*):/i;

function keepHere(event) {
  if (!event.isTrusted || event.defaultPrevented || !guard) return;
  const address = addressFor(event);
  if (!/^[a-z][a-z\d+.-]*:/i.test(address) || OF_BROWSERS.test(address)) return;
  event.preventDefault();
  guard.program = cut(clean(address), LONGEST_LINE);
}

// Of the innermost link around a click, which may be in a closed shadow root.
function addressFor(event) {
  const path = event.composedPath();
  const around = [];
  for (let at = shadowOf(path[0]) ? topmost(event.clientX, event.clientY) : null; at; at = parentOf(at)) around.push(at);
  const links = [...around, ...path].filter((each) => /^(?:a|area)$/.test(each.localName));
  return links.map(({ href }) => (href?.baseVal ?? String(href)).trim()).find(Boolean) ?? "";
}
