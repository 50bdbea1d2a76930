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
const NOT_SHOWN = new Set(["script", "style", "template", "noscript", "link", "meta", "option", "optgroup", "datalist", "source", "track", "area", "param", "head", "title", "base", "selectedcontent"]);
const STRICT = { visibilityProperty: true, opacityProperty: true };
const OBSERVED = {
  subtree: true,
  childList: true,
  characterData: true,
  characterDataOldValue: true,
  attributes: true,
  attributeOldValue: true,
  attributeFilter: [
    "open", "disabled", "readonly", "placeholder", "alt", "title", "href", "src", "aria-label", "aria-expanded", "aria-checked", "aria-selected",
    "aria-pressed", "aria-invalid", "aria-disabled", "aria-current", "aria-busy", "aria-valuenow", "aria-valuetext", "aria-sort",
    "aria-activedescendant",
  ],
};

const OF_FIELDS = ["input", "change", "play", "pause"];
const OF_REFUSALS = [["invalid", noteRefusal], ["focusin", noteLead]];

let watched = null;

function startWatching(element = null) {
  stopWatching();
  const observer = new MutationObserver(note);
  const roots = [...rootsAround(element)];
  for (const root of roots) {
    observer.observe(root, OBSERVED);
    for (const [type, hear] of OF_REFUSALS) root.addEventListener(type, hear, true);
  }
  const known = knownShown();
  const hidden = hiddenRoots();
  const boxless = new Set(hidden.filter((each) => !each.checkVisibility()));
  watched = { observer, roots, hidden, boxless, known, held: known.map(settingOf), added: new Set(), removed: new Set(), changed: new Set(), relisted: new Set(), refused: new Map(), led: null, begun: document.timeline.currentTime ?? 0, focus: deepFocus(), forget: later(WATCH_MS, stopWatching) };
  for (const type of OF_FIELDS) addEventListener(type, noteField, true);
}

function stopWatching() {
  for (const root of watched?.roots ?? []) for (const [type, hear] of OF_REFUSALS) root.removeEventListener(type, hear, true);
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
    if (isShownNow(each)) return each.localName === "select" ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    found.push(each);
    return NodeFilter.FILTER_REJECT;
  };
  const walker = document.createTreeWalker(document.body ?? document, NodeFilter.SHOW_ELEMENT, judgeShown);
  for (let count = 0; count < MOST_WALKED && walker.nextNode(); count++);
  return found;
}

// Of what is folded to nothing, Chrome says that it can be seen.
function isShownNow(element) {
  return element.checkVisibility(STRICT) && !isFolded(element);
}

function isFolded(element) {
  if (element.offsetHeight > SMALLEST && element.offsetWidth > SMALLEST) return false; // most are, and that is quick
  return isFlat(element) && firstOf(element) !== null && !isRoot(element) && getComputedStyle(element).overflow !== "visible";
}

function isFlat(element) {
  const { width, height } = element.getBoundingClientRect();
  return width < SMALLEST || height < SMALLEST;
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
  if (tag === "select") return [expandedOf(element) === true, ...Array.from(element.selectedOptions ?? [], (option) => option.value)].join("\n");
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
        if (!changed.closest("selectedcontent")) watched.relisted.add(list); // a copy of what is chosen
        keep(watched.changed, list); // its line tells what is in it
        continue;
      }
      if (isSameText(addedNodes, removedNodes)) continue;
      for (const node of addedNodes) keep(watched.added, node.nodeType === Node.ELEMENT_NODE ? node : null, watched.changed, changed);
      for (const node of removedNodes) keep(watched.removed, node.nodeType === Node.ELEMENT_NODE ? node : null, watched.changed, changed);
    } else if (type === "characterData") keep(watched.changed, changed.data === oldValue ? null : changed.parentElement);
    else if (attributeName === "aria-activedescendant") keep(watched.changed, changed.ariaActiveDescendantElement);
    else if (changed.getAttribute(attributeName) !== oldValue) {
      keep(watched.changed, changed); // and not the same set again
      if (attributeName === "aria-checked") spokenFor.add(changed);
    }
  }
}

// What draws a page anew writes the same words again where they were.
function isSameText([added, ...more], [removed, ...others]) {
  const areTexts = added?.nodeName === "#text" && removed?.nodeName === "#text";
  return areTexts && !more.length && !others.length && added.data === removed.data;
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

// Something is about to show itself, or to go: what the deed has set in motion cannot be seen yet, will
// not be seen at its end, or is a curtain before what comes next.
function isAppearing() {
  if (!watched) return false;
  note(watched.observer.takeRecords());
  for (const root of watched.roots) if (root.getAnimations().some((each) => isUnderWay(each) && isBegunSince(each) && isVeiled(each.effect))) return true;
  return watched.hidden.some((each) => isFadingIn(each) || isUnveiling(each)) || [...watched.added].some(isOnItsWay);
}

// A script makes it less and less transparent: nothing rests where it is now.
function isOnItsWay(element) {
  const opacity = element.isConnected ? element.style?.opacity : "";
  return opacity > 0 && opacity < FAINT && element.checkVisibility();
}

// It has got a box and is transparent in it: a style, or a class that goes with the next tick, shows it.
function isUnveiling(element) {
  return watched.boxless.has(element) && element.isConnected && element.checkVisibility() && !element.checkVisibility({ opacityProperty: true });
}

// Itself, or with the part of a shadow root it has its place in.
function isFadingIn(element) {
  if (!element.isConnected || !element.checkVisibility({ visibilityProperty: true })) return false;
  if (isOnItsWay(element)) return true;
  for (let at = element; at && !at.checkVisibility(STRICT); at = parentOf(at)) if (at.getAnimations().some(isUnderWay)) return true;
  return false;
}

// The clock of a document is told more coarsely than when an animation began (Chrome 156: by 30 µs).
const ROUNDED_MS = 1;

function isBegunSince({ startTime }) {
  return startTime === null || startTime > watched.begun - ROUNDED_MS;
}

function isVeiled(effect) {
  const { target: element, pseudoElement } = effect;
  if (pseudoElement || !element?.isConnected) return false;
  if (effect.getKeyframes?.().at(-1)?.opacity < FAINT) return true;
  const { display, opacity, visibility } = getComputedStyle(element);
  if (display === "none") return false;
  if (isFaint(element, opacity) || visibility !== "visible") return true; // dialogs fade in within a ground that does
  const inner = element.firstElementChild;
  if ((isFlat(element) && firstOf(element)) || (inner && isFolded(inner))) return true; // a line without content is a line
  return isCurtain(element);
}

function isCurtain(element) {
  const { width, height } = element.getBoundingClientRect();
  return width >= innerWidth && height >= innerHeight && isPartOf(element, watched.added) && isBlank(element.textContent);
}

// Whether something was added that is transparent: its animation may begin some frames later.
const MOST_ASKED = 50;

function isVeilAdded() {
  const isTransparent = (each) => {
    if (!each.isConnected || !each.checkVisibility()) return false;
    return getComputedStyle(each).opacity < FAINT || (each.childElementCount === 1 && isTransparent(each.firstElementChild));
  };
  return Boolean(watched) && [...watched.added].slice(0, MOST_ASKED).some(isTransparent);
}

// The lines; "" if nothing a person sees has changed.
function changesTold() {
  if (!watched) return "";
  note(watched.observer.takeRecords());
  noteSettings();
  const told = new Map(); // line -> sign; each line once
  const fresh = appeared();
  const labels = fresh.flatMap((root) => [root, ...root.querySelectorAll("label")]);
  const changed = new Set([...watched.changed, ...namedBy([...watched.changed, ...labels])]);
  const drawn = [];
  let untold = 0;
  for (const root of fresh) {
    const all = linesOf(root);
    drawn.push(...all);
    for (const line of all.slice(0, MOST_FRESH)) told.set(line, "+");
    untold += Math.max(0, all.length - MOST_FRESH);
  }
  for (const element of changed) {
    if (!isPartOf(element, fresh)) for (const line of linesOfChange(element)) if (!told.has(line)) told.set(line, "~");
  }
  const gone = goneLines(drawn).filter((line) => !told.has(line));
  for (const line of gone.slice(0, MOST_GONE)) told.set(line, "-");
  untold += Math.max(0, gone.length - MOST_GONE);
  release();
  return withinBytes([...told].map(([line, sign]) => `${sign} ${line}`), untold);
}

function appeared() {
  const shown = [...watched.hidden, ...watched.added].filter((each) => each.isConnected && isShownNow(each));
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
  const told = linesOf(element).slice(0, element.localName === "select" && isOpenInPage(element) ? MOST_FRESH : 3).filter((line) => !line.startsWith("- options:") || watched.relisted.has(element));
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
    if (element.isConnected && (element.localName === "option" || element.checkVisibility({ visibilityProperty: true }))) continue; // a list that closes is told so itself
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

// Apart, as they stood in the cells of a row: what is gone has no boxes to tell by. What stands in the
// markup of a field is not what it holds.
function wordsApart(element) {
  const words = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const around = text.parentElement;
    if (!around) words.push(text.data);
    else if (around.localName !== "textarea" && !NOT_SHOWN.has(around.localName)) words.push(painted(text.data, getComputedStyle(around), text));
  }
  return words.join(" ");
}

function withinBytes(all, untold) {
  let left = MOST_BYTES;
  const kept = all.filter((line) => (left -= line.length + 1) >= 0);
  const more = all.length - kept.length + untold;
  if (more) kept.push(`… ${more} more ${more === 1 ? "line" : "lines"} changed; take a snapshot`);
  return kept.join("\n");
}

const APPEARS_MS = 350; // until what fades in is seen; a busy machine draws fewer frames by then, a hidden tab none
const MOST_FRAMES = 20;
const UNDRAWN_MS = 500;
const MOST_APPEARS_MS = 1000;
const FRAMES = 3; // until an animation begins of what was added for it

// Tells at once what has changed. Only if there is nothing yet, or something is fading in, a frame is
// waited for: after a press Chrome holds back whatever a page has put off (timers, messages) until it
// has painted, or for 50 ms (Chrome 156, measured). `enough`: what is to be told is known already.
async function tellChanges(enough = false, patience = 0) {
  await crossing();
  let told = isAppearing() || isVeilAdded() ? "" : changesTold();
  if (!told && !enough) {
    await frameOrLater();
    await turn();
    await crossing();
    const until = performance.now() + patience;
    do {
      if (patience) await stirred(until);
      await untilShown(patience);
      told = changesTold();
    } while (!told && performance.now() < until); // what is shown may be measured out of sight first
  }
  return told;
}

async function untilShown(patience) {
  const begun = performance.now();
  const drawn = drawings;
  while (isAppearing() || (drawings - drawn < FRAMES && isVeilAdded())) {
    const took = performance.now() - begun;
    const frames = drawings - drawn;
    if (took > MOST_APPEARS_MS || (took > Math.max(APPEARS_MS, patience) && frames > MOST_FRAMES) || (took > UNDRAWN_MS && frames < 2)) break;
    await frameOrLater();
  }
  if (drawings === drawn) return;
  await frameOrLater(); // with it a page hears of the end, and then hides what has faded away
  await turn();
}

// Until there is something to tell, or on its way.
const STIR_MS = 25;

async function stirred(until) {
  while (performance.now() < until && !isAppearing() && !isVeilAdded() && !changesTold()) await pause(STIR_MS);
}

// Until the page is where it has told Chrome that it goes: a view transition changes it in a callback,
// and a router that has taken a navigation over (`navigation.intercept`) says when it has shown it.
const ROUTE_MS = 3000;
let overdue = null; // a route that was waited for in vain: once is enough

async function crossing() {
  const view = document.activeViewTransition?.updateCallbackDone;
  const route = navigation.transition;
  if (view) await Promise.race([view.catch(() => {}), pause(APPEARS_MS)]);
  if (!route || route === overdue) return;
  const over = () => true;
  if (!(await Promise.race([route.finished.then(over, over), pause(ROUTE_MS)]))) overdue = route;
}

// Behind what the page does with an answer it has got.
lib.changes = async () => {
  await turn();
  return pageTold();
};

// What every action is told: `closing` where the page has asked for its own end, `led` where it led to a
// field that is not filled in as it should be.
async function pageTold(enough = false, patience = 0) {
  return { changes: await tellChanges(enough, patience), title: document.title, closing: window.closed, led: leadTold() };
}
