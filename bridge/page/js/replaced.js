// Fields that the page puts another one in the place of, while they are typed into.

// How to know the one in its place: it says the same of itself, and is the same one of those that do.
function likenessOf(field) {
  beginReading();
  const root = field.getRootNode();
  const said = saidOf(field);
  const alike = fieldsThatSay(root, said);
  return { root, said, name: nameOf(field), count: alike.length, index: alike.indexOf(field) };
}

function saidOf(field) {
  const said = ["name", "role", "aria-label", "placeholder"].map((name) => field.getAttribute(name));
  return [field.localName, field.type, ...said].join("\n");
}

function fieldsThatSay(root, said) {
  return [...root.querySelectorAll(FIELD_TAGS)].filter((each) => saidOf(each) === said);
}

// The one in its place; null if there is none, or nobody could tell which.
function successorOf({ root, said, name, count, index }) {
  const alike = fieldsThatSay(root, said);
  if (!root.isConnected || alike.length !== count || index < 0) return null;
  beginReading();
  return nameOf(alike[index]) === name ? alike[index] : null;
}

// What is typed comes to a field in these events, whatever the page makes of it.
function noteTextIn(field, note) {
  for (const type of ["beforeinput", "input"]) field.addEventListener(type, note, { capture: true, once: true });
}
