// Waits in the page until it shows something. Woken by changes and by frames; what only style sheets
// or clocks change is looked at ten times a second.

const PAUSE = 100; // ms
const SHARE = 9; // times as long as a look takes is left to the page before the next one

// What is to be seen now: the first match a person sees, and how many there are that nobody sees.
function lookFor(kind, wanted) {
  if (kind === "text") {
    const text = sought(wanted);
    const [found] = findText(text);
    return { line: found ? lineFor(found[0], found[1], text) : "", hidden: 0 };
  }
  const found = select(wanted);
  beginReading();
  const seen = found.find((element) => isVisible(element));
  return { line: seen ? lineAbout(seen) : "", hidden: seen ? 0 : found.length };
}

function watchAll(observer, root) {
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const inner of shadowRootsBelow(root)) watchAll(observer, inner);
}

// One animation frame; a page that is not shown has none.
function nextFrame() {
  return new Promise((resolve) => {
    requestAnimationFrame(resolve);
    later(PAUSE, resolve);
  });
}

lib.waitFor = async (kind, wanted, gone, ms) => {
  const start = performance.now();
  let changed = true;
  const observer = new MutationObserver(() => (changed = true));
  try {
    for (let last = -Infinity, took = 0; ; await nextFrame()) {
      const now = performance.now();
      const over = now - start >= ms;
      const due = changed || now - last >= PAUSE;
      if (!(due && now - last >= took * SHARE) && !over) continue;
      changed = false;
      const { line, hidden } = lookFor(kind, wanted);
      if (Boolean(line) !== gone || over) return { holds: Boolean(line) !== gone, line, hidden };
      watchAll(observer, document);
      last = performance.now();
      took = last - now;
    }
  } finally {
    observer.disconnect();
  }
};
