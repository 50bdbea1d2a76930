// Facts about elements that a selector or a ref names, for those who explore a page.

let matches = 0; // how many the last selector had

// The element that is meant: of several, the first that a person can see.
function choose(wanted) {
  matches = 1;
  if (wanted.ref !== undefined) return target(wanted);
  const found = select(wanted.selector);
  matches = found.length;
  if (!matches) fail("SELECTOR_NOT_FOUND", "nothing on the page matches it");
  if (matches === 1) return found[0];
  beginReading();
  return found.find((element) => isVisible(element)) ?? found[0];
}

lib.chosen = choose;
lib.choose = (wanted) => {
  choose(wanted);
  return matches;
};

// What of the document is in view, how large it is, and the pixels of the screen per CSS pixel:
// Chrome's own metrics do not tell those where they are emulated. Places are from the corner at the
// very left, as pictures are cut, also of a document that begins at the right.
lib.view = () => {
  const { pageLeft, pageTop, width, height } = visualViewport;
  const root = document.scrollingElement ?? document.documentElement;
  const size = root ? [root.scrollWidth, root.scrollHeight] : [innerWidth, innerHeight];
  const before = root && beginsRight() ? root.scrollWidth - root.clientWidth : 0;
  return { view: [pageLeft + before, pageTop, width, height], scroll: [scrollX + before, scrollY], size, density: devicePixelRatio };
};

function beginsRight() {
  const { direction, writingMode } = getComputedStyle(document.body ?? document.documentElement);
  return writingMode === "horizontal-tb" ? direction === "rtl" : writingMode.endsWith("-rl");
}

// Its box, after scrolling as little as is needed to see it.
lib.boxInView = (wanted) => {
  const element = choose(wanted);
  element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x, y, width, height];
};

// Whether the library knows of closed shadow roots yet does not matter here: what a selector finds
// is what it found for everybody else.

const LONGEST_FACT = 2_000; // characters of one attribute or value

function factOf(text) {
  return cut(String(text ?? "").toWellFormed().replace(DISGUISED, " "), LONGEST_FACT);
}

function seenText(element, longest) {
  const text = readText(element).pieces.join(" ").replace(/\s+/g, " ").trim();
  return cut(text, longest);
}

lib.query = (selector, limit) => {
  const found = select(selector);
  const told = found.slice(0, limit).map((element) => ({
    ref: refOf(element),
    tag: element.localName,
    id: factOf(element.id),
    class: factOf(element.getAttribute("class")),
    text: seenText(element, 100),
  }));
  return { count: found.length, elements: told };
};

const STYLES = ["display", "visibility", "opacity", "position", "width", "height", "color", "background-color", "font-size"];

lib.styles = (wanted, names) => {
  const style = getComputedStyle(choose(wanted));
  const asked = names.length ? names : STYLES;
  return Object.fromEntries(asked.map((name) => [name, factOf(style.getPropertyValue(name))]));
};

lib.attributes = (wanted, names) => {
  const element = choose(wanted);
  const all = [...element.attributes].filter(({ name }) => !names.length || names.includes(name));
  return Object.fromEntries(all.map(({ name, value }) => [name, isTelling(element, name, value) ? MASK : factOf(value)]));
};

lib.visibility = (wanted) => {
  if (wanted.selector !== undefined && !select(wanted.selector).length) return { exists: false };
  const element = choose(wanted);
  beginReading();
  const { display, visibility, opacity } = getComputedStyle(element);
  const visible = isVisible(element);
  const { x, y, width, height } = boxOf(element);
  const inViewport = width > 0 && height > 0 && !isOutOfView(boxOf(element));
  const covered = visible && isCovered(element);
  release();
  return { exists: true, visible, display, visibility, opacity: Number(opacity), inViewport, covered, box: { x, y, width, height } };
};

const STATES = ["expanded", "checked", "selected", "pressed", "disabled", "hidden"];

lib.state = (wanted) => {
  const element = choose(wanted);
  const told = { tag: element.localName };
  for (const name of ["type", "name", "placeholder"]) if (propertyOf(element, name) !== undefined) told[name] = factOf(propertyOf(element, name));
  told.disabled = isDisabled(element);
  told.readOnly = isReadOnly(element);
  told.required = element.required === true || isOn(element, "aria-required");
  told.checked = checkedOf(element);
  told.selected = element.selected === true || isOn(element, "aria-selected");
  told.value = fieldValue(element);
  beginReading();
  told.hidden = !isVisible(element);
  for (const name of STATES) told[`aria-${name}`] = saidBy(element, `aria-${name}`);
  return told;
};

// What a field holds; a list for a select of several. Secrets are masked.
function fieldValue(element) {
  if (element.localName === "select") {
    const values = [...(element.selectedOptions ?? [])].map((option) => factOf(option.value));
    return element.multiple ? values : (values[0] ?? null);
  }
  if (element.localName === "input" && element.type === "file") return [...element.files].map((file) => factOf(file.name));
  const value = isEditingHost(element) ? editedText(element) : propertyOf(element, "value");
  if (value === undefined) return null;
  return value !== "" && isSecret(element) ? MASK : factOf(value);
}

const FIELDS = "input, select, textarea, [contenteditable]";
const NO_FIELD = /^(?:button|image|reset|submit)$/;

lib.formValues = (wanted, limit) => {
  const root = wanted ? choose(wanted) : document.documentElement;
  const frames = [];
  const reader = { open: (each, style, sight) => void (sight === SEEN && isFrameHolder(each) && frames.push(refOf(each))), text() {}, close() {} };
  walkSeen(root, reader);
  const asking = askable();
  const all = root ? fieldsIn(root) : [];
  return { count: all.length, fields: all.slice(0, limit).map(toldField), frames, ...asking };
};

// A form's own fields may stand outside it, and those in shadow roots within it are none of its own.
function fieldsIn(root) {
  const inner = shadowOf(root);
  const all = [root, ...(root.localName === "form" ? root.elements : []), ...select(FIELDS, root), ...(inner ? select(FIELDS, inner) : [])];
  const isIn = (each) => root.localName !== "form" || !each.form || each.form === root;
  return [...new Set(all)].filter((each) => each.matches(FIELDS) && isIn(each) && isValueField(each));
}

function isValueField(element) {
  return !NO_FIELD.test(element.type) && (element.matches("input, select, textarea") || isEditingHost(element));
}

function toldField(element) {
  const told = { ref: refOf(element), name: factOf(propertyOf(element, "name") || element.id), label: nameOf(element), type: propertyOf(element, "type") ?? "text" };
  if (/^(?:checkbox|radio)$/.test(element.type)) told.checked = element.checked;
  told.value = fieldValue(element);
  return told;
}

lib.metadata = () => {
  const meta = {};
  for (const each of [...document.querySelectorAll("meta")].slice(0, 200)) {
    const name = each.name || each.getAttribute("property") || each.httpEquiv || each.getAttribute("itemprop");
    if (name) meta[factOf(name)] = factOf(each.content);
  }
  const links = {};
  for (const each of document.querySelectorAll("link[rel][href]")) {
    if (/^(?:canonical|alternate|icon|shortcut icon|next|prev|author|license|manifest|amphtml)$/i.test(each.rel)) (links[each.rel] ??= []).length < 10 && links[each.rel].push(factOf(each.href));
  }
  return { title: factOf(document.title), url: location.href, language: document.documentElement?.lang ?? "", charset: document.characterSet, type: document.contentType, meta, links };
};
