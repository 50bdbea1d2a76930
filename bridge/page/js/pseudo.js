// Text that style sheets put before and after elements.
//
// Asking every element costs as much as the whole rest of a reading (0.9 µs a time, twice), so the
// sheets are looked through first, once each: most put nothing there but icons and empty boxes.

const talking = new WeakMap(); // style sheet -> [number of rules, whether one adds text]
const PSEUDO = /::?(?:before|after)\b/;
const WORDS = /["'](?:[^"'\\]|\\.)*[\p{L}\p{N}\p{P}\p{S}]|attr\(|counters?\(|var\(|\\/u;

let pseudoRoots = new Map(); // document or shadow root -> whether to ask; for one reading

function hasPseudoText(element) {
  return rootTalks(element.getRootNode());
}

function rootTalks(root) {
  let known = pseudoRoots.get(root);
  if (known === undefined) pseudoRoots.set(root, (known = sheetsOf(root).some(addsText)));
  return known;
}

function sheetsOf(root) {
  const own = [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])];
  return root === document || !root.host ? own : [...own, ...sheetsOf(root.host.getRootNode())];
}

function addsText(sheet) {
  let rules;
  try {
    rules = sheet.cssRules;
  } catch {
    return true; // of another origin: nobody may look
  }
  const known = talking.get(sheet);
  if (known?.[0] === rules.length) return known[1];
  const adds = [...rules].some(ruleAddsText);
  talking.set(sheet, [rules.length, adds]);
  return adds;
}

function ruleAddsText(rule) {
  if (rule.styleSheet) return addsText(rule.styleSheet);
  if (rule.selectorText && PSEUDO.test(rule.selectorText) && WORDS.test(rule.style.content)) return true;
  return rule.cssRules ? [...rule.cssRules].some(ruleAddsText) : false;
}

// What a counter says only a walk over all of the page could tell, and "Section ." says nothing.
const COUNTER = /\bcounters?\(/;
const STRING = /"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)\)/g;

function pseudoText(element, which) {
  if (!hasPseudoText(element)) return "";
  const style = getComputedStyle(element, which);
  const { content } = style;
  if (content === "none" || content === "normal" || style.display === "none") return "";
  const [shown, spoken] = content.split(/ \/ (?=")/);
  if (spoken === undefined && COUNTER.test(shown.replace(STRING, ""))) return "";
  let text = "";
  for (const [, words, attribute] of (spoken ?? shown).matchAll(STRING)) {
    text += attribute ? (element.getAttribute(attribute) ?? "") : words.replace(/\\(.)/g, "$1");
  }
  text = painted(text, style);
  return style.display.startsWith("inline") && spoken === undefined ? text : ` ${text} `;
}
