// Fields whose values have a form of their own. Chrome empties one that is given anything else, or puts
// a value of its own choice there: so a text is tried elsewhere first, and the field is left alone.

const FORMS = { date: "2026-01-31", time: "13:45", "datetime-local": "2026-01-31T13:45", month: "2026-01", week: "2026-W05", color: "#ff8800" };
const NUMBER = "12.5";

function refuseMisfit(field, kind, { clear, text, caret }) {
  if (field.localName !== "input") return;
  const fits = field.type === "number" ? becomesNumber(field, { clear, text, caret }) : kind !== "set" || isTaken(field.type, text);
  if (fits) return;
  const form = FORMS[field.type] ?? NUMBER;
  const why = `it did not take the text: it wants the form ${form}${field.type in FORMS ? "" : ", a number"}, and holds what it held`;
  fail("NOT_ACTIONABLE", why, { hint: "Give the text in that form." });
}

// An empty text empties what can be empty; a colour and a place on a scale cannot.
function isTaken(type, text) {
  if (type === "color") return valueIn(type, text) !== "#000000" || BLACK.test(text);
  if (type === "range") return valueIn("number", text) !== "";
  return text === "" || valueIn(type, text) !== "";
}

const BLACK = /^\s*(?:#0{3}|#0{6}|black|rgb\(\s*0[\s,]+0[\s,]+0\s*\))\s*$/i;

// What a field of this type makes of a value.
function valueIn(type, value) {
  const other = document.createElementNS("http://www.w3.org/1999/xhtml", "input");
  other.type = type;
  other.value = value;
  return other.value;
}

// Whether the value is what the browser makes of the text in a field of this type. What keys make of the
// parts of a date, nobody knows.
function isTakenAs(field, text, value) {
  if (field.localName !== "input") return false;
  if (field.type === "range") return Number(text) === Number(value);
  if (field.type === "email") text = text.replace(/[^@]+$/, (host) => URL.parse?.(`http://${host}`)?.hostname ?? host); // xn--…
  return acted?.kind === "keys" && field.type in FORMS ? true : valueIn(field.type, text) === value;
}

const NUMERIC = /[^\p{Nd}.,eE+-]/gu; // what is none of these never gets into such a field

// Where the caret is in the middle of a number, nobody knows what the text makes of it.
function becomesNumber(field, { clear, text, caret }) {
  const typed = text.replace(/[\r\n\t]/g, "");
  const left = typed.replace(NUMERIC, "");
  if (typed === "" || (caret && !clear)) return typed === "" || left !== "";
  const whole = (clear ? "" : field.value) + left;
  return left !== "" && (/[^\d.eE+-]/.test(whole) || valueIn("number", whole) !== ""); // other languages have other signs
}

// How much it takes; a number may have such a limit written at it, which means nothing.
function limitOf(field) {
  const counts = field.localName === "textarea" || (TYPED.test(field.type) && field.type !== "number");
  return counts && field.maxLength >= 0 ? field.maxLength : Infinity;
}
