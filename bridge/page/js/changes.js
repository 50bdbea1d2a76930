// What an action changed, in a few lines: what appeared (+), went (-) or says something else (~).
//
// Added and rewritten nodes are told by an observer. What is shown or hidden by a style can only be
// found by comparing: so what is hidden is noted before, down to MOST_WALKED elements, and what was
// given a ref is looked at again, for that is what the reader knows.

const MOST_WALKED = 1500; // elements; about 1 ms
const MOST_KNOWN = 2000;
const MOST_NOTED = 500; // nodes of one kind; more is a new page rather than a change
const MOST_BYTES = 1000;
const MOST_FRESH = 20; // lines of one thing that appeared, so that others have room
const MOST_GONE = 8;
const WATCH_MS = 20000; // what an action has started is over by then, or its answer was given
const NOT_SHOWN = new Set(["script", "style", "template", "noscript", "link", "meta", "option", "optgroup", "datalist", "source", "track", "area", "param", "head", "title", "base"]);
const STRICT = { visibilityProperty: true, opacityProperty: true };
const OBSERVED = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
  attributeOldValue: true,
  attributeFilter: [
    "open", "disabled", "readonly", "placeholder", "alt", "title", "href", "src", "aria-label", "aria-expanded", "aria-checked", "aria-selected",
    "aria-pressed", "aria-invalid", "aria-disabled", "aria-current", "aria-busy", "aria-valuenow", "aria-valuetext",
  ],
};

const OF_FIELDS = ["input", "change", "play", "pause"];

let watched = null;

function startWatching(element = null) {
  stopWatching();
  const observer = new MutationObserver(note);
  for (const root of rootsAround(element)) observer.observe(root, OBSERVED);
  const known = knownShown();
  watched = { observer, hidden: hiddenRoots(), known, held: known.map(settingOf), added: new Set(), removed: new Set(), changed: new Set(), relisted: new Set(), focus: deepFocus(), forget: later(WATCH_MS, stopWatching) };
  for (const type of OF_FIELDS) addEventListener(type, noteField, true);
}

function stopWatching() {
  watched?.observer.disconnect();
  watched?.forget();
  watched = null;
  for (const type of OF_FIELDS) removeEventListener(type, noteField, true);
}

function* rootsAround(element) {
  yield document;
  for (let root = element?.getRootNode(); root?.host; root = root.host.getRootNode()) yield root;
}

function hiddenRoots() {
  const found = [];
  const judgeShown = (each) => {
    if (NOT_SHOWN.has(each.localName)) return NodeFilter.FILTER_REJECT;
    if (each.checkVisibility(STRICT)) return each.localName === "select" ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    found.push(each);
    return NodeFilter.FILTER_REJECT;
  };
  const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_ELEMENT, judgeShown);
  for (let count = 0; count < MOST_WALKED && walker.nextNode(); count++);
  return found;
}

function knownShown() {
  const found = [];
  for (const held of elements.values()) {
    const element = held.deref();
    if (element?.isConnected && element.checkVisibility(STRICT)) found.push(element);
    if (found.length === MOST_KNOWN) break;
  }
  return found;
}

// What a field is set to. A script that sets it makes no event, and nothing the observer hears of.
const SETTABLE = new Set(["input", "select", "textarea"]);

function settingOf(element) {
  const tag = element.localName;
  if (!SETTABLE.has(tag)) return null;
  if (tag === "select") return Array.from(element.selectedOptions, (option) => option.value).join("\n");
  return /^(checkbox|radio)$/.test(element.type) ? checkedOf(element) : element.value;
}

function noteSettings() {
  const { known, held } = watched;
  for (const [index, field] of known.entries()) if (held[index] !== null && settingOf(field) !== held[index]) keep(watched.changed, field);
}

function note(records) {
  for (const { type, target: changed, addedNodes, removedNodes, attributeName, oldValue } of records) {
    if (type === "childList") {
      const list = changed.closest?.("select");
      if (list) {
        watched.relisted.add(list);
        keep(watched.changed, list);
      }
      for (const node of addedNodes) keep(watched.added, node.nodeType === Node.ELEMENT_NODE ? node : null, watched.changed, changed);
      for (const node of removedNodes) keep(watched.removed, node.nodeType === Node.ELEMENT_NODE ? node : null, watched.changed, changed);
    } else if (type === "characterData") keep(watched.changed, changed.parentElement);
    else if (changed.getAttribute(attributeName) !== oldValue) keep(watched.changed, changed); // and not the same set again
  }
}

// An element, or the one around a text.
function keep(set, node, others = null, around = null) {
  if (node) {
    if (set.size < MOST_NOTED) set.add(node);
  } else if (around && around.nodeType === Node.ELEMENT_NODE && others.size < MOST_NOTED) others.add(around);
}

function noteField(event) {
  const field = event.composedPath()[0];
  if (watched && field instanceof Element) keep(watched.changed, field);
}

// Something is about to show itself: it has begun, and cannot be seen yet.
function isAppearing() {
  return Boolean(watched) && watched.hidden.some((each) => isFadingIn(each));
}

// Itself, or with the part of a shadow root it has its place in.
function isFadingIn(element) {
  if (!element.isConnected || !element.checkVisibility({ visibilityProperty: true })) return false;
  for (let at = element; at && !at.checkVisibility(STRICT); at = parentOf(at)) if (at.getAnimations().some(isUnderWay)) return true;
  return false;
}

// The lines; "" if nothing a person sees has changed.
function changesTold() {
  if (!watched) return "";
  note(watched.observer.takeRecords());
  noteSettings();
  const told = new Map(); // line -> sign; each line once
  const fresh = appeared();
  const drawn = [];
  let untold = 0;
  for (const root of fresh) {
    const all = linesOf(root);
    drawn.push(...all);
    for (const line of all.slice(0, MOST_FRESH)) told.set(line, "+");
    untold += Math.max(0, all.length - MOST_FRESH);
  }
  for (const element of watched.changed) {
    if (!isPartOf(element, fresh)) for (const line of linesOfChange(element)) if (!told.has(line)) told.set(line, "~");
  }
  const gone = goneLines(drawn).filter((line) => !told.has(line));
  for (const line of gone.slice(0, MOST_GONE)) told.set(line, "-");
  untold += Math.max(0, gone.length - MOST_GONE);
  release();
  return withinBytes([...told].map(([line, sign]) => `${sign} ${line}`), untold);
}

function appeared() {
  const shown = [...watched.hidden, ...watched.added].filter((each) => each.isConnected && each.checkVisibility(STRICT));
  const all = new Set(shown);
  return shown.filter((each, index) => shown.indexOf(each) === index && !isPartOf(parentOf(each), all));
}

function isPartOf(element, roots) {
  const all = roots instanceof Set ? roots : new Set(roots);
  for (let at = element; at; at = parentOf(at)) if (all.has(at)) return true;
  return false;
}

function linesOf(root) {
  beginReading();
  if (seenAlone(root).sight === GONE) return [];
  snapshotOf(root, {});
  return lines.map((line) => line.trim());
}

// Of what says something else: its own line, or that of the text it holds.
function linesOfChange(element) {
  if (!element.isConnected || !element.checkVisibility(STRICT)) return [];
  const told = linesOf(element).slice(0, 3).filter((line) => !line.startsWith("- options:") || watched.relisted.has(element));
  return told.map((line) => (line.length > 200 ? `${line.slice(0, 199)}…` : line));
}

// Without what the page has drawn anew: that is among the lines `drawn`, with its new ref.
function goneLines(drawn) {
  const found = [];
  const again = new Map(); // line without its ref -> how many
  for (const line of drawn) if (line.includes(REF)) again.set(alike(headIn(line)), (again.get(alike(headIn(line))) ?? 0) + 1);
  const roots = new Set([...watched.removed].filter((each) => !each.isConnected));
  beginReading();
  for (const element of watched.known) {
    if (element.isConnected && element.checkVisibility({ visibilityProperty: true })) continue;
    const name = nameOf(element) || clean(wordsApart(element));
    const head = `- ${roleOf(element) || "generic"}${name ? ` ${quoted(name)}` : ""}`;
    const left = again.get(alike(head)) ?? 0;
    if (left) again.set(alike(head), left - 1);
    else found.push(`${head}${REF}${refOf(element)}]`);
  }
  for (const root of roots) {
    const text = NOT_SHOWN.has(root.localName) || isPartOf(root.parentNode, roots) || watched.known.some((each) => isWithin(each, root)) ? "" : clean(wordsApart(root));
    if (text && !watched.hidden.includes(root)) found.push(`- text: ${cut(text, 80)}`);
  }
  return found;
}

// What is gone has no style to say how its letters were painted.
function alike(head) {
  return head.toLowerCase();
}

const REF = " [ref=";

function headIn(line) {
  return line.slice(0, line.lastIndexOf(REF));
}

// Apart, as they stood in the cells of a row: what is gone has no boxes to tell by.
function wordsApart(element) {
  const words = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) words.push(walker.currentNode.data);
  return words.join(" ");
}

function withinBytes(all, untold) {
  let left = MOST_BYTES;
  const kept = all.filter((line) => (left -= line.length + 1) >= 0);
  const more = all.length - kept.length + untold;
  if (more) kept.push(`… ${more} more ${more === 1 ? "line" : "lines"} changed; take a snapshot`);
  return kept.join("\n");
}

const APPEARS_MS = 250; // until what fades in is seen; a busy machine, or a short delay, takes some frames

// Tells at once what has changed. Only if there is nothing yet, or something is fading in, a frame is
// waited for: after a press Chrome holds back whatever a page has put off (timers, messages) until it
// has painted, or for 50 ms (Chrome 156, measured). `enough`: what is to be told is known already.
async function tellChanges(enough = false) {
  let told = isAppearing() ? "" : changesTold();
  if (!told && !enough) {
    await frameOrLater();
    await turn();
    const begun = performance.now(); // an animation may be drawn first some frames after it has begun
    while (isAppearing() && performance.now() - begun < APPEARS_MS) await frameOrLater();
    told = changesTold();
  }
  return told;
}

// Behind what the page does with an answer it has got.
lib.changes = async () => {
  await turn();
  return pageTold();
};

// What every action is told: `closing` where the page has asked for its own end.
async function pageTold(enough = false) {
  return { changes: await tellChanges(enough), title: document.title, closing: window.closed };
}
