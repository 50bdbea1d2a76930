// What becomes of a node once its content is known: a line, part of another's line, or nothing.

const WRAPPERS = new Set(["list", "rowgroup", "article", "group", "definition", "term", "toolbar", "feed"]);
const SIDE = new Set(["cell", "columnheader", "rowheader"]);

function settle(node, kids, sight) {
  dropRepeated(node);
  if (node.usable) settleUsable(node, kids);
  else if (node.role === "row") settleRow(node, kids);
  else if (node.role === "heading") settleHeading(node, kids);
  else if (node.role === "img") settleImage(node, kids, sight);
  else if (SIDE.has(node.role)) kids.push(node);
  else settleStructure(node, kids);
}

// Words that the name holds already.
function dropRepeated(node) {
  if (!node.name || node.source === "hint" || node.name.length > LONGEST_NAME) return;
  const name = node.name.toLowerCase();
  if (node.usable) node.kids = node.kids.filter((kid) => kid.text === undefined || !name.includes(kid.text.toLowerCase()));
  else if (node.source === "native") node.kids = node.kids.filter((kid) => kid.text !== node.name);
}

function settleUsable(node, kids) {
  const box = boxOf(node.element);
  if (isTiny(box) && !node.kids.length && !hasBox(node.element)) return;
  const isBare = node.role === "generic" && !node.name && !node.kids.length && !node.element.firstElementChild;
  if (isBare && (box.width < 1 || box.height < 1)) return; // it only catches the focus
  if (node.role === "iframe" && FRAME_TAGS.has(node.element.localName) && isShut(node.element)) return;
  if (node.role === "row") {
    settleRow(node, kids);
    return;
  }
  if (!node.name && node.kids.length === 1) {
    const [only] = node.kids;
    if (only.ref && node.role === "generic") {
      kids.push(only);
      return;
    }
    if (only.text?.length <= LONGEST_NAME) {
      node.name = only.text;
      node.kids = [];
    }
  }
  if (!node.name && !node.kids.length) node.name = clean(tipOf(node.element));
  if (node.element.localName === "select" && !isOpenInPage(node.element)) tellOptions(node);
  kids.push(node);
}

// What Chrome shows of it where the pointer rests.
function tipOf(element) {
  return element.getAttribute("title") ?? (element.namespaceURI === SVG ? svgTitle(element) : "");
}

const MANY_OPTIONS = 300; // characters

// Where options come in groups two may have the same words: the first of a group says whose it is.
function groupOf(option, before) {
  const [group, last] = [option, before].map((each) => (each?.parentNode.localName === "optgroup" ? each.parentNode : null));
  if (group === last) return "";
  return `${(group && cut(titleOfGroup(group), LONGEST_NAME)) || "(no group)"}: `;
}

function tellOptions(node) {
  const options = [...(node.element.options ?? [])].filter((option) => !option.hidden);
  let told = "";
  let count = 0;
  for (const option of options) {
    const label = `${groupOf(option, options[count - 1])}${cut(clean(option.label), LONGEST_NAME)}${option.matches(":disabled") ? " [disabled]" : ""}`;
    if (told.length + label.length > MANY_OPTIONS) break;
    told += `${count ? " | " : ""}${label}`;
    count++;
  }
  const rest = options.length - count;
  if (options.length) node.kids.push({ role: "options", name: "", ref: "", marks: [], kids: [], value: rest ? `${told} … (+${rest})` : told, element: node.element });
}

function settleHeading(node, kids) {
  const only = node.kids.length === 1 ? node.kids[0] : null;
  if (only?.ref && only.name === node.name) {
    only.marks.unshift(node.marks[0]);
    kids.push(only);
  } else if (node.name || node.kids.length) kids.push(node);
}

function settleImage(node, kids, sight) {
  if (node.name && sight === SEEN && !isTiny(boxOf(node.element))) kids.push(node);
  else kids.push(...node.kids);
}

// Rows stand where the page says they are: some are placed by a transform, in any order.
const HOLDS_ROWS = /^(?:grid|rowgroup|table|treegrid)$/;

function inRowOrder(kids) {
  const placeOfRow = (row) => Number(row.element.getAttribute("aria-rowindex"));
  const rows = kids.filter((kid) => kid.role === "row");
  if (!rows.length || !rows.every((row) => placeOfRow(row) > 0)) return kids;
  const ordered = rows.sort((one, other) => placeOfRow(one) - placeOfRow(other)).values();
  return kids.map((kid) => (kid.role === "row" ? ordered.next().value : kid));
}

function settleStructure(node, kids) {
  if (HOLDS_ROWS.test(node.role)) node.kids = inRowOrder(node.kids);
  if (!node.kids.length && node.value === undefined && !isTurning(node)) return;
  const thin = WRAPPERS.has(node.role) ? !node.name : node.role === "listitem" && node.kids.length === 1;
  const keep = node.role === "article" && node.kids.length > 1;
  if (thin && !keep && !(node.role === "listitem" && node.kids[0].text !== undefined)) kids.push(...node.kids);
  else kids.push(node);
}

// What only says that something is under way has nothing to say but that it is there.
function isTurning({ role, element }) {
  if (role !== "progressbar") return false;
  const { width, height } = boxOf(element);
  return width >= 1 && height >= 1;
}

// The plain text of a row's cells is one line; what else is in them follows.
function settleRow(row, kids) {
  const cells = row.kids.filter((kid) => kid.kids || kid.text);
  const grid = gridOf(row.element);
  if (cells.length === 1 && SIDE.has(cells[0].role) && !cells[0].usable && !row.usable && !grid?.columns) {
    kids.push(...cells[0].kids);
    return;
  }
  const texts = [];
  const rest = [];
  for (const cell of cells) {
    if (!SIDE.has(cell.role)) {
      rest.push(cell);
      continue;
    }
    texts.push(...Array(placesBefore(cell.element, true, cell.element.parentNode === row.element ? grid : undefined)).fill(""));
    if (cell.usable) {
      texts.push(""); // keeps the places of the others
      rest.push(cell);
      continue;
    }
    const said = cell.kids.filter((kid) => kid.text !== undefined);
    const others = cell.kids.filter((kid) => kid.text === undefined);
    const plain = said.length <= 1 || !others.length;
    const sorted = sortOf(cell.element);
    const head = sorted && others.find((kid) => kid.ref);
    if (head) head.marks.push(sorted);
    texts.push(plain ? said.map((kid) => kid.text).join(" ") + (sorted && !head ? ` [${sorted}]` : "") : "");
    if (plain) rest.push(...others);
    else rest.push({ ...cell, name: "" });
  }
  while (texts.length && !texts.at(-1)) texts.pop();
  if (!texts.length && !rest.length && !row.usable) return;
  row.name = "";
  row.value = texts.length ? texts.join(" | ") : undefined;
  row.kids = rest;
  kids.push(row);
}
