// Facts about elements that a selector or a ref names, for those who explore a page.

let matches = 0; // how many the last selector had

// The element that is meant: of several, the first that a person can see.
function choose(wanted) {
  matches = 1;
  if (wanted.ref !== undefined) return target(wanted);
  const found = select(wanted.selector);
  matches = found.length;
  if (!matches) fail("SELECTOR_NOT_FOUND", "nothing on the page matches the selector");
  if (matches === 1) return found[0];
  beginReading();
  return found.find((element) => isVisible(element)) ?? found[0];
}

lib.chosen = choose;
lib.choose = (wanted) => {
  choose(wanted);
  return matches;
};

// Its box, after scrolling as little as is needed to see it.
lib.boxInView = (wanted) => {
  const element = choose(wanted);
  element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x, y, width, height];
};

// Where the document of a frame begins in the viewport of the document around it.
lib.innerOrigin = (frame) => {
  const { left, top } = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  return [left + frame.clientLeft + parseFloat(style.paddingLeft), top + frame.clientTop + parseFloat(style.paddingTop)];
};
