// Scrolling: to an element, by so much, or to a place; of the page or of a box in it.

lib.scroll = (wanted, { ms, left = null, top = null, right = null, down = null }) =>
  whenReady(() => {
    const picked = wanted ? pick(wanted) : { element: null, matches: 1 };
    if (picked instanceof NotYet) return picked;
    const { element, matches } = picked;
    if (element && !placeOf(element)) return notActionable("it is not visible");
    startWatching(element);
    const toIt = element && [left, top, right, down].every((each) => each === null);
    if (toIt) placeOf(element).element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    const box = toIt ? document.scrollingElement : scrollerOf(element);
    const before = [box.scrollLeft, box.scrollTop].join();
    if (!toIt) box.scrollTo({ left: (left ?? box.scrollLeft) + (right ?? 0), top: (top ?? box.scrollTop) + (down ?? 0), behavior: "instant" });
    return { matches, toIt, ...whereIn(box), ...middleOf(element), moved: toIt || before !== [box.scrollLeft, box.scrollTop].join() };
  }, ms);

// The box around an element that scrolls, or the one that scrolls what most of the window shows.
function scrollerOf(element) {
  const start = element ?? (scrolls(document.scrollingElement) ? null : topmost(innerWidth / 2, innerHeight / 2));
  for (let at = start; at && at !== document.body && at !== document.documentElement; at = parentOf(at)) if (scrolls(at)) return at;
  return document.scrollingElement ?? document.documentElement;
}

function scrolls(element) {
  if (!element || (element.scrollHeight <= element.clientHeight && element.scrollWidth <= element.clientWidth)) return false;
  if (element === document.scrollingElement) return true;
  const { overflowX, overflowY } = getComputedStyle(element);
  return /auto|scroll|hidden/.test(`${overflowX} ${overflowY}`) && !/clip/.test(`${overflowX} ${overflowY}`);
}

// Of what can be seen of it: where the wheel is over it, and not over another part of the page.
function middleOf(element) {
  const seen = element && inViewport(element.getBoundingClientRect());
  return seen ? { x: seen.left + seen.width / 2, y: seen.top + seen.height / 2 } : {};
}

function whereIn(box) {
  const page = box === document.scrollingElement;
  const rect = page ? new DOMRect(0, 0, innerWidth, innerHeight) : box.getBoundingClientRect();
  const seen = inViewport(rect) ?? { left: 0, top: 0, width: innerWidth, height: innerHeight };
  return {
    left: Math.round(box.scrollLeft),
    top: Math.round(box.scrollTop),
    mostLeft: Math.max(box.scrollWidth - box.clientWidth, 0),
    mostTop: Math.max(box.scrollHeight - box.clientHeight, 0),
    page,
    x: seen.left + seen.width / 2,
    y: seen.top + seen.height / 2,
  };
}

// After the page has noticed what came into view: its observers are told in the same task as ours.
lib.scrolled = async () => {
  await new Promise((resolve) => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(document.documentElement);
    later(LATEST_FRAME, resolve);
  });
  await turn();
  return pageTold(true);
};

const LATEST_FRAME = 1000; // ms; on a busy machine a frame takes longer than usual
