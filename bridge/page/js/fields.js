// Fields: what can be typed into, what they hold, and values that are set rather than typed.

// Inputs whose value has a form of its own and a picker instead of a caret.
const PICKED = /^(date|time|datetime-local|month|week|color|range)$/;
const PARTED = /^(date|time|datetime-local|month|week)$/; // the caret is in one part of it
const TYPED = /^(text|search|url|tel|email|password|number)$/;

// Makes a field ready to be typed into; `wanted` null means what has the focus.
// {kind: "typed" | "set" | "keys" | "lost", ...}
lib.focusField = async (wanted, options) => {
  const before = deepFocus();
  const focused = await focusedField(wanted, options);
  if (wanted && deepFocus() !== before) await turn(); // a page may draw the field anew for that, right away
  return acted.field.isConnected ? focused : focusedInstead(focused, options);
};

function focusedField(wanted, { ms, clear = false, keys = false, text = "" }) {
  return whenReady(() => {
    const picked = wanted ? pick(wanted) : { element: deepFocus(), matches: 1 };
    if (picked instanceof NotYet) return picked;
    if (!wanted && FRAME_TAGS.has(picked.element?.localName)) return fail("NOT_ACTIONABLE", `the focus is in ${whatItIs(picked.element)}, of which no field is known; name one`);
    if (!wanted && !picked.element) return fail("NOT_ACTIONABLE", "nothing on the page has the focus; name a field");
    const field = fieldOf(picked.element);
    const kind = kindOfField(field, keys);
    if (kind instanceof NotYet) return kind;
    const not = unreadyField(field, picked.matches);
    return not ?? { ...prepared(field, kind, { clear, text, caret: !wanted }), matches: picked.matches };
  }, ms);
}

// Where the page has drawn the field anew because it got the focus.
function focusedInstead({ matches }, { clear = false, keys = false, text = "" }) {
  const next = successorOf(acted.likeness);
  if (!next) return fail("NOT_ACTIONABLE", "it left the page when it got the focus");
  const focused = prepared(next, kindOfField(next, keys), { clear, text, caret: acted.caret });
  return acted.field.isConnected ? { ...focused, matches } : fail("NOT_ACTIONABLE", "the page replaces it whenever it gets the focus");
}

// What an editor that paints itself has in place of a field, which may have no size; null for others.
function contextOf(element) {
  return element.editContext ?? null;
}

// The innermost element that has the focus; null if none has.
function deepFocus() {
  let found = document.activeElement;
  for (let inner; (inner = found && shadowOf(found)?.activeElement); ) found = inner;
  if (found === document.body && document.designMode === "on") return document.documentElement; // that is the editor
  return found === document.body || found === document.documentElement ? (found?.isContentEditable ? found : null) : found;
}

// A label stands for its control, a web component for the one field in it, a part of an editor for
// the editor.
function fieldOf(element) {
  if (element.localName === "label" && element.control) return element.control;
  if (!element.isContentEditable) return onlyFieldIn(element) ?? element;
  let host = element;
  while (host.parentElement?.isContentEditable) host = host.parentElement;
  return host;
}

const FIELD_TAGS = "input:not([type=hidden]), textarea, select, [contenteditable]";

function onlyFieldIn(component) {
  const root = component.localName.includes("-") ? shadowOf(component) : null;
  const found = [...(root?.querySelectorAll(FIELD_TAGS) ?? [])].filter((each) => each.getAttribute("aria-hidden") !== "true");
  return found.length === 1 ? found[0] : null;
}

function kindOfField(field, keys) {
  if (field.localName === "textarea" || field.isContentEditable || contextOf(field)) return "typed";
  if (field.localName === "input" && TYPED.test(field.type)) return "typed";
  if (field.localName === "input" && PICKED.test(field.type)) return keys ? "keys" : "set";
  if (keys && !isForPressing(field)) return "keys";
  return fail("NOT_ACTIONABLE", `it is ${whatItIs(field)} and no text field; ${whatElse(field)}`);
}

function whatItIs(element) {
  if (element.localName === "input") return `an input of type ${element.type}`;
  const role = roleOf(element);
  const tag = cut(clean(element.localName), 40);
  return role ? `a ${role} (${tag})` : `a ${tag} element`;
}

// Takes keys, and no text: what would be typed into it is lost, or does something else.
function isForPressing(element) {
  return /^(?:input|select)$/.test(element.localName) || /^(?:button|checkbox|link|radio|switch)$/.test(roleOf(element));
}

function whatElse(field) {
  if (field.localName === "select") return "use select_option";
  if (field.type === "file") return "use upload_file";
  if (isForPressing(field)) return "click it, or press a key in it (press)";
  const role = roleOf(field);
  if (/^(?:scrollbar|slider|spinbutton)$/.test(role)) return "press arrow keys in it (press), or drag it";
  if (/^(?:combobox|listbox|menu|option|tree)$/.test(role)) return "click it, and then what is to be chosen";
  return "type into a field, or send key events to it (keyEvents)";
}

function unreadyField(field, matches) {
  if (!placeOf(field) && !contextOf(field)) return notActionable(matches > 1 ? `none of its ${matches} matches is visible` : "it is not visible");
  if (isReadOnly(field)) return notActionable("it is read-only");
  return refusal(field);
}

// `caret`: the text goes where the caret is.
function prepared(field, kind, { clear, text, caret }) {
  refuseMisfit(field, kind, { clear, text, caret });
  startWatching(field);
  if (!shownRects(field).some((rect) => inViewport(rect))) field.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const act = { field, kind, before: heldBy(field), caret, likeness: likenessOf(field), heard: false };
  acted = act;
  noteTextIn(field, () => (act.heard = true));
  const secret = isSecret(field);
  if (kind === "set") {
    field.focus({ preventScroll: true });
    return { kind, secret };
  }
  const begun = deepFocus() === field && !caret;
  // The body of a frame is its active element, also while another frame hears the keys.
  if (deepFocus() !== field || !document.hasFocus()) field.focus({ preventScroll: true });
  if (!hasFocus(field) && kind !== "keys") return { kind: "lost" };
  if (kind !== "typed") return { kind, secret, keys: begun && PARTED.test(field.type) ? "first" : "" };
  const placed = clear ? selectAll(field) : caret || toEnd(field);
  const spills = isTooLong(field, text, clear ? 0 : heldBy(field).length);
  return { kind, secret, spills, keys: placed ? "" : clear ? "all" : "end", mac: /Mac/.test(navigator.platform), empty: !heldBy(field) };
}

// More than it takes, as for a code with a field for each digit: typed key by key, the page may lead
// from one field to the next. A break would be the Enter key.
const LONGEST_CODE = 64;

function isTooLong(field, text, held) {
  return held + text.length > limitOf(field) && text.length <= LONGEST_CODE && !/[\n\r\t]/.test(text);
}

// Behind a key: whether what has the focus takes no more, also once the page could lead on.
lib.isFull = async () => {
  const isFull = () => deepFocus()?.maxLength >= 0 && deepFocus().value.length >= limitOf(deepFocus());
  if (isFull()) await frameOrLater();
  await turn();
  return isFull();
};

// Whether the fields behind it hold what it did not.
function isSpread(field, text) {
  const all = [...field.getRootNode().querySelectorAll("input")].filter((each) => TYPED.test(each.type));
  let held = "";
  for (const each of all.slice(all.indexOf(field))) {
    if (held.length < text.length) held += each.value;
  }
  return held === text;
}

let acted = null;

function hasFocus(field) {
  const focused = deepFocus();
  return focused !== null && (isWithin(focused, field) || (field.isContentEditable && isWithin(field, focused)));
}

// False where only keys do it for certain: an editor has a selection of its own, which hears of ours
// too late, and may hold more than it shows.
function selectAll(field) {
  if (contextOf(field)) return false;
  if (field.select) field.select();
  else getSelection().selectAllChildren(field);
  return !field.isContentEditable;
}

// Behind what it holds; false as above (number and e-mail fields have no caret to set, either).
function toEnd(field) {
  if (contextOf(field)) return false;
  if (field.isContentEditable) {
    getSelection().selectAllChildren(field);
    getSelection().collapseToEnd();
    return false;
  }
  try {
    field.setSelectionRange(field.value.length, field.value.length);
    return true;
  } catch {
    return field.value === "";
  }
}

function heldBy(field) {
  if (contextOf(field)) return contextOf(field).text;
  if (field.isContentEditable) return field.innerText.replace(/\u00a0/g, " ").replace(/\n$/, "");
  return field.value ?? "";
}

// As a person would with the picker; the page hears of it as of any other change.
lib.setField = (text) => {
  if (!acted) fail("REF_EXPIRED", "its page was left before it was set");
  acted.field.value = text;
  acted.field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  acted.field.dispatchEvent(new Event("change", { bubbles: true, composed: true }));
};

// What the field holds now, and whether that is the text; a secret is not told, only its length.
// `enter`: the Enter key is next, and may send a form.
lib.typed = async (text, { clear = false, enter = false } = {}) => {
  let told = await pageTold();
  const { before, caret } = acted ?? {};
  const gone = Boolean(acted) && !acted.field.isConnected;
  const field = gone ? successorOf(acted.likeness) : acted?.field;
  if (enter && field) await suggestionsFor(field);
  if (enter) expectRefusals(field);
  const there = Boolean(field?.isConnected) && holdsText(field);
  const wanted = clear || !before || acted.kind === "set" ? text : before + text;
  const isExact = () => there && holds(field, wanted, wanted === text ? null : { text, caret });
  if (there && field.isContentEditable && !isExact()) {
    await frameOrLater(); // many an editor renders what it holds with the next frame
    await turn();
    told = await pageTold(true);
  }
  const value = there ? heldBy(field) : "";
  const secret = there && isSecret(field);
  const exact = isExact();
  const spread = there && !exact && (limitOf(field) < Infinity || deepFocus() !== field) && isSpread(field, text);
  const partly = there && !exact && field.isContentEditable && isPartOfText(value, wanted);
  return {
    there,
    gone,
    missed: gone && text !== "" && !exact && !acted.heard && heldBy(acted.field) === before,
    instead: gone && field ? numberOf(field) : null,
    exact: exact || partly || spread,
    partly,
    spread,
    added: there && !clear && Boolean(before) && plain(value) !== plain(text), // to what was there
    shaped: there && !exact && isShaped(field, wanted, value, before),
    unchanged: value === before && text !== "",
    value: secret ? null : cut(clean(value), LONGEST_VALUE),
    length: value.length,
    limit: there && limitOf(field) < Infinity ? limitOf(field) : null,
    form: there ? (FORMS[field.type] ?? null) : null,
    ...told,
  };
};

// The Enter key chooses from what a field suggests: that has to be what it suggests for this text. Pages
// look for it a while after the last key.
const SUGGESTED_MS = 400;

async function suggestionsFor(field) {
  if (roleOf(field) !== "combobox" || !(field.hasAttribute("aria-expanded") || field.hasAttribute("aria-autocomplete"))) return;
  const come = new Promise((resolve) => {
    const observer = new MutationObserver(() => resolve(observer.disconnect()));
    for (const root of rootsAround(field)) observer.observe(root, { subtree: true, childList: true });
    pause(SUGGESTED_MS).then(() => resolve(observer.disconnect()));
  });
  await come;
  await frameOrLater();
}

// Whether a field only writes the text its own way: a mask for telephone numbers, with the prefix of a
// country, capitals, or what the browser makes of a date or a colour that it understands.
const LONGEST_PREFIX = 4;

function isShaped(field, wanted, value, before) {
  if (value !== "" && isTakenAs(field, wanted, value)) return true;
  const signs = wordsOnly(wanted);
  const held = wordsOnly(value);
  const more = held.length - signs.length;
  if (signs === "" || !held.endsWith(signs)) return false;
  return more === 0 || (more <= LONGEST_PREFIX && value !== before && !isAnotherNumber(held.slice(0, more), signs, value));
}

// Digits before digits are of another number (0.50 for 50), but for those behind a plus.
function isAnotherNumber(prefix, signs, value) {
  return DIGIT.test(prefix.at(-1)) && DIGIT.test(signs[0]) && !/^\W*\+/.test(value);
}

function wordsOnly(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

// What else takes keys, such as a game or a drawing, cannot be asked what became of them.
function holdsText(element) {
  return element.isContentEditable || contextOf(element) !== null || typeof element.value === "string";
}

// What the Enter key did behind a text.
lib.entered = async () => {
  await turn();
  const unsent = unsentByKey();
  return { ...(await pageTold()), unsent };
};

// `added`: to what was there before, of which an editor need not show all.
function holds(field, wanted, added) {
  const form = field.isContentEditable ? asLines : plain;
  const value = form(heldBy(field));
  if (value === form(wanted) || !added) return value === form(wanted);
  return added.caret ? value.includes(form(added.text)) : value.endsWith(form(added.text));
}

function plain(text) {
  return text.replace(/\r\n?/g, "\n");
}

// Editors make paragraphs of lines, and other spaces of spaces.
function asLines(text) {
  return plain(text).replace(/[\t\u00a0]/g, " ").replace(/\n+/g, "\n").replace(/^\n|\n$/g, "");
}

// Whether an editor can be one that shows only the lines around the caret, of the text it holds.
function isPartOfText(value, wanted) {
  const all = asLines(wanted);
  const shown = asLines(value).split("\n");
  let at = 0;
  for (const line of shown) {
    const found = all.indexOf(line, at);
    if (found < 0) return false;
    at = found + line.length;
  }
  return value !== "" && all.endsWith(shown.at(-1));
}

// Gives an element the focus, for a key that is to be pressed in it.
lib.focus = (wanted, { ms }) =>
  whenReady(() => {
    const picked = pick(wanted);
    if (picked instanceof NotYet) return picked;
    const field = fieldOf(picked.element);
    const not = placeOf(field) ? refusal(field) : notActionable("it is not visible");
    if (not) return not;
    startWatching(field);
    if (!hasFocus(field) || !document.hasFocus()) field.focus();
    expectRefusals(field);
    listenForKey(field);
    return picked.matches;
  }, ms);

lib.focusedFrame = () => {
  const focused = deepFocus();
  return focused && FRAME_TAGS.has(focused.localName) ? refOf(focused) : null;
};

// Before a key that is pressed in what has the focus.
lib.watch = () => {
  const focused = deepFocus();
  startWatching(focused);
  expectRefusals(focused);
  listenForKey(null);
};

// What a key did: where it arrived, changes, where the focus is now, and whether a form was kept back.
lib.keyed = async () => {
  const before = watched?.focus;
  const arrived = keyTold();
  const told = { ...(await pageTold()), ...arrived, unsent: unsentByKey(), isAddressed: address(deepFocus()) };
  const focused = deepFocus();
  const line = focused && focused !== before ? `~ ${lineOf(focused)}` : "";
  return told.changes.includes(line) ? told : { ...told, changes: [line, told.changes].filter(Boolean).join("\n") };
};

// How a field wants to be filled in, once it is there.
lib.fieldKind = (wanted, { ms, isAsked = false }) =>
  whenReady(() => {
    const picked = pick(wanted);
    if (picked instanceof NotYet) return picked;
    const field = fieldOf(picked.element);
    if (field.localName === "select") return "select";
    if (field.localName === "textarea" || field.isContentEditable || contextOf(field)) return "text";
    if (!isAsked && hasInternals(field)) return "unasked";
    if (isChoice(field)) return "choice";
    if (field.localName !== "input") return /radio$/.test(roleOf(field)) ? "radio" : ticksByRole(field) ? "tick" : "none";
    if (field.type === "checkbox") return "tick";
    if (field.type === "radio") return "radio";
    return TYPED.test(field.type) || PICKED.test(field.type) ? "text" : "none";
  }, ms);

lib.noField = (wanted) => {
  const field = fieldOf(choose(wanted));
  return `it is ${whatItIs(field)} and no field to fill in; ${whatElse(field)}`;
};

function ticksByRole(element) {
  return /^(checkbox|switch|menuitemcheckbox|radio|menuitemradio)$/.test(roleOf(element));
}

// True, false or "mixed"; null where only Chrome knows, and has not just been asked.
lib.isTicked = (wanted, isAsked = false) => {
  const field = fieldOf(pick(wanted).element);
  return internalsOf(field) && !isAsked ? null : checkedOf(field);
};

// What Chrome has to be asked about to know the states of an element, or of the field it stands for.
lib.telling = (wanted) => {
  const element = choose(wanted);
  return [...new Set([element, fieldOf(element)])].filter(hasInternals);
};
