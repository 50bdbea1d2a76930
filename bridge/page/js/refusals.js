// Forms that Chrome keeps back for a field's sake, and the complaint it shows then: that is in no document.
//
// Chrome tells each field that it is invalid, and leads to the first; so may a page that asks for it.

let formOfKey = null; // the one a key in one of its fields might send

function expectRefusals(field) {
  formOfKey = field?.form ?? null;
  watched?.refused.clear();
}

function noteRefusal(event) {
  if (event.isTrusted) watched?.refused.set(event.target, event);
}

// Behind it: what has the focus already gets none.
function noteLead(event) {
  const field = event.composedPath()[0];
  if (watched?.refused.has(field)) watched.led = field;
}

// The field that was led to, with what Chrome says of it; null if none was, or the page says it by itself.
function leadTold() {
  const field = watched?.led;
  if (!field || field !== deepFocus() || watched.refused.get(field)?.defaultPrevented || !field.matches(":invalid")) return null;
  return complaintOf(field);
}

// As after a click on the form's button: the field with Chrome's complaint, or null. A form that is sent,
// or would be, marks all its fields as used; one that a page only asks about does not.
function unsentByKey() {
  const form = formOfKey;
  formOfKey = null;
  const fields = form ? [...(watched?.refused.keys() ?? [])] : [];
  const field = fields.find((each) => each.form === form && each.matches(":user-invalid"));
  return field && !form.noValidate ? complaintOf(field) : null;
}

// The field, with Chrome's complaint, for whose sake a form was not sent; null if it was, or is none.
function unsentFor(element, click) {
  const button = nearest(element, "button, input");
  const form = button?.form;
  if (!form || !/^(submit|image)$/.test(button.type) || click.defaultPrevented) return null;
  if (button.formNoValidate || form.noValidate) return null;
  const field = [...document.querySelectorAll(":invalid")].find((each) => each.localName !== "fieldset" && each.form === form);
  return field ? complaintOf(field) : null;
}

function complaintOf(field) {
  beginReading();
  const complaint = field.validationMessage ?? "it is not valid"; // elements of a page keep theirs to themselves
  return `${lineOf(field).slice(2, 160)}: ${complaint}`;
}
