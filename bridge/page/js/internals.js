// What a custom element says of itself through ElementInternals: role, label and states, in place of
// the attributes its author left out.
//
// Only the page's own scripts can read them, and nothing tells that they have changed. Chrome's
// accessibility tree has them: Python asks it about the elements a reading met and hands in what it
// said. Those that said something are asked about at every reading, the others when they look changed.
// A role is the matter of a class: where the first few of a name say nothing, the rest is not asked.

const MOST_WANTED = 400; // in one reading
const LARGEST_DOCUMENT = 50_000; // elements; Chrome goes through all of them before its first answer
const MOST_ALIKE = 20; // asked about before one of that name says something
const MOST_BESIDE = 20; // elements asked about after an action
const FRESH_MS = 1000; // should nobody come to read it again
const MOST_IN_VAIN = 3; // times an element without internals is asked about
const unasked = new Set(); // elements to ask Chrome about
const heard = new WeakMap(); // element -> {said, told, look, vain}
const telling = new Set(); // names of elements of which some said something
const tried = new Map(); // other names: how many were asked about
let isTold = false; // whether anything did
let news = []; // elements that said something else the last time they were asked about
let freshUntil = 0; // the page is about to be read again for what was said: nobody is asked once more

// An attribute, or what stands in its place.
function saidBy(element, attribute) {
  const own = element.getAttribute(attribute);
  return own === null && isTold ? internalsOf(element)?.[attribute] ?? null : own;
}

// The quicker question, where most say nothing.
function saysMore(element) {
  return isTold || element.hasAttributes();
}

function internalsOf(element) {
  return isTold ? heard.get(element)?.said : undefined;
}

// Until it is defined, an element has none; one that is merely named so never will.
function wantInternals(element) {
  if (rehearsing || unasked.has(element) || !element.matches(":defined")) return;
  const known = heard.get(element);
  if (known ? !isWorthAsking(element, known) : !isWorthTrying(tagOf(element))) return;
  if (unasked.size < MOST_WANTED) unasked.add(element);
  else heard.delete(element); // rather nothing than what it said long ago
}

function isWorthAsking(element, known) {
  if (performance.now() < freshUntil) return false;
  if (known.said || telling.has(tagOf(element))) return true;
  return known.vain < MOST_IN_VAIN && known.look !== lookOf(element);
}

function isWorthTrying(name) {
  if (telling.has(name)) return true;
  const before = tried.get(name) ?? 0;
  tried.set(name, before + 1);
  return before < MOST_ALIKE;
}

function lookOf(element) {
  const { width, height } = boxOf(element);
  return `${width}x${height} ${[...element.attributes].map(({ value }) => value).join()}`;
}

// What Chrome said of these elements, null where it would not; [does any say something else than
// before, has any element of the page said something].
lib.hear = (all, told, rereads) => {
  news = all.filter((element, index) => hear(element, told[index]));
  if (news.length && rereads) freshUntil = performance.now() + FRESH_MS;
  return [news.length > 0, isTold];
};

function hear(element, told) {
  const before = heard.get(element) ?? { said: null, told: "{}", vain: 0 };
  const look = lookOf(element);
  if (told === null) {
    heard.set(element, { ...before, look, vain: before.vain + 1 });
    return false;
  }
  const said = ownWords(element, told);
  heard.set(element, { said, told: JSON.stringify(said ?? {}), look, vain: said ? 0 : before.vain + 1 });
  if (said) telling.add(tagOf(element));
  isTold ||= said !== null;
  return heard.get(element).told !== before.told;
}

// Without what its attributes say; null if that is all. What can be ticked by a role of its own may
// be ticked later by its internals.
function ownWords(element, told) {
  const role = firstKnown(told.role ?? "");
  if (!role) return null;
  const own = Object.entries(told).filter(([name]) => name !== "role" && !element.hasAttribute(name));
  if (firstKnown(element.getAttribute("role") ?? "") === undefined) own.push(["role", role]);
  const isTickable = CHECKABLE.test(role) && !element.hasAttribute("aria-checked");
  return own.length || isTickable ? Object.fromEntries(own) : null;
}

// How many it is worth asking about, now that the page has been walked.
function countUnasked() {
  freshUntil = 0;
  return unasked.size && document.getElementsByTagName("*").length <= LARGEST_DOCUMENT ? unasked.size : 0;
}

lib.unasked = () => {
  const all = [...unasked].filter((element) => element.isConnected);
  unasked.clear();
  return all;
};

let addressed = []; // elements whose words may be others after the last action

// It, or what it is a part of, and those beside it: of tabs and choices another one gives way.
function address(element) {
  let at = element;
  while (at && !internalsOf(at)) at = parentOf(at);
  const beside = at?.isConnected && at.parentElement ? [...at.parentElement.children].filter(internalsOf) : [];
  addressed = beside.length > MOST_BESIDE ? [at] : beside;
  return addressed.length > 0;
}

lib.addressed = () => addressed.splice(0);
lib.news = () => {
  const told = news.splice(0).map((element) => `~ ${lineOf(element)}`);
  release();
  return told;
};

// Whether the states of an element can be said by its internals; of others its attributes say all.
function hasInternals(element) {
  return tagOf(element).includes("-") && element.matches(":defined");
}
