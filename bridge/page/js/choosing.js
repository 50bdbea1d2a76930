// Options of a list: chosen by value or by the words a person reads.

const MOST_OPTIONS = 50; // named in an error

lib.pickOptions = (wanted, values, { ms }) =>
  whenReady(() => {
    const picked = pick(wanted);
    if (picked instanceof NotYet) return picked;
    const list = picked.element.localName === "label" && picked.element.control ? picked.element.control : picked.element;
    if (list.localName !== "select") return notASelect(list);
    const not = placeOf(list) ? refusal(list) : notActionable("it is not visible");
    return not ?? { ...chooseIn(list, values), matches: picked.matches };
  }, ms);

function notASelect(element) {
  const suggested = element.localName === "input" && element.list ? [...element.list.options] : [];
  if (!suggested.length) return fail("NOT_ACTIONABLE", `it is ${whatItIs(element)} and no select; click it, and then the option`);
  const has = `it suggests ${counted(suggested)}, as below`;
  return fail("NOT_ACTIONABLE", `it is a field with suggestions and no select: type the value; ${has}`, { page: namesOf(suggested) });
}

function chooseIn(list, values) {
  if (!values.length && !list.multiple && list.size < 2) return fail("NOT_ACTIONABLE", "one option is always selected in it: give a value or label");
  if (values.length > 1 && !list.multiple) return fail("NOT_ACTIONABLE", "only one option can be selected in it");
  const chosen = values.map((value) => optionOf(list, value));
  startWatching(list);
  list.focus({ preventScroll: true });
  const before = [...list.options].map((option) => option.selected).join();
  for (const option of list.options) option.selected = chosen.includes(option);
  const changed = before !== [...list.options].map((option) => option.selected).join();
  if (changed) {
    list.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
    list.dispatchEvent(new Event("change", { bubbles: true, composed: true }));
  }
  const now = [...list.selectedOptions];
  const kept = chosen.every((option) => now.includes(option)) && now.length === new Set(chosen).size;
  return { selected: now.map(wordsOf), kept, changed };
}

function optionOf(list, value) {
  const all = [...list.options];
  const words = clean(value).toLowerCase();
  const found = all.find((each) => each.value === value) ?? all.find((each) => wordsOf(each) === clean(value)) ?? all.find((each) => wordsOf(each).toLowerCase() === words);
  if (!found) {
    const has = all.length ? `it has ${counted(all)}, as below` : "it has none";
    return fail("NOT_ACTIONABLE", `it has no option ${quoted(clean(value))}; ${has}`, { options: all.length, page: namesOf(all) });
  }
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
  const [words, value] = [wordsOf(option), clean(option.value)];
  return words && words !== option.value ? `${quoted(words)} (${quoted(value)})` : quoted(value);
}

function wordsOf(option) {
  return clean(option.label || option.text);
}
