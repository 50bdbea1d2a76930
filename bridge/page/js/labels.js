// The labels of a control. `control.labels` looks through the whole page for each control: on a page
// of 12,500 buttons that takes 9 s. So each root's labels are gone through once a reading.

const labelMaps = new WeakMap(); // boxes of a reading -> root -> control -> its labels

function labelsOf(control) {
  let roots = labelMaps.get(boxes);
  if (!roots) labelMaps.set(boxes, (roots = new Map()));
  const root = control.getRootNode();
  let known = roots.get(root);
  if (!known) roots.set(root, (known = labelsIn(root)));
  return known.get(control) ?? labelsOfHost(control, root);
}

// Of a component that takes part in forms; the one field in it is what they are the name of.
function labelsOfHost(control, { host }) {
  return host && onlyFieldIn(host) === control ? labelsOf(host) : NOTHING;
}

function labelsIn(root) {
  const found = new Map();
  if (!root.querySelectorAll) return found;
  for (const label of root.querySelectorAll("label")) {
    const { control } = label;
    if (!control) continue;
    const labels = found.get(control);
    if (labels) labels.push(label);
    else found.set(control, [label]);
  }
  return found;
}

// The controls that get their names from these labels: such words are told of nowhere else.
function namedBy(labels) {
  beginReading();
  const controls = labels.filter((each) => each.localName === "label" && each.control && isShownNow(each)).map(({ control }) => control);
  return controls.filter((each) => nameOf(each) && nameSource === "label");
}
