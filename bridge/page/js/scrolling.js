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
    const held = !element && left === null && top === null && !scrollsByHand(box); // the wheel is not for scrolling here
    if (!toIt && !held) box.scrollTo({ left: (left ?? box.scrollLeft) + (right ?? 0), top: (top ?? box.scrollTop) + (down ?? 0), behavior: "instant" });
    return { matches, toIt, ...whereIn(box), ...middleOf(element), held, moved: toIt || before !== [box.scrollLeft, box.scrollTop].join() };
  }, ms);

// The box around an element that scrolls, or the one that scrolls what most of the window shows. A page
// that is held while a dialog is open, or that shows itself piece by piece, is not for scrolling: what
// is in the middle may be.
function scrollerOf(element) {
  const page = document.scrollingElement ?? document.documentElement;
  if (!element && scrollsByHand(page)) return page;
  const boxes = [];
  for (let at = element ?? topmost(innerWidth / 2, innerHeight / 2); at; at = parentOf(at)) if (at !== page && isBox(at) && scrolls(at)) boxes.push(at);
  if (element) return boxes[0] ?? page;
  return boxes.find(scrollsByHand) ?? (scrolls(page) ? page : boxes[0] ?? page);
}

// A body is one where the root keeps its own way with what overflows.
function isBox(element) {
  const root = document.documentElement;
  return element !== root && (element !== document.body || getComputedStyle(root).overflowX !== "visible");
}

function scrolls(element) {
  if (element.scrollHeight <= element.clientHeight && element.scrollWidth <= element.clientWidth) return false;
  return element === document.scrollingElement || (/auto|scroll|hidden/.test(overflowOf(element)) && !/clip/.test(overflowOf(element)));
}

// And not by scripts alone.
function scrollsByHand(element) {
  if (!scrolls(element)) return false;
  const [across, down] = overflowOf(element).split(" ").map((each) => !/hidden|clip/.test(each));
  return (down && element.scrollHeight > element.clientHeight) || (across && element.scrollWidth > element.clientWidth);
}

// That of a page is said of its root, else of its body.
function overflowOf(element) {
  const said = [element];
  if (element === document.scrollingElement) said.unshift(document.documentElement, document.body ?? element);
  const all = said.map((each) => getComputedStyle(each)).map(({ overflowX, overflowY }) => `${overflowX} ${overflowY}`);
  return all.find((each) => each !== "visible visible") ?? all[0];
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
