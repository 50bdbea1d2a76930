// Waits, inside the page, until an element can take what is about to be done to it.
//
// One look is one function; it returns its value, or a `NotYet` with the reason. The first look is
// made at once, so an element that is ready costs no wait and no frame; the next ones follow the
// frames of the page, less often the longer a look takes.

class NotYet {
  constructor(code, why, facts = {}) {
    this.code = code;
    this.why = why;
    this.facts = facts;
  }
}

const SELDOM = 100; // ms: frames of a hidden page may never come
const LAZY = 4; // a look that takes 10 ms is repeated after 40

// The value of `look`, a promise of it, or the failure it would have gone on with.
function whenReady(look, ms) {
  const begun = performance.now();
  const first = look();
  return first instanceof NotYet ? lookAgain(look, begun, ms, first) : first;
}

async function lookAgain(look, begun, ms, last) {
  let took = performance.now() - begun;
  while (performance.now() - begun < ms) {
    await frameOrLater(took * LAZY);
    const started = performance.now();
    last = look();
    if (!(last instanceof NotYet)) return last;
    took = performance.now() - started;
  }
  return fail(last.code, last.why, last.facts);
}

let drawings = 0; // of the page, while somebody waited

function frameOrLater(atLeast = 0) {
  return new Promise((resolve) => {
    const giveUp = later(Math.max(atLeast, SELDOM), resolve);
    requestAnimationFrame(() => {
      drawings++;
      if (atLeast > SELDOM) return;
      giveUp();
      if (atLeast > 8) later(atLeast - 8, resolve);
      else resolve();
    });
  });
}

// Behind everything the page has put off until "right away".
function turn() {
  return pause(0);
}

const notActionable = (why, facts) => new NotYet("NOT_ACTIONABLE", why, facts);

// The element of a target: of several matches the first that can be seen. {element, matches}
function pick(wanted) {
  if (wanted.ref !== undefined) return { element: elementOf(wanted.ref) ?? expired(wanted.ref), matches: 1 };
  const found = select(wanted.selector);
  if (!found.length) return new NotYet("SELECTOR_NOT_FOUND", "nothing on the page matches it");
  return { element: found.find((each) => placeOf(each) !== null) ?? found[0], matches: found.length };
}

// A ref whose element is gone: who looks like it now?
function expired(number) {
  const gone = elements.get(number)?.deref();
  const alike = gone ? lookalikes(gone) : [];
  const now = alike.length ? `; now there: ${alike.join(", ")}` : "";
  return fail("REF_EXPIRED", `${whyGone(number)}${now}`, { candidates: alike });
}

const MOST_LOOKALIKES = 3;
const MOST_COMPARED = 500;
const MOST_TOLD = 160; // characters of each

function lookalikes(gone) {
  beginReading();
  const name = nameOf(gone) || clean(gone.textContent ?? "");
  const same = (each) => alike(nameOf(each) || clean(each.textContent ?? "")) === alike(name) && roleOf(each) === roleOf(gone);
  const found = [];
  for (const each of select(gone.localName).slice(0, MOST_COMPARED)) {
    if (found.length < MOST_LOOKALIKES && same(each) && isVisible(each)) found.push(quoted(lineOf(each).slice(2), MOST_TOLD));
  }
  return found;
}

// The same where the whole document is gone, and only the beginning of a line is known of it.
lib.alike = (head) => {
  beginReading();
  const role = head.split(" ", 1)[0];
  const found = [];
  let compared = 0;
  for (const each of select("*")) {
    if ((roleOf(each) || "generic") !== role) continue;
    if (found.length === MOST_LOOKALIKES || ++compared > MOST_COMPARED) break;
    const line = lineOf(each).slice(2);
    if (line.startsWith(`${head} [ref=`) && isVisible(each)) found.push(quoted(line, MOST_TOLD));
  }
  return found;
};

// The element that is on the screen for another one, and its boxes: itself, the label that is
// painted instead of a control, or what an element without a size holds. Null if nothing is shown.
function placeOf(element) {
  if (!element.isConnected) return null;
  if (element.localName === "area") return placeOfArea(element);
  const own = shownRects(element);
  if (own.length) return { element, rects: isOpenedByChrome(element) ? [firstLineOf(element, own[0])] : own };
  for (const label of propertyOf(element, "labels") ?? []) {
    const rects = shownRects(label);
    if (rects.length) return { element: label, rects };
  }
  const words = placeOfWords(element);
  if (words) return words;
  for (const inner of element.querySelectorAll("*")) {
    const rects = shownRects(inner);
    if (rects.length) return { element: inner, rects };
  }
  return null;
}

// The words in an element that has no box (`display: contents`): what has one around them is scrolled
// in its place.
function placeOfWords(element) {
  if (!isBoxless(element)) return null;
  const range = document.createRange();
  const rects = [];
  for (const each of [element, ...element.querySelectorAll("*")].filter(isBoxless)) {
    for (const child of getComputedStyle(each).visibility === "visible" ? each.childNodes : []) {
      if (child.nodeType !== Node.TEXT_NODE) continue;
      range.selectNodeContents(child);
      rects.push(...range.getClientRects());
    }
  }
  let around = element;
  while (around && isBoxless(around)) around = parentOf(around);
  return rects.length && around ? { element: around, rects } : null;
}

// Where Chrome paints the summary of an open `details` that has none.
function firstLineOf(details, box) {
  const { paddingTop, paddingLeft, paddingRight, borderTopWidth, fontSize, lineHeight } = getComputedStyle(details);
  const top = box.top + parseFloat(paddingTop) + parseFloat(borderTopWidth);
  const left = box.left + parseFloat(paddingLeft);
  const width = box.width - parseFloat(paddingLeft) - parseFloat(paddingRight);
  return new DOMRect(left, top, width, parseFloat(lineHeight) || parseFloat(fontSize));
}

const SPECK = 1; // pixels: a control hidden for a label that stands for it is often that size

function shownRects(element) {
  if (!element.checkVisibility({ visibilityProperty: true })) return [];
  const least = propertyOf(element, "labels")?.length ? SPECK : 0;
  const rects = [...element.getClientRects()].map((rect) => (rect.width && rect.height ? rect : asDrawn(element, rect)));
  return rects.filter((rect) => rect.width > least && rect.height > least);
}

// A line straight across or down: Chrome tells its box without what it is drawn with.
function asDrawn(element, rect) {
  const matrix = element instanceof SVGGeometryElement ? element.getScreenCTM() : null;
  if (!matrix) return rect;
  const { stroke, strokeWidth } = getComputedStyle(element);
  if (stroke === "none") return rect;
  const half = (parseFloat(strokeWidth) * Math.hypot(matrix.a, matrix.b)) / 2;
  const [across, down] = [rect.width ? 0 : half, rect.height ? 0 : half];
  return new DOMRect(rect.x - across, rect.y - down, rect.width + 2 * across, rect.height + 2 * down);
}

const SAYS = /^(?:true|false)$/i;

// Why an element takes nothing now, or null.
function refusal(element) {
  if (isDisabledNow(element)) return notActionable("it is disabled");
  let said = null; // by it, or what is nearest around it
  for (let at = element; at; at = parentOf(at)) {
    if (at.inert || isIdleByStyle(at)) return notActionable("it is inert: the page has switched off this part of itself");
    said ??= SAYS.exec(at.getAttribute("aria-disabled"))?.[0].toLowerCase();
    if (said === "true") return notActionable("it is disabled");
  }
  return null;
}

// Moving by an animation that ends: then two frames have to show it at the same place. What is under
// way stands where the last frame left it (and begins with the first one), so two looks within one
// frame say nothing; the timeline runs on without frames. A tab behind others is drawn once a second,
// and a page that is drawn less is believed after a while.
const FRAMELESS = 15; // looks, SELDOM apart

function stillness() {
  let before = null;
  let drawn = 0;
  let looks = 0;
  return (element) => {
    const moving = movements(element);
    if (!moving.length) return null;
    const { x, y, width, height } = element.getBoundingClientRect();
    const now = moving.some((each) => each.pending) ? "" : [x, y, width, height].join();
    looks = drawings === drawn ? looks + 1 : 0;
    const still = looks >= FRAMELESS || (looks === 0 && now !== "" && now === before);
    [before, drawn] = [now, drawings];
    return still ? null : notActionable("it is moving");
  };
}

function movements(element) {
  const found = [];
  for (let at = element; at; at = parentOf(at)) found.push(...at.getAnimations().filter(isUnderWay));
  return found;
}

function isUnderWay(animation) {
  return animation.playState === "running" && Number.isFinite(animation.effect?.getComputedTiming().endTime);
}
