// States and values of an element, as marks behind its line.

function marksOf(element, role) {
  const marks = [];
  if (isDisabled(element)) marks.push("disabled");
  marks.push(...toggles(element, role));
  if (element.required || isOn(element, "aria-required")) marks.push("required");
  if (isOn(element, "aria-invalid", NOT_FALSE)) marks.push("invalid");
  if (isReadOnly(element)) marks.push("readonly");
  if (element.paused === false) marks.push("playing");
  if (isOn(element, "aria-busy")) marks.push("busy");
  if (isOn(element, "aria-current", NOT_FALSE)) marks.push("current");
  const sorted = sortOf(element);
  if (sorted) marks.push(sorted);
  const level = depthOf(element, role);
  if (level > 1) marks.push(`level=${level}`);
  if (isActive(element, role)) marks.push("active");
  if (isFocused(element)) marks.push("focused");
  return marks;
}

// The column a table is sorted by.
function sortOf(element) {
  if (!saysMore(element)) return "";
  const said = stateSaid(element, "aria-sort");
  return said === "ascending" || said === "descending" ? `sort=${said}` : "";
}

// How deep an item of a tree is whose items stand one below the other: those in a group are told below
// the one it belongs to.
function depthOf(element, role) {
  if (role !== "row" && (role !== "treeitem" || parentOf(element)?.getAttribute("role") === "group")) return 0;
  return Number.parseInt(saidBy(element, "aria-level") ?? "", 10);
}

// What the keys would choose, where the focus stays in a field above it.
const CHOSEN_BY_KEYS = /^(?:gridcell|menuitem|menuitemcheckbox|menuitemradio|option|row|tab|treeitem)$/;

function isActive(element, role) {
  return CHOSEN_BY_KEYS.test(role) && element.getRootNode().activeElement?.ariaActiveDescendantElement === element;
}

const TRUE = /^true$/;
const NOT_FALSE = /^(?!(?:false|undefined)$)./; // any other word means that it is so

// In small letters: servers write True as well, and Chrome takes it.
function stateSaid(element, attribute) {
  return saidBy(element, attribute)?.toLowerCase();
}

function isOn(element, attribute, wanted = TRUE) {
  const said = stateSaid(element, attribute);
  return said !== undefined && wanted.test(said);
}

function isDisabled(element) {
  return isSwitchedOff(element) || isOn(element, "aria-disabled") || isDisabledAround(element);
}

const DISABLING = "[aria-disabled=true i], [aria-disabled=false i]";
let disabling = { boxes: null, any: false }; // by reading: does the page say it of anything?

// Whether it can have the focus, and stands in something that is disabled as a whole: a toolbar, say.
function isDisabledAround(element) {
  if (!isFocusable(element)) return false;
  if (disabling.boxes !== boxes) disabling = { boxes, any: document.querySelector(DISABLING) !== null };
  if (!disabling.any && element.getRootNode() === document) return false;
  let said = null;
  for (let at = element; at && !said; at = at.getRootNode().host) said = at.closest(DISABLING);
  return said?.getAttribute("aria-disabled").toLowerCase() === "true";
}

// As far as the page says it at once: what its internals said may be over.
function isDisabledNow(element) {
  return isSwitchedOff(element) || element.getAttribute("aria-disabled")?.toLowerCase() === "true";
}

function isSwitchedOff(element) {
  return ("disabled" in element || tagOf(element).includes("-")) && element.matches(":disabled");
}

function isReadOnly(element) {
  return (element.readOnly === true && /^(input|textarea)$/.test(element.localName)) || isOn(element, "aria-readonly");
}

function isFocused(element) {
  return element.getRootNode().activeElement === element && !isRoot(element);
}

const CHECKABLE = /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio|option|treeitem)$/;
const SELECTABLE = /^(option|tab|row|gridcell|treeitem|cell|columnheader|rowheader)$/;

function toggles(element, role) {
  const marks = [];
  if (CHECKABLE.test(role)) {
    const state = checkedOf(element);
    if (state) marks.push(state === "mixed" ? "checked=mixed" : "checked");
  }
  const pressed = role === "button" && stateSaid(element, "aria-pressed");
  if (pressed === "true" || pressed === "mixed") marks.push(pressed === "true" ? "pressed" : "pressed=mixed");
  const expanded = expandedOf(element);
  if (expanded !== undefined) marks.push(expanded ? "expanded" : "collapsed");
  if (SELECTABLE.test(role) && (isOn(element, "aria-selected") || (element.localName === "option" && element.selected))) marks.push("selected");
  return marks;
}

function checkedOf(element) {
  if (element.localName === "input" && /^(checkbox|radio)$/.test(element.type)) {
    if (element.indeterminate && element.type === "checkbox") return "mixed";
    return isTickedBox(element);
  }
  const said = stateSaid(element, "aria-checked");
  return said === "mixed" ? "mixed" : said === "true";
}

// Boxes whose `aria-checked` the page has changed while we looked. Where nobody sees such a box, what is
// painted for it follows that: Chrome takes the tick of a click back that the page has kept to itself.
const spokenFor = new WeakSet();

function isTickedBox(box) {
  const isPainted = spokenFor.has(box) && !(box.checkVisibility(STRICT) && isVisible(box));
  return isPainted && box.hasAttribute("aria-checked") ? isOn(box, "aria-checked") : box.checked;
}

const HAS_OPEN = CSS.supports("selector(:open)"); // since Chrome 133

// A list that the page draws itself, over what is below it (`appearance: base-select`, since Chrome 135):
// its options are parts of the page like others.
function isOpenInPage(select) {
  return HAS_OPEN && select.matches(":open") && getComputedStyle(select).appearance === "base-select";
}

function expandedOf(element) {
  if (element.localName === "summary" && element.parentElement?.localName === "details") return element.parentElement.open;
  if (isMarkedByChrome(element)) return false;
  if (HAS_OPEN && element.localName === "select" && element.matches(":open")) return true;
  const popover = popoverOf(element);
  if (popover) return popover.matches(":popover-open");
  const said = stateSaid(element, "aria-expanded");
  return said === "true" ? true : said === "false" ? false : undefined;
}

// What a button shows and hides by markup alone.
function popoverOf(element) {
  if (element.localName !== "button" && element.type !== "button") return null;
  const named = /-popover$/.test(element.command) ? element.commandForElement : element.popoverTargetElement;
  return named?.popover ? named : null;
}

// Switched off by a style (`interactivity`, since Chrome 135): what is in it is told so by itself.
function isIdleByStyle(element, style = getComputedStyle(element)) {
  return style.interactivity === "inert";
}

function levelOf(element) {
  const said = Number.parseInt(saidBy(element, "aria-level") ?? "", 10);
  if (said > 0) return said;
  return /^h[1-6]$/.test(element.localName) ? Number(element.localName[1]) : 2;
}

const SECRET = /(?:^|\s)(?:cc-[\w-]+|one-time-code|current-password|new-password)(?:\s|$)/i;
const ONLY_NEW = /^\s*new-password\s*$/i; // in what searches and suggests, a way to be left alone by Chrome

function isSecret(element) {
  const said = element.getAttribute("autocomplete") ?? "";
  return element.type === "password" || (SECRET.test(said) && !(ONLY_NEW.test(said) && isSuggesting(element))) || masksLetters(element);
}

function isSuggesting(element) {
  return /^(?:combobox|searchbox)$/.test(roleOf(element));
}

function masksLetters(element) {
  const style = getComputedStyle(element);
  return style.webkitTextSecurity !== "none" && (style.webkitTextSecurity === "" || isMasked(style, element));
}

// What a field holds, as its reader may know it; undefined for what holds nothing.
function valueOf(element) {
  const tag = element.localName;
  if (tag === "select") return [...(element.selectedOptions ?? [])].map((option) => option.label.trim()).join(", ");
  if (tag === "textarea" || tag === "input") return inputValue(element);
  if (tag === "progress") return element.hasAttribute("value") ? `${Math.round(element.position * 100)}%` : undefined;
  if (tag === "meter") return String(element.value);
  const said = saidBy(element, "aria-valuetext") ?? saidBy(element, "aria-valuenow");
  return said ?? (isEditingHost(element) || contextOf(element) ? editedText(element) : undefined);
}

function editedText(editor) {
  const text = contextOf(editor)?.text ?? editor.innerText;
  return text.trim() && masksLetters(editor) ? MASK : text;
}

const WITHOUT_VALUE = /^(button|checkbox|hidden|image|radio|reset|submit)$/;

function inputValue(input) {
  if (WITHOUT_VALUE.test(input.type)) return undefined;
  if (input.type === "file") return [...input.files].map((file) => file.name).join(", ");
  return input.value && isSecret(input) ? MASK : input.value;
}

// What a person sees in an empty field, where its name says something else.
function placeholderOf(element, name) {
  const text = clean(isEditingHost(element) ? editorHint(element) : fieldHint(element));
  return text && text !== name ? text : "";
}

function fieldHint(field) {
  return /^(input|textarea)$/.test(field.localName) && !field.value ? field.placeholder ?? "" : "";
}

// Editors write it with a style sheet, into themselves or their first paragraph.
function editorHint(editor) {
  if (editor.textContent.trim()) return "";
  const first = editor.firstElementChild;
  return pseudoText(editor, "::before") || (first ? pseudoText(first, "::before") : "");
}

const PLAIN_INPUTS = /^(button|checkbox|email|image|number|password|radio|range|reset|search|submit|text)$/;

// The kind of a field that wants its value in a form of its own.
function kindOf(element) {
  return element.localName === "input" && !PLAIN_INPUTS.test(element.type) ? element.type : "";
}
