// Options of a list: chosen by value or by the words a person reads.

const MOST_OPTIONS = 50; // named in an error
const LATE_MS = 1000; // for options that come when the list gets the focus, or some time after another choice

lib.pickOptions = (wanted, values, { ms }) => {
  const begun = performance.now();
  return whenReady(() => {
    const picked = pick(wanted);
    if (picked instanceof NotYet) return picked;
    const list = fieldOf(picked.element);
    if (list.localName !== "select") return notASelect(list);
    const not = placeOf(list) ? refusal(list) : notActionable("it is not visible");
    if (not) return not;
    refuseNumber(list, values);
    const missing = values.find((value) => !optionOf(list, value));
    if (missing === undefined) return readyToChoose(list, values, picked.matches);
    list.focus({ preventScroll: true });
    const lacking = lackingOption(list, missing);
    return performance.now() - begun < LATE_MS ? lacking : fail(lacking.code, lacking.why, lacking.facts);
  }, ms);
};

function notASelect(element) {
  const suggested = element.localName === "input" && element.list ? [...element.list.options] : [];
  if (!suggested.length) return fail("NOT_ACTIONABLE", `it is ${whatItIs(element)} and no select; click it, and then the option`);
  const has = `it suggests ${counted(suggested)}, as below`;
  return fail("NOT_ACTIONABLE", `it is a field with suggestions and no select: type the value; ${has}`, { page: namesOf(suggested) });
}

function refuseNumber(list, values) {
  if (!values.length && !list.multiple && list.size < 2) return fail("NOT_ACTIONABLE", "one option is always selected in it: give a value or label");
  if (values.length > 1 && !list.multiple) return fail("NOT_ACTIONABLE", "only one option can be selected in it");
}

let choice = null; // that is about to be made

function readyToChoose(list, values, matches) {
  for (const value of values) openOptionOf(list, value);
  choice = { list, values };
  startWatching(list);
  return { matches };
}

lib.chooseOptions = () => {
  if (!choice?.list.isConnected) fail("REF_EXPIRED", "it left the page before anything was chosen");
  const { list, values } = choice;
  list.focus({ preventScroll: true });
  const missing = values.find((value) => !optionOf(list, value)); // the page may have made them anew
  const { code, why, facts } = missing === undefined ? {} : lackingOption(list, missing);
  if (code) fail(code, why, facts);
  const chosen = values.map((value) => openOptionOf(list, value));
  const pressed = list.size > 1 && !list.multiple ? chosen[0] : null; // lies open: some pages wait for a click in it
  pressOn(pressed, "mousedown");
  const before = [...list.options].map((option) => option.selected).join();
  for (const option of list.options) option.selected = chosen.includes(option);
  const changed = before !== [...list.options].map((option) => option.selected).join();
  if (changed) {
    list.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
    list.dispatchEvent(new Event("change", { bubbles: true, composed: true }));
  }
  pressOn(pressed, "mouseup", "click");
  const now = [...list.selectedOptions];
  const kept = chosen.every((option) => now.includes(option)) && now.length === new Set(chosen).size;
  return { selected: now.map(wordsOf), kept, changed };
};

function pressOn(option, ...kinds) {
  for (const kind of kinds) option?.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, composed: true, view: window, detail: 1 }));
}

// Of several with these words in different groups none is meant more than the others.
function optionOf(list, value) {
  const found = optionsCalled(list, value);
  const [first] = found;
  const isApart = found.some((each) => each.value !== first.value && each.parentNode !== first.parentNode);
  return isApart ? fail("BAD_ARGS", `it has ${found.length} options ${quoted(clean(value))}, as below`, { page: namesOf(found), hint: "Name it with its group, or by its value." }) : first;
}

function optionsCalled(list, value) {
  const said = clean(value);
  const words = said.toLowerCase();
  for (const isMeant of [
    (each) => each.value === value,
    (each) => wordsOf(each) === said,
    (each) => wordsOf(each).toLowerCase() === words,
    (each) => wordsInGroup(each).toLowerCase() === words,
  ]) {
    const found = [...list.options].filter(isMeant);
    if (found.length) return found;
  }
  return NOTHING;
}

function groupAround(option) {
  return option.parentNode.localName === "optgroup" ? titleOfGroup(option.parentNode) : "";
}

// Lists that the page paints itself have it in a legend (since Chrome 135).
function titleOfGroup(group) {
  return clean(group.label || (group.querySelector(":scope > legend")?.textContent ?? ""));
}

// As a snapshot tells it.
function wordsInGroup(option) {
  const group = groupAround(option);
  return `${group}${group && ": "}${wordsOf(option)}`;
}

function lackingOption(list, value) {
  const all = [...list.options];
  const has = all.length ? `it has ${counted(all)}, as below` : "it has none";
  return notActionable(`it has no option ${quoted(clean(value))}; ${has}`, { options: all.length, page: namesOf(all) });
}

function openOptionOf(list, value) {
  const found = optionOf(list, value);
  const closed = found.disabled || found.parentElement?.disabled;
  return closed ? fail("NOT_ACTIONABLE", `its option ${quoted(wordsOf(found))} is disabled`) : found;
}

function counted(options) {
  return `${options.length}${options.length > MOST_OPTIONS ? `, the first ${MOST_OPTIONS} of them` : ""}`;
}

function namesOf(options) {
  return options.slice(0, MOST_OPTIONS).map(lineOfOption).join("\n");
}

function lineOfOption(option) {
  const [words, value] = [wordsInGroup(option), clean(option.value)];
  return words && words !== option.value ? `${quoted(words)} (${quoted(value)})` : quoted(value);
}

function wordsOf(option) {
  return clean(option.label || option.text);
}
