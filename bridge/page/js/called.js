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
    const found = fields.filter(([called]) => called === callOf(name));
    if (found.length > 1) return fail("BAD_ARGS", `${found.length} fields are called ${quoted(name)}, as below`, { page: linesAbout(found), hint: "Name it by its ref." });
    if (!found.length && !matched?.length && (!matched || WORDS_ALONE.test(name))) {
      const why = matched ? "nothing matches it as a CSS selector" : "it is no CSS selector";
      return new NotYet("SELECTOR_NOT_FOUND", `no field is called ${quoted(name)}, and ${why}`, { page: linesAbout(fields) });
    }
    numbers.push(found.length ? numberOf(found[0][1]) : null);
  }
  return numbers;
}

// What there is now in a document that may not be the only one: the number, 0 for a selector, or null.
lib.fieldsCalledHere = (names) => {
  const fields = namedFields();
  return names.map((name) => {
    const matched = matchedBy(name) ?? NOTHING;
    if (!ONE_WORD.test(name) && matched.length) return 0;
    const found = fields.filter(([called]) => called === callOf(name));
    if (found.length > 1) fail("BAD_ARGS", `${found.length} fields are called ${quoted(name)}, as below`, { page: linesAbout(found), hint: "Name it by its ref." });
    return found.length ? numberOf(found[0][1]) : matched.length ? 0 : null;
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
  const found = select(CALLED).filter((each) => placeOf(each) !== null);
  return found.map((each) => [callOf(nameOf(each)), each]);
}

function linesAbout(fields) {
  return fields.slice(0, MOST_CALLED).map(([, each]) => lineOf(each)).join("\n");
}

// Without the signs for what has to be filled in, and for what follows.
function callOf(name) {
  return clean(name).toLowerCase().replace(/^[\s*]+|[\s*:]+$/g, "");
}
