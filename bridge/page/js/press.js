// Presses of the mouse: where, and what became of them.

// Where to press, once that is possible; the press is judged from then on.
lib.aim = (wanted, { ms, enabled = true, guarded = true, dropping = false }) => {
  const isStill = stillness();
  let scrolled = null; // once is enough, unless it has left the view since
  return whenReady(() => {
    const picked = pick(wanted);
    if (picked instanceof NotYet) return picked;
    const { element, matches } = picked;
    const place = placeOf(element);
    if (!place) return notActionable(matches > 1 ? `none of its ${matches} matches is visible` : "it is not visible");
    const not = (enabled && (refusal(element) ?? refusalOfItsField(element))) || isStill(place.element);
    if (not) return not;
    const spot = spotOf(element, place, scrolled !== element, dropping);
    scrolled = spot instanceof NotYet && !spot.facts.covered ? null : element;
    return spot instanceof NotYet ? spot : aimed(element, spot, matches, guarded);
  }, ms);
};

// A press on a label is one on its field.
function refusalOfItsField(element) {
  return element.localName === "label" && element.control && isDisabledNow(element.control) ? notActionable("its field is disabled") : null;
}

const FRAME_TAGS = new Set(["iframe", "frame", "embed", "object", "fencedframe"]);

function aimed(element, { x, y, hit, taker = null }, matches, guarded) {
  const holdsFrame = FRAME_TAGS.has(element.localName) || INNER_FRAMES.has(hit.localName);
  beginReading();
  if (guarded) expectPress(holdsFrame ? null : element, taker && lineOf(taker).slice(2, 160));
  startWatching(element);
  const drags = nearest(element, "[draggable=true], img:not([draggable=false]), a[href]:not([draggable=false])") !== null;
  return { x, y, matches, holdsFrame, drags, checked: ticked(element) };
}

// The checkbox or radio button that a press on the element ticks, or null.
function tickOf(element) {
  const control = fieldOf(element);
  return control.localName === "input" && /^(checkbox|radio)$/.test(control.type) ? control : null;
}

// Whether it is ticked; null for what cannot be.
function ticked(element) {
  const tick = tickOf(element);
  if (tick) return isTickedBox(tick);
  if (internalsOf(element)) return null; // what they say now is not known here
  return ticksByRole(element) ? checkedOf(element) === true : null;
}

// The same point in the document around a frame, which has to show the frame there.
lib.through = (frame, x, y, { ms, guarded = true }) =>
  whenReady(() => {
    if (!frame.isConnected) return fail("REF_EXPIRED", "its frame is not in the page any more");
    if (placementOf(frame).lost) return notActionable("its frame is turned in space, where no point in it can be told");
    const at = reveal(frame, x, y);
    const hit = inWindow(at) ? topmost(at.x, at.y) : null;
    if (hit !== frame) {
      if (!hit) return notActionable("its frame is outside of what can be scrolled into view");
      return notActionable(`its frame is covered by ${coverName(hit, frame)}`, { covered: true });
    }
    if (guarded) expectPress(null);
    startWatching(frame);
    return at;
  }, ms);

// Scrolls what is around the frame as far as is needed to see the point, and tells where it is then.
function reveal(frame, x, y) {
  for (let box = parentOf(frame); box; box = parentOf(box)) {
    if (box === document.documentElement || getComputedStyle(box).overflow === "visible") continue;
    const at = outward(frame, x, y);
    const { left, right, top, bottom } = box.getBoundingClientRect();
    if (at.x >= left && at.x < right && at.y >= top && at.y < bottom) continue;
    box.scrollBy({ left: at.x - (left + right) / 2, top: at.y - (top + bottom) / 2, behavior: "instant" });
  }
  const at = outward(frame, x, y);
  if (inWindow(at)) return at;
  scrollBy({ left: at.x - innerWidth / 2, top: at.y - innerHeight / 2, behavior: "instant" });
  return outward(frame, x, y);
}

function inWindow({ x, y }) {
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
}

// What became of the press. `presses` is null if nobody watched any more. `patience`: what the page shows
// may come that late.
lib.pressed = async (patience = 0) => {
  const seen = standDown();
  const element = seen?.element ?? null;
  const controls = Boolean(seen) && !seen.presses && isPlayer(element);
  return {
    presses: seen && !controls ? seen.presses : null,
    controls,
    clicks: seen ? seen.clicks || seen.menus : null, // a menu may open below the mouse, and get the rest
    missed: seen?.missed ?? null,
    taker: seen?.taker ?? null,
    drop: seen?.drop ?? null,
    program: seen?.program ?? null,
    saves: element !== null && nearest(element, "a[download], area[download]") !== null,
    there: element === null || element.isConnected,
    chooses: element !== null && fileFieldOf(element) !== null && seen.clicks > 0 && !seen.last.defaultPrevented,
    checked: element ? ticked(element) : null,
    unsent: element !== null && seen.clicks > 0 ? unsentFor(element, seen.last) : null,
    ...(await pageTold(false, patience)),
    isAddressed: address(element),
  };
};

// Chrome's own controls of a medium keep what is pressed in them from the page.
function isPlayer(element) {
  return /^(audio|video)$/.test(element?.localName) && element.controls;
}

lib.unguard = () => void standDown();

lib.standDown = () => {
  standDown();
  stopWatching();
};

// What is at a point of the viewport: its line, and whether the point is in a frame.
lib.at = (x, y, watching = true) => {
  const hit = topmost(x, y);
  if (!hit) return null;
  if (watching) startWatching(hit);
  const holdsFrame = FRAME_TAGS.has(hit.localName);
  return { line: lineOf(hit), ref: holdsFrame ? refOf(hit) : null, inside: holdsFrame ? inward(hit, x, y) : null };
};

// What became of the press a drag begins with: what got it instead, or whether the browser's own drag and
// drop has begun; the page may have said no to that.
lib.taken = () => ({ missed: guard && !guard.presses ? guard.missed : null, begun: Boolean(guard?.drag && !guard.drag.defaultPrevented) });

// Until the page has made what it will of where the pointer is: it may look there only now and then
// (SortableJS: every 50 ms), renders later, and ignores what is still moving out of the way.
const LOOK_MS = 60;
const MOST_REST_MS = 500;

lib.rest = async () => {
  const begun = performance.now();
  await pause(LOOK_MS);
  while (document.getAnimations().some(isUnderWay) && performance.now() - begun < MOST_REST_MS) await frameOrLater();
  await frameOrLater();
  await turn();
};
