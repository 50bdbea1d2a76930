// One walk over the page: makes a small tree of what a person can see and use.
//
// Elements that only hold others leave nothing but a border between texts. A node is {role, name,
// ref, marks, value, kids, element}; a text is {text, element}.

let run = ""; // text that is being collected for the innermost node
let runElement = null;
let runNode = null; // its first text in the document
let runLast = null; // whose text it ends with
let runs = 0; // that have ended
let seenBefore = new Map(); // for controls asked about out of order
let interactiveOnly = false;

// `at` is what the ancestors mean for an element: `pointer` (they have the hand cursor), `ground`
// (what is painted behind), `clipped`, `idle` (inert), `muted` (its text is a name already),
// `jointed` (that of an item which may have a part for another press).
function startAt(element) {
  const parent = parentOf(element);
  const above = parent ? seenAlone(parent, seenBefore) : { sight: SEEN, clipped: 0 };
  const chain = [];
  for (let each = parent; each; each = parentOf(each)) chain.unshift(each);
  let ground = firstGround();
  for (const each of chain) ground = groundOf(each, getComputedStyle(each), ground);
  return {
    pointer: Boolean(parent) && hasHand(parent, getComputedStyle(parent)),
    ground,
    clipped: above.clipped,
    idle: chain.some((each) => each.inert),
    muted: false,
    jointed: false,
    talks: hasPseudoText(element),
  };
}

// Deeper than any parser builds a page (512), and half of what the stack holds.
const MOST_NESTED = 1000;
let nesting = 0;
let affordable = Infinity; // elements that may still be visited

function visit(element, kids, at) {
  if (affordable-- <= 0) return;
  if (nesting >= MOST_NESTED) {
    endRun(kids);
    kids.push({ text: "… nested too deeply to be read", element });
    return;
  }
  nesting++;
  walked++;
  const style = getComputedStyle(element);
  if (enough <= 0 && isPassedOver(element, style)) passOver(kids);
  else if (!striking && !at.muted && isStruck(element, style)) strike(kids, () => visitNow(element, style, kids, at));
  else visitNow(element, style, kids, at);
  nesting--;
}

function visitNow(element, style, kids, at) {
  const tag = tagOf(element);
  const { display } = style;
  const sight = judge(element, style, at.clipped, display);
  if (sight === GONE) {
    if (display === "") suspectParent(element);
    else if (display !== "none") noteVeiled(element, style);
    return;
  }
  if (sight === UNSEEN) noteVeiled(element, style);
  if (tag === "math" && isFormula(element)) {
    visitFormula(element, style, kids, at, sight);
    return;
  }
  suspect(element);
  if (isBlock(display)) {
    endRun(kids);
    describe(element, style, kids, at, sight, display);
    endRun(kids);
  } else if ((display === "inline" || display === "contents") && tag !== "br") {
    describe(element, style, kids, at, sight, display);
  } else {
    const gap = isLetter(element, display) ? "" : " ";
    run += gap;
    describe(element, style, kids, at, sight, display);
    run += gap;
  }
}

function visitFormula(element, style, kids, at, sight) {
  const text = sight === SEEN && !at.clipped && !at.muted ? clean(formulaText(element, groundOf(element, style, at.ground))) : "";
  if (!text) return;
  const usable = isMadeUsable(element);
  if (!usable && !style.display.startsWith("block")) {
    addText(element, text);
    return;
  }
  endRun(kids);
  kids.push({ ...nodeOf(element, "math", usable, at), value: text });
}

function isBlock(display) {
  return display === "block" || (display !== "contents" && display !== "inline" && !display.startsWith("inline") && !display.startsWith("ruby"));
}

function describe(element, style, kids, at, sight, display) {
  const tag = tagOf(element);
  if (element === labelled && at.muted) at = { ...at, muted: false };
  if (tag === "label" && element.control) {
    visitLabel(element, style, kids, at, sight, display);
    return;
  }
  if (sight === SEEN && tag === "details" && isOpenedByChrome(element)) {
    endRun(kids);
    kids.push({ ...nodeOf(element, "button", true, at), name: "Details", marks: ["expanded"] });
  }
  const role = roleOf(element);
  let within = null;
  let usable = sight === SEEN && isUsableByRole(element, role);
  if (!usable) {
    within = inside(element, style, at, display);
    usable = sight === SEEN && isUsableOtherwise(element, within.pointer && !at.pointer && (!at.muted || (at.jointed && isWordless(element))));
  }
  if (!usable && (at.muted || sight !== SEEN || !isWorthALine(role) || (role === "heading" && hidesAll(element, style, within.clipped, display)))) {
    if (!role && sight === SEEN && !at.muted && !at.clipped && isSign(element)) visitSign(element, style, kids, within, display);
    else visitChildren(element, kids, within, style, sight, display);
    return;
  }
  endRun(kids);
  const node = nodeOf(element, role, usable, at, element, style);
  if (tag === "select") within = inside(element, style, at, display, false); // its options are no words of its label
  else if (isToldByName(node) && !at.muted) within = inside(element, style, at, display, true, JOINTED.has(role));
  if (usable || !interactiveOnly) spend(node.name, node.value);
  const undivided = usable || role === "row" || role === "heading";
  if (undivided) inOnePiece++;
  visitChildren(element, node.kids, within ?? inside(element, style, at, display), style, sight, display);
  endRun(node.kids);
  if (undivided) inOnePiece--;
  settle(node, kids, sight);
}

function isWorthALine(role) {
  return STRUCTURES.has(role) || WIDGETS.has(role) || OBJECTS.has(role);
}

// Stars, a dot of a colour, a box to drop things on: what they are only their name says.
function isSign(element) {
  if (!element.hasAttribute("aria-label") && !element.hasAttribute("title")) return false;
  if (isRoot(element) || !isBlank(element.textContent) || isSliver(boxOf(element))) return false;
  return shadowOf(element) !== null || [element, ...element.querySelectorAll("*")].some(paintsItself);
}

function visitSign(element, style, kids, within, display) {
  endRun(kids);
  const node = { ...nodeOf(element, "", false, within), name: nameOf(element, "", style) };
  visitChildren(element, node.kids, within, style, SEEN, display);
  endRun(node.kids);
  if (!node.name || node.kids.length || interactiveOnly) {
    kids.push(...node.kids);
    return;
  }
  node.ref = refOf(element);
  spend(node.name);
  kids.push(node);
}

// Items that another press unfolds, or closes, than the one that chooses them.
const JOINTED = new Set(["option", "tab", "treeitem"]);

function isWordless(element) {
  return isBlank(element.textContent) && !isTiny(boxOf(element));
}

const OBJECTS = new Set(["iframe", "canvas", "video", "audio", "embed"]);

// What is drawn can be used by position only, and so by its ref, whatever it calls itself.
function isObject(element, role) {
  return OBJECTS.has(role) || element.localName === "canvas";
}

// Whether a person would take it for something to click, type into or look inside.
function isUsable(element, role, pointed) {
  return isUsableByRole(element, role) || isUsableOtherwise(element, pointed);
}

function isUsableOtherwise(element, pointed) {
  if (!pointed && !element.hasAttributes()) return false;
  return !isRoot(element) && (pointed || isMadeUsable(element));
}

function isUsableByRole(element, role) {
  return WIDGETS.has(role) || isObject(element, role);
}

function isMadeUsable(element) {
  return element.localName === "button" || element.hasAttribute("onclick") || (element.hasAttribute("tabindex") && element.tabIndex >= 0) || element.getAttribute("draggable") === "true" || isSaidEditable(element);
}

// The hand cursor is a sign of something to click: of the outermost element that has it, unless that
// only holds items. Then each of them is meant.
const HOLDS_ITEMS = new Set(["ul", "ol", "menu", "table", "thead", "tbody", "tfoot"]);

function hasHand(element, style) {
  return style.cursor === "pointer" && !HOLDS_ITEMS.has(element.localName);
}

// Where nothing is told but what can be used by itself, hands and grounds are not asked for.
function inside(element, style, at, display, muted = at.muted, jointed = at.jointed) {
  const bare = muted && !jointed;
  const ground = bare ? at.ground : groundOf(element, style, at.ground);
  const pointer = bare ? at.pointer : hasHand(element, style);
  const clipped = clippingOf(element, style, at.clipped, display);
  const idle = at.idle || element.inert === true;
  const talks = shadowOf(element) ? rootTalks(shadowOf(element)) : at.talks;
  const same = ground === at.ground && pointer === at.pointer && clipped === at.clipped && idle === at.idle && muted === at.muted && jointed === at.jointed && talks === at.talks;
  return same ? at : { pointer, ground, clipped, idle, muted, jointed, talks };
}

function visitChildren(element, kids, at, style, sight, display) {
  if (isKeptBack(element, style, display)) return;
  const told = !at.muted && sight === SEEN && !at.clipped; // is its own text worth collecting?
  const talks = told && (at.talks || isQuoted(element));
  if (talks) addPseudoText(element, "::before", at.ground);
  let legible; // asked at the first text only
  const visitChild = (child) => {
    const type = typeOf(child);
    if (type === TEXT) {
      if (!told) return;
      const { data } = child;
      if (isBlank(data)) run += " ";
      else if ((legible ??= isLegible(element, style, at.ground, child))) addText(element, painted(data, style, child), child);
    } else if (type === ELEMENT && !(ownerOf.size && ownerOf.has(child))) visit(child, kids, at);
  };
  const special = specialChildren(element);
  if (special && shadowOf(element)) noteOwners(shadowOf(element), element);
  if (special) for (const child of special) visitChild(child);
  else for (let child = firstOf(element); child; child = nextOf(child)) visitChild(child);
  if (special === NOTHING && element.useMap && sight === SEEN && !at.clipped) visitAreas(element, kids, at);
  if (belongings.has(element)) visitBelongings(element, kids, at);
  if (talks) addPseudoText(element, "::after", at.ground);
}

function visitAreas(image, kids, at) {
  endRun(kids);
  for (const area of areasOf(image)) {
    const node = nodeOf(area, roleOf(area), true, at);
    if (isCovered(image)) node.marks.push("covered");
    kids.push({ ...node, element: image });
  }
}

// They are elsewhere on the page: what their own ancestors mean for them holds, not their owner's.
function visitBelongings(owner, kids, at) {
  for (const each of belongings.get(owner)) {
    if (seenAlone(each, seenBefore).sight === GONE) continue;
    const muted = at.muted && !OWN_GROUP.has(each.getAttribute("role"));
    visit(each, kids, { ...startAt(each), muted });
  }
}

function addPseudoText(element, which, ground) {
  const text = pseudoText(element, which, ground);
  if (text) addText(element, text);
}

function addText(element, text, node = null) {
  if (!runElement) runElement = element;
  else if (runLast !== element) run += jointOf(run, runLast, element, text);
  runLast = element;
  runNode ??= node;
  run += text;
}

function endRun(kids) {
  if (runElement) {
    const text = clean(run);
    if (text) {
      kids.push({ text, element: runElement, node: runNode });
      if (!interactiveOnly) spend(text);
    }
    runElement = runNode = null;
  }
  run = "";
  runs++;
}

let striking = false; // once is enough, and each would take its room on the stack

// Marks what is told meanwhile, as far as it is text of its own.
function strike(kids, tell) {
  const [begun, first, count] = [run.length, kids.length, runs];
  const alone = isBlank(run);
  striking = true;
  try {
    tell();
  } finally {
    striking = false;
  }
  if (runs === count) run = run.slice(0, begun) + struck(run.slice(begun));
  else {
    const texts = kids.slice(first).filter((kid) => kid.text !== undefined);
    for (const kid of alone ? texts : texts.slice(1)) kid.text = struck(kid.text);
    run = struck(run);
  }
}

let namesByLabel = new Map(); // of the controls whose labels were met before them
let labelled = null; // the control of the label that is visited: what that holds is no part of its name

// The text of a label is the name of its control: said there, and not again here. A control that
// cannot be seen is told of in the place of its label, which takes the click for it.
function visitLabel(label, style, kids, at, seen, display) {
  const { control } = label;
  const within = inside(label, style, at, display);
  const role = roleOf(control);
  seenBefore.set(label, { sight: seen, clipped: within.clipped, empty: isKeptBack(label, style, display) });
  const { sight } = seenAlone(control, seenBefore);
  const shown = sight === SEEN && !isTiny(boxOf(control));
  if (!shown && role && isPaintedByLabel(control)) {
    endRun(kids);
    const node = nodeOf(control, role, true, at, label);
    visitChildren(label, node.kids, { ...within, muted: true }, style, SEEN, display);
    settle(node, kids, SEEN);
    return;
  }
  if (shown && (role || onlyFieldIn(control))) {
    const name = nameOf(control, role);
    if (nameSource === "label") {
      namesByLabel.set(control, name);
      const around = labelled;
      if (!at.muted) labelled = control;
      visitChildren(label, kids, { ...within, muted: true }, style, SEEN, display);
      labelled = around;
      return;
    }
  }
  visitChildren(label, kids, within, style, SEEN, display);
}

function isPaintedByLabel(control) {
  return control.localName === "input" && /^(checkbox|radio|file)$/.test(control.type);
}

function nodeOf(element, role, usable, at, place = element, style = null) {
  const called = role || (usable && element.hasAttribute("aria-label"));
  const name = called && (usable || !TOLD_BY_TEXT.has(role)) ? nameInReading(element, role, style) : "";
  const node = { role: role || "generic", name, source: name ? nameSource : "", ref: "", marks: [], value: undefined, kids: [], element: place, usable };
  if (usable) {
    node.ref = refOf(place);
    node.marks = marksOf(element, role);
    const kind = kindOf(element);
    if (kind) node.marks.unshift(kind);
    const hint = placeholderOf(element, name);
    if (hint) node.marks.push(`placeholder=${quoted(hint)}`);
    if (!WIDGETS.has(role) && !isObject(element, role)) node.marks.push(useOf(element));
    if (at.idle || element.inert || isIdleByStyle(element, style ?? undefined)) node.marks.push("inert");
    else if (isCovered(place)) node.marks.push("covered");
  } else if (saysMore(element) && (saidBy(element, "aria-selected") !== null || element.hasAttribute("aria-current") || (role === "row" && element.hasAttribute("aria-level")))) {
    node.marks = marksOf(element, role);
  }
  if (role === "heading") node.marks.unshift(`level=${levelOf(element)}`);
  if ((role === "dialog" || role === "alertdialog") && isModal(element)) node.marks.push("modal");
  node.value = valueTold(element, role);
  return node;
}

function nameInReading(element, role, style) {
  const known = namesByLabel.get(element);
  if (known === undefined) return nameOf(element, role, style);
  nameSource = "label";
  return known;
}

function useOf(element) {
  if (isSaidEditable(element)) return "editable";
  return element.getAttribute("draggable") === "true" ? "draggable" : "clickable";
}

const TOLD_BY_TEXT = new Set(["cell", "columnheader", "gridcell", "row", "rowheader", "tooltip"]); // and by no name

function isModal(element) {
  return isOn(element, "aria-modal") || (element.localName === "dialog" && element.matches(":modal"));
}

const VALUED = new Set(["textbox", "searchbox", "spinbutton", "slider", "combobox", "progressbar", "meter", "scrollbar", "separator"]);

function isValuedByTag(element) {
  const tag = tagOf(element);
  return tag === "select" || (tag === "input" && /^(?:color|file)$/.test(element.type));
}

function valueTold(element, role) {
  if (!VALUED.has(role) && !isValuedByTag(element)) return undefined;
  const value = valueOf(element);
  return value === undefined ? undefined : clean(value);
}

const TYPED_INTO = new Set(["combobox", "searchbox", "textbox"]);

// Whether the element's own words are in its line already.
function isToldByName(node) {
  if (node.value !== undefined && TYPED_INTO.has(node.role)) return true;
  return node.source === "content" && node.name.length <= LONGEST_NAME && !TOLD_BY_TEXT.has(node.role);
}
