// Roles: what the page says (`role`), else what HTML means by the element (HTML-AAM).

const WIDGETS = new Set(
  ("button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio " +
    "scrollbar searchbox slider spinbutton switch tab textbox treeitem").split(" "),
);
const NAMED_BY_CONTENT = new Set(
  ("button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option " +
    "radio row rowheader switch tab tooltip treeitem").split(" "),
);
// Roles worth a line of their own; what is in none of these sets reads as plain text.
const STRUCTURES = new Set(
  ("alert alertdialog article banner cell columnheader complementary contentinfo dialog feed form grid " +
    "gridcell group heading img list listitem log main marquee math menu menubar meter navigation " +
    "progressbar radiogroup region row rowgroup rowheader search separator status table tablist tabpanel " +
    "timer toolbar tooltip tree treegrid").split(" "),
);
const OTHERS = new Set(
  ("application blockquote caption code definition deletion directory document emphasis figure generic image insertion " +
    "none note paragraph presentation strong subscript superscript term time").split(" "),
);
const SYNONYMS = { image: "img", directory: "list", presentation: "none" };

const INPUTS = {
  button: "button", checkbox: "checkbox", color: "button", file: "button", hidden: "", image: "button",
  number: "spinbutton", radio: "radio", range: "slider", reset: "button", submit: "button",
};
const TAGS = {
  article: "article", aside: "complementary", button: "button", datalist: "listbox", dd: "definition", dialog: "dialog",
  fieldset: "group", h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading",
  hr: "separator", iframe: "iframe", frame: "iframe", main: "main", math: "math", menu: "list",
  meter: "meter", nav: "navigation", ol: "list", optgroup: "group", option: "option", output: "status",
  progress: "progressbar", search: "search", summary: "button", table: "table",
  textarea: "textbox", ul: "list",
  canvas: "canvas", video: "video", audio: "audio", embed: "embed", object: "embed",
};
const IMPLICIT = {
  a: (element) => (element.hasAttribute("href") || element.href?.baseVal !== undefined ? "link" : ""),
  area: (element) => (element.hasAttribute("href") ? "link" : ""),
  details: (element) => (isMarkedByChrome(element) ? "button" : ""),
  footer: (element) => (isOfPage(element) ? "contentinfo" : ""),
  form: (element) => (isNamed(element) ? "form" : ""),
  header: (element) => (isOfPage(element) ? "banner" : ""),
  img: (element) => (element.getAttribute("alt") === "" && !isNamed(element) ? "" : "img"),
  input: inputRole,
  li: (element) => (isForLooks(element.parentElement) ? "" : "listitem"),
  section: (element) => (isNamed(element) ? "region" : ""),
  select: (element) => (element.multiple || element.size > 1 ? "listbox" : "combobox"),
  summary: (element) => (element.parentElement?.localName === "details" && summaryOf(element.parentElement) === element ? "button" : ""),
  svg: (element) => (isNamed(element) || svgTitle(element) ? "img" : ""),
  tbody: (element) => (isForLooks(element.parentElement) ? "" : "rowgroup"),
  td: cellRole,
  tfoot: (element) => (isForLooks(element.parentElement) ? "" : "rowgroup"),
  th: (element) => (isForLooks(element.closest("table")) ? "" : isOfRow(element) ? "rowheader" : "columnheader"),
  thead: (element) => (isForLooks(element.parentElement) ? "" : "rowgroup"),
  tr: (element) => (isForLooks(element.closest("table")) ? "" : "row"),
};

// The role, or "" for what only holds other things.
function roleOf(element) {
  const said = element.getAttribute("role");
  const role = said ? firstKnown(said) : undefined;
  if (role !== undefined && !(role === "none" && isMeaningful(element))) {
    if (role && role !== "none") return role;
    return isSaidEditable(element) ? "textbox" : "";
  }
  const tag = element.localName;
  const implicit = Object.hasOwn(IMPLICIT, tag) ? IMPLICIT[tag](element) : Object.hasOwn(TAGS, tag) ? TAGS[tag] : "";
  return implicit || internalsOf(element)?.role || (isEditingHost(element) ? "textbox" : "");
}

function firstKnown(said) {
  for (const word of said.toLowerCase().split(/\s+/)) {
    const role = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : word;
    if (WIDGETS.has(role) || STRUCTURES.has(role)) return role;
    if (OTHERS.has(role)) return role === "none" ? "none" : "";
  }
  return undefined;
}

// What can have the focus, or is described, cannot be declared meaningless.
function isMeaningful(element) {
  return isFocusable(element) || isNamed(element) || element.hasAttribute("aria-describedby");
}

function isFocusable(element) {
  return element.hasAttribute("tabindex") || (element.tabIndex >= 0 && !element.disabled);
}

function isNamed(element) {
  return element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby") || element.hasAttribute("title");
}

function isOfPage(element) {
  return !element.closest("article, aside, main, nav, section, [role=article], [role=complementary], [role=main], [role=navigation], [role=region]");
}

function isEditingHost(element) {
  return element.isContentEditable === true && !parentOf(element)?.isContentEditable;
}

// The quicker question, where few are editable.
function isSaidEditable(element) {
  return element.hasAttribute("contenteditable") && isEditingHost(element);
}

function inputRole(element) {
  const { type } = element;
  if (Object.hasOwn(INPUTS, type)) return INPUTS[type];
  if (element.hasAttribute("list") && element.list) return "combobox"; // else nothing is suggested
  return type === "search" ? "searchbox" : "textbox";
}

// Without a summary Chrome paints one of its own: closed, a click anywhere on it opens it. Open, it is
// the first line of what it holds.
function isMarkedByChrome(element) {
  return element.localName === "details" && !element.open && summaryOf(element) === null;
}

function isOpenedByChrome(element) {
  return element.localName === "details" && element.open && summaryOf(element) === null;
}

// A list or a table that is declared meaningless has no items, rows and cells, either.
function isForLooks(holder) {
  const said = holder?.getAttribute("role");
  return said ? /^(?:list|table)$/.test(TAGS[holder.localName]) && firstKnown(said) === "none" && !isMeaningful(holder) : false;
}

function cellRole(element) {
  const table = element.closest("table");
  const grid = table?.getAttribute("role");
  if (grid && isForLooks(table)) return "";
  return grid === "grid" || grid === "treegrid" ? "gridcell" : "cell";
}

// What stands first in a row of data heads that row, and not what is below it.
function isOfRow({ scope, cellIndex, nextElementSibling: next }) {
  return scope ? scope.startsWith("row") : cellIndex === 0 && next?.localName === "td";
}

function svgTitle(element) {
  for (const child of element.children) if (child.localName === "title") return child.textContent;
  return "";
}

lib.roleOf = (wanted) => roleOf(target(wanted)) || "generic";
