// What a page is about, as plain HTML that says only what its words mean: headings, lists, tables,
// code, links. What a person does not see, and what only arranges, is not in it.

const MEANT = {
  a: "a", b: "strong", blockquote: "blockquote", caption: "caption", code: "code", del: "del", em: "em", h1: "h1", h2: "h2",
  h3: "h3", h4: "h4", h5: "h5", h6: "h6", hr: "hr", i: "em", img: "img", kbd: "code", li: "li", menu: "ul", ol: "ol", p: "p",
  pre: "pre", s: "del", samp: "code", strong: "strong", table: "table", td: "td", th: "th", tr: "tr", ul: "ul",
};
const TEXT_LEVEL = new Set(["a", "code", "del", "em", "strong"]);
const ONE_LINE = new Set(["caption", "h1", "h2", "h3", "h4", "h5", "h6", "p", "td", "th"]);
const DEEPEST = 40; // tags within tags; below that only the words count
const ASIDE = "nav, header, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=complementary], [role=search]";
const TOO_SHORT = 200; // characters of a part that would have been the main one

class Content {
  parts = [];
  length = 0;
  dropped = 0;
  within = []; // tags that are open, "" for what has none
  tags = 0;
  paragraph = false; // whether words here are in a <p> of our own
  pre = null; // lines of code, while inside of it
  lineEnds = false; // a block in it has ended
  tables = 0;
  frames = [];
  link = null; // address of the link we are in, until there are words for it
  linked = false; // whether what comes is within it

  constructor(isLeftOut) {
    this.isLeftOut = isLeftOut;
  }

  add(text) {
    const room = Math.max(LONGEST_READING - this.length, 0);
    this.length += text.length;
    if (room) this.parts.push(text.length > room ? `${text.slice(0, room)}…` : text); // within a tag its reader leaves it out
    this.dropped += Math.max(text.length - room, 0);
  }

  open(element, style, sight) {
    const tag = this.tagOf(element, style);
    this.within.push(tag);
    if (this.isLeftOut(element)) return false;
    if (this.pre !== null) {
      if (element.localName === "br") this.pre += "\n";
      else if (isBlock(style.display)) this.pre = this.pre && `${this.pre.replace(/\n$/, "")}\n`;
      return true;
    }
    if (element.localName === "br") this.add(this.isBesideWords ? "<br>" : "");
    else if (sight === SEEN && isFrameHolder(element)) this.frames.push(refOf(element));
    else if (sight === SEEN && /^(?:img|svg)$/.test(element.localName)) return this.picture(element);
    else if (tag) this.begin(tag, element);
    else this.edge(element, style);
    return true;
  }

  close(element, style) {
    const tag = this.within.pop();
    if (this.isLeftOut(element) || /^(?:br|img|i?frame)$/.test(element.localName)) return;
    if (this.pre !== null && tag !== "pre") {
      this.lineEnds ||= isBlock(style.display) && this.pre !== "";
      return;
    }
    if (tag) this.finish(tag);
    else this.edge(element, style);
  }

  // Words of a drawing are one paragraph: most are labels.
  edge(element, style) {
    if (!isBlock(style.display)) {
      if (this.isBesideWords && isBetweenWords(element, style)) this.add(" ");
      return;
    }
    if (element.namespaceURI !== SVG || element.localName === "svg") this.border();
    else if (this.isBesideWords) this.add(" ");
  }

  tagOf(element, style) {
    const struck = style.textDecorationLine.includes("line-through") && !isBlock(style.display);
    const tag = Object.hasOwn(MEANT, element.localName) ? MEANT[element.localName] : struck ? "del" : "";
    if (this.pre !== null || this.tags >= DEEPEST) return "";
    if (tag === "img" || tag === "hr") return tag === "hr" ? tag : "";
    if (/^(?:caption|table|td|th|tr)$/.test(tag)) return this.cellTag(tag, element);
    if (this.tables && !TEXT_LEVEL.has(tag)) return ""; // a cell has one line
    if (tag === "a") return linkOf(element) && !this.within.includes("a") ? "a" : "";
    if (tag === "code" && /pre/.test(style.whiteSpaceCollapse) && isBlock(style.display)) return "pre";
    if (this.within.some((outer) => ONE_LINE.has(outer)) && !TEXT_LEVEL.has(tag)) return "";
    return this.within.includes(tag) && TEXT_LEVEL.has(tag) ? "" : tag;
  }

  cellTag(tag, element) {
    if (tag === "table") return this.tables || gridOf(element) === null ? "" : "table";
    const inside = this.within.lastIndexOf("table") >= 0 && element.closest("table");
    return inside && gridOf(inside) !== null && !(tag !== "tr" && tag !== "caption" && this.within.at(-1) !== "tr") ? tag : "";
  }

  begin(tag, element) {
    if (!TEXT_LEVEL.has(tag)) this.endPart();
    if (tag === "pre") {
      this.pre = "";
      this.lineEnds = false;
    } else if (tag === "a") this.link = linkOf(element);
    else if (tag === "td" || tag === "th") this.add(`${`<${tag}></${tag}>`.repeat(placesBefore(element, false))}<${tag}${element.colSpan > 1 ? ` colspan="${Math.min(element.colSpan, 50)}"` : ""}>`);
    else if (tag === "ol") this.add(`<ol start="${Number(element.start) || 1}">`);
    else if (TEXT_LEVEL.has(tag)) this.mark(tag);
    else this.add(`<${tag}>`);
    if (tag === "pre") this.language = languageOf(element);
    if (tag === "table") {
      this.tables++;
      this.table = this.parts.length - 1;
    } else if (tag === "caption") this.caption = this.parts.length;
    this.tags++;
  }

  // What follows its like at once goes on with it: marks of both that touch would be no marks.
  mark(tag) {
    if (this.link === null && this.parts.at(-1) === `</${tag}>`) this.length -= this.parts.pop().length;
    else this.words(`<${tag}>`, false);
  }

  finish(tag) {
    this.tags--;
    if (tag === "hr") return;
    if (!TEXT_LEVEL.has(tag)) this.endPart();
    if (tag === "pre") {
      this.add(`<pre><code class="language-${this.language}">${escapeText(plainText(this.pre))}</code></pre>`);
      this.pre = null;
    } else if (tag === "caption") this.putBefore();
    else if (tag === "a") this.endLink();
    else this.add(`</${tag}>`);
    if (tag === "table") this.tables--;
  }

  // The words of a caption stand before their table.
  putBefore() {
    const [, ...words] = this.parts.splice(this.caption - 1);
    this.parts.splice(this.table, 0, "<p>", ...words, "</p>");
  }

  // The end of a line of words that stand in no element with a meaning.
  border() {
    if (this.paragraph) {
      this.endLink(this.link);
      this.add("</p>");
    }
    this.paragraph = false;
    if (this.isBesideWords && !this.within.includes("pre")) this.add(" ");
  }

  endPart() {
    this.endLink(this.link);
    this.border();
  }

  // A link around several parts, as of a card, is told with the first of them.
  endLink(pending = null) {
    if (this.linked) this.add("</a>");
    this.linked = false;
    this.link = pending;
  }

  get isBesideWords() {
    return this.paragraph || this.within.some((tag) => ONE_LINE.has(tag) || tag === "li");
  }

  // `said`: they are words, and no tag that may come to hold some.
  words(html, said = true) {
    if (!this.isBesideWords) {
      this.add("<p>");
      this.paragraph = true;
    }
    if (this.link !== null && !this.linked && !isBlank(html)) {
      this.add(`<a href="${escapeAttribute(this.link)}">`);
      this.linked = true;
    }
    if (said && !isBlank(html)) this.link = null;
    this.add(html);
  }

  text(data, element, style, written, joint) {
    if (this.pre !== null) this.code(data);
    else if (data.trim() || this.isBesideWords) {
      const said = readable(joint + data);
      const text = escapeText(this.tables ? said.replace(/\|/g, "\\|") : said);
      this.words(style.whiteSpaceCollapse === "preserve" ? text.replace(/\n/g, "<br>") : text.replace(/\s+/g, " "));
    }
  }

  code(data) {
    if (this.lineEnds && !isBlank(data)) {
      if (!data.startsWith("\n") && !this.pre.endsWith("\n")) this.pre += "\n";
      this.lineEnds = false;
    }
    this.pre += data;
  }

  picture(element) {
    const name = clean(element.localName === "img" ? element.alt : nameOf(element));
    const source = element.localName === "img" ? element.currentSrc || element.src : "";
    if (isTiny(boxOf(element))) return false;
    if (!name) return element.localName === "svg"; // words that are drawn
    if (/^https?:/.test(source)) this.words(`<img alt="${escapeAttribute(name)}" src="${escapeAttribute(source)}">`);
    else this.words(escapeText(name));
    return false;
  }
}

// A box in a line, or a field: words on both sides of it do not touch. But for boxes that only hold their
// letters, as of headings that come letter by letter.
function isBetweenWords(element, style) {
  return /^(?:audio|canvas|input|object|select|textarea|video)$/.test(element.localName) || (style.display.startsWith("inline-") && isRoomy(element, style));
}

function isRoomy(element, { fontSize, marginInlineEnd, marginInlineStart, paddingInlineEnd, paddingInlineStart }) {
  const least = WORD_GAP * parseFloat(fontSize);
  const around = parseFloat(marginInlineStart) + parseFloat(marginInlineEnd);
  if (around + parseFloat(paddingInlineStart) + parseFloat(paddingInlineEnd) >= least) return true; // as of all buttons
  const range = document.createRange();
  range.selectNodeContents(element);
  return around + boxOf(element).width - range.getBoundingClientRect().width >= least;
}

function linkOf(element) {
  const address = typeof element.href === "string" ? element.href : "";
  return /^(?:https?|mailto|tel|ftp):/.test(address) ? address : "";
}

function isForLayout(table) {
  return table.role === "presentation" || table.role === "none" || table.rows.length < 2 || Boolean(table.querySelector(":scope table"));
}

function languageOf(element) {
  for (const each of [element, element.querySelector("code"), element.parentElement]) {
    const found = /(?:^|[\s-])(?:language|lang|source|brush:\s?)-?([\w+#]{1,20})/.exec(each?.className ?? "");
    if (found && found[1] !== "highlight") return found[1];
  }
  return "";
}

// The part of the page that is about its subject.
function mainPart() {
  for (const selector of ["main, [role=main]", "article, [role=article]"]) {
    const found = select(selector).filter((element) => isVisible(element));
    if (found.length === 1 && (found[0].innerText ?? "").length >= TOO_SHORT) return found[0];
  }
  return null;
}

lib.content = (wanted) => {
  beginReading();
  const main = wanted ? choose(wanted) : mainPart();
  const root = main ?? document.body ?? document.documentElement;
  const content = new Content(main ? () => false : (element) => element.matches(ASIDE) && !element.closest("main, article"));
  walkSeen(root, content);
  content.border();
  const told = { matches: wanted ? matches : 1, dropped: content.dropped, ...askable() };
  return { html: content.parts.join(""), frames: content.frames, whole: !main, ...told, ...veiledTold() };
};
