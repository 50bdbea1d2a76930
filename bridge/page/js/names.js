// Accessible names (accname 1.2): what an assistive device would call the element.
//
// Text that people do not see counts here where the page made it a name: a button that shows an
// icon is called by the words hidden in it. A sign of an icon font is no word: there the hint counts.

let nameSource = ""; // where the last name came from: "aria", "label", "native", "content", "hint"

// `style`: its own, where it is at hand; to ask again took 3 ms of 80 on a page of 5,000 elements.
function nameOf(element, role = roleOf(element), style = null) {
  nameSource = "";
  return clean(ariaName(element) || nativeName(element, role) || ownContent(element, role, style)) || clean(hintOf(element, role));
}

function from(source, text) {
  if (text) nameSource = source;
  return text;
}

function ariaName(element) {
  if (!saysMore(element)) return "";
  if (element.hasAttribute("aria-labelledby")) {
    const parts = labellers(element).map((each) => textOf(each, { seen: new Set(), referenced: true, itself: each === element }));
    const text = parts.map((part) => part.trim()).filter(Boolean).join(" ");
    if (text) return from("aria", text);
  }
  return from("aria", saidBy(element, "aria-label")?.trim() ?? "");
}

function labellers(element) {
  const ids = element.getAttribute("aria-labelledby").split(/\s+/).filter(Boolean);
  if (!ids.length) return element.ariaLabelledByElements ?? [];
  const root = element.getRootNode();
  return ids.map((id) => root.getElementById?.(id)).filter(Boolean);
}

const BUTTON_WORDS = { submit: "Submit", reset: "Reset" };

function nativeName(element, role) {
  switch (element.localName) {
    case "input":
      return inputName(element);
    case "button": case "meter": case "output": case "progress": case "select": case "textarea":
      return from("label", labelText(element));
    case "img": case "area":
      return from("native", element.getAttribute("alt")?.trim() ?? "");
    case "svg":
      return from("native", svgTitle(element).trim());
    case "details":
      return from("native", isMarkedByChrome(element) ? "Details" : "");
    case "fieldset":
      return firstChildText(element, "legend");
    case "table":
      return firstChildText(element, "caption");
    case "optgroup":
      return from("native", titleOfGroup(element));
    case "option":
      return from("native", element.label);
    case "figure":
      return firstChildText(element, "figcaption");
    default:
      return element.localName.includes("-") ? from("label", labelText(element)) : ""; // form-associated
  }
}

function inputName(input) {
  const label = from("label", labelText(input));
  if (label) return label;
  switch (input.type) {
    case "submit": case "reset": case "button":
      return from("native", input.value.trim() || (input.hasAttribute("value") ? "" : BUTTON_WORDS[input.type] ?? ""));
    case "image":
      return from("native", input.alt.trim() || input.getAttribute("value")?.trim() || input.title.trim() || "Submit");
    default:
      return "";
  }
}

function labelText(element) {
  const parts = labelsOf(element).map((label) => textOf(label, { seen: new Set([element]), referenced: true }).trim());
  return parts.filter(Boolean).join(" ");
}

function firstChildText(element, tag) {
  for (const child of element.children) {
    if (child.localName === tag) return from("native", textOf(child, { seen: new Set(), referenced: true }).trim());
  }
  return "";
}

function hintOf(element, role) {
  const title = element.getAttribute("title")?.trim() || element.getAttribute("xlink:title")?.trim();
  if (title) return from("hint", title);
  const placeholder = element.getAttribute("placeholder") ?? element.getAttribute("aria-placeholder");
  return from("hint", placeholder?.trim() || (NAMED_BY_CONTENT.has(role) ? drawingIn(element) : ""));
}

// What the drawing is called that an icon shows again: only where nothing else has a name.
function drawingIn(element) {
  const [, id] = /^#(.+)$/.exec(element.querySelector("use")?.href?.baseVal) ?? [];
  const shown = id && element.getRootNode().getElementById?.(id);
  return shown ? (shown.getAttribute("aria-label") ?? svgTitle(shown)).trim() : "";
}

function ownContent(element, role, style) {
  if (!NAMED_BY_CONTENT.has(role)) return "";
  if (!element.firstElementChild && !shadowOf(element) && !hasPseudoText(element) && !element.hasAttribute("aria-owns")) {
    const text = element.textContent.trim();
    return from("content", text && painted(text, style ?? getComputedStyle(element), firstOf(element)));
  }
  return from("content", contentOf(element, { seen: new Set([element]), referenced: false }).trim());
}

const MOST_NAMING = 500; // elements that are asked for one name: far more than one is cut to

// What is never painted has a style as if it were, in a drawing and in what is hidden as a whole.
const UNPAINTED = new Set(["defs", "desc", "metadata", "noscript", "script", "style", "template"]);

// The text of an element inside a name: its own name if it has one, else its content.
function textOf(element, way) {
  const { seen, referenced } = way;
  if (seen.has(element)) return " ";
  if (seen.size >= MOST_NAMING || (!referenced && UNPAINTED.has(tagOf(element)))) return "";
  seen.add(element);
  const style = getComputedStyle(element);
  const { display } = style;
  const hidden = display === "none" || style.visibility !== "visible";
  const silent = element.getAttribute("aria-hidden") === "true";
  if (referenced) {
    const unpainted = display !== "contents" && !element.checkVisibility(); // then nothing says how its letters look
    const value = way.itself ? "" : embeddedValue(element);
    return value || alternativeOf(element, way) || contentOf(element, { ...way, referenced: false, hidden: way.hidden || hidden, silent, unpainted }, style);
  }
  if (!way.hidden && (display === "none" || (silent && !way.silent))) return "";
  if (!way.hidden && hidden) return shownIn(element, way);
  const value = embeddedValue(element, way);
  const told = value ?? alternativeOf(element, way);
  if (value === "") return " ";
  if (isFormula(element)) return formulaText(element, null);
  if (told) return ` ${told} `; // words that stand for something are apart from those around, as Chrome has it
  const text = contentOf(element, way, style);
  return display === "inline" || display === "contents" || isLetter(element, display) ? text : ` ${text} `;
}

// What shows itself in an element that does not (`visibility`).
function shownIn(element, way) {
  let text = "";
  eachChild(element, (child) => {
    if (typeOf(child) === ELEMENT) text += partOf(child, way);
  });
  return text;
}

// What stands for an element without a look at its content.
function alternativeOf(element, way) {
  const label = saidBy(element, "aria-label")?.trim();
  if (label) return label;
  if (!way.referenced && element.hasAttribute("aria-labelledby") && !way.labelled) {
    const inner = { ...way, labelled: true, referenced: true };
    return labellers(element).map((each) => textOf(each, inner)).join(" ");
  }
  switch (element.localName) {
    case "img": case "area":
      return element.getAttribute("alt")?.trim() || element.title;
    case "svg":
      return svgTitle(element).trim();
    case "input":
      return inputName(element) || element.title;
    default:
      return "";
  }
}

// A field inside a label stands for its value.
function embeddedValue(element, way = null) {
  const role = roleOf(element);
  switch (role) {
    case "textbox": case "searchbox": case "spinbutton": case "slider":
      return valueOf(element);
    case "combobox": case "listbox":
      return element.matches("select, input") ? valueOf(element) : way ? chosenIn(element, role, way) : undefined;
    default:
      return undefined;
  }
}

// The same of a list that a page makes itself: what is chosen in it, or else what it shows.
function chosenIn(element, role, way) {
  const chosen = [...element.querySelectorAll("[role=option][aria-selected=true i]")];
  if (chosen.length) return chosen.map((each) => textOf(each, way).trim()).join(" ");
  return role === "combobox" ? contentOf(element, way).trim() || undefined : undefined;
}

const OWN_GROUP = new Set(["group", "menu", "tree"]); // of a tree item or a menu item: other items

function contentOf(element, way, style = null) {
  let text = pseudoText(element, "::before");
  eachChild(element, (child) => {
    const type = typeOf(child);
    if (type === TEXT) text += way.unpainted || isBlank(child.data) ? child.data : painted(child.data, (style ??= getComputedStyle(element)), child);
    else if (type === ELEMENT) text += setOff(child, partOf(child, way), text);
  });
  if (element.hasAttribute("aria-owns")) {
    for (const each of wantedBy(element)) if (way.hidden || each.checkVisibility()) text += ` ${partOf(each, way)} `;
  }
  text += pseudoText(element, "::after");
  return text.trim() ? text : ` ${element.getAttribute("title") ?? ""} `;
}

function partOf(element, way) {
  return OWN_GROUP.has(element.getAttribute("role")) ? "" : textOf(element, way);
}

lib.nameOf = (wanted) => nameOf(target(wanted));
