// Fields by what a person calls them: the words beside them.

const CALLED = `${FIELD_TAGS}, ${["textbox", "searchbox", "combobox", "checkbox", "switch", "radio"].map((role) => `[role=${role}]`).join(", ")}`;
const MOST_CALLED = 30; // named where none is meant
const WORDS_ALONE = /^[\w\s-]+$/; // may come yet as a label, though they would do for a selector too
const ONE_WORD = /^\w+$/; // of a label, before it is that of a tag: "Select", "Input"

// For each name the number of the one field that is called so; null for what is a selector.
lib.fieldsCalled = (names, { ms }) => whenReady(() => lookForFields(names), ms);

function lookForFields(names) {
  const numbers = [];
  let fields = null;
  for (const name of names) {
    const matched = matchedBy(name);
    if (!ONE_WORD.test(name) && matched?.some((each) => fieldOf(each).matches(CALLED))) {
      numbers.push(null);
      continue;
    }
    fields ??= namedFields();
    const found = fieldCalled(name, fields);
    if (!found && !matched?.length && (!matched || WORDS_ALONE.test(name))) {
      const why = matched ? "nothing matches it as a CSS selector" : "it is no CSS selector";
      return new NotYet("SELECTOR_NOT_FOUND", `no field is called ${quoted(name)}, and ${why}`, { page: linesAbout(fields) });
    }
    numbers.push(found && numberOf(found));
  }
  return numbers;
}

// What there is now in a document that may not be the only one: the number, 0 for a selector, or null.
lib.fieldsCalledHere = (names) => {
  const fields = namedFields();
  return names.map((name) => {
    const matched = matchedBy(name) ?? NOTHING;
    if (!ONE_WORD.test(name) && matched.length) return 0;
    const found = fieldCalled(name, fields);
    return found ? numberOf(found) : matched.length ? 0 : null;
  });
};

// What it matches as a selector; null if it is none.
function matchedBy(name) {
  try {
    return select(name);
  } catch {
    return null;
  }
}

function namedFields() {
  beginReading();
  return named(select(CALLED).filter((each) => placeOf(each) !== null));
}

function named(all) {
  return all.map((each) => [callOf(nameOf(each)), each]);
}

// The one, or the one group of radio buttons where no field is called so; null if there is none.
function fieldCalled(name, fields) {
  const isMeant = ([called]) => called === callOf(name);
  const exact = fields.filter(isMeant);
  const found = exact.length ? exact : named(select(GROUPS).filter(isChoice)).filter(isMeant);
  if (found.length > 1) fail("BAD_ARGS", `${found.length} fields are called ${quoted(name)}, as below`, { page: linesAbout(found), hint: "Name it by its ref." });
  return found.length ? found[0][1] : null;
}

const GROUPS = "fieldset, [role=radiogroup]";
const RADIOS = "input[type=radio], [role=radio]";

function isChoice(element) {
  return element.matches(GROUPS) && element.querySelector(RADIOS) !== null;
}

// The number of the radio button of a group that is called so, or has this value; null if it is not one.
lib.radioCalled = (wanted, name) => {
  beginReading();
  const all = [...choose(wanted).querySelectorAll(RADIOS)];
  const called = named(all).filter(([each]) => each === callOf(name)).map(([, each]) => each);
  const found = called.length ? called : all.filter((each) => each.value === name);
  return found.length === 1 ? numberOf(found[0]) : null;
};

function linesAbout(fields) {
  return fields.slice(0, MOST_CALLED).map(([, each]) => lineOf(each)).join("\n");
}

// Without the signs for what has to be filled in, and for what follows.
function callOf(name) {
  return clean(name).toLowerCase().replace(/^[\s*]+|[\s*:]+$/g, "");
}
