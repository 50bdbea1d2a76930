// Fields that take files, whether they are seen or stand behind something that is.

lib.fileField = (wanted, { ms }) =>
  whenReady(() => {
    const picked = pick(wanted);
    if (picked instanceof NotYet) return picked;
    const field = fileFieldOf(picked.element);
    if (!field) return { field: false, matches: picked.matches };
    const not = refusal(field);
    if (not) return not;
    startWatching(field);
    return { field: true, multiple: field.multiple, folder: field.webkitdirectory, matches: picked.matches };
  }, ms);

lib.fileElement = (wanted) => fileFieldOf(pick(wanted).element);

function fileFieldOf(element) {
  const control = nearest(element, "label")?.control ?? element;
  return control.localName === "input" && control.type === "file" ? control : null;
}

// Chrome does nothing with no files; a person can take those away that are there.
lib.clearFiles = (wanted) => {
  const field = fileFieldOf(pick(wanted).element);
  if (!field.files.length) return;
  field.value = "";
  field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  field.dispatchEvent(new Event("change", { bubbles: true, composed: true }));
};

// Whether the page would take what is dragged over it: asked behind the event, when all have heard it.
let dragged = null;

lib.listenForDrag = () => addEventListener("dragover", (event) => (dragged = event), { capture: true, once: true });

lib.takesDrop = () => {
  const takes = Boolean(dragged?.defaultPrevented) && dragged.dataTransfer?.dropEffect !== "none";
  dragged = null;
  return takes;
};

lib.filesIn = async (wanted) => {
  const picked = wanted ? pick(wanted) : null;
  const field = picked && !(picked instanceof NotYet) ? fileFieldOf(picked.element) : null;
  const names = field ? [...field.files].map((file) => file.name) : null;
  return { names, ...(await pageTold()) };
};
