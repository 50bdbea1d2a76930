// The text a person sees, laid out in lines as they would be copied from the page.

const LONGEST_READING = 4_000_000; // characters; what is beyond is counted
const PARAGRAPHS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "table", "pre", "blockquote", "figure"]);

class Page {
  parts = [];
  length = 0;
  dropped = 0;
  breaks = 0; // line ends that are due before the next word
  gap = ""; // a space or tabs that are due, within a line
  lead = ""; // tabs that are due before the first word of a row, for its empty places
  row = { start: -1, cells: 0 };
  struck = []; // where the parts of what is struck out begin
  frames = []; // [offset, ref] of frames a person sees
  field = null; // that is all there is to read: then what it holds is what a person sees

  open(element, style, sight) {
    const localName = element.localName;
    const { display } = style;
    if (localName === "br") this.breaks = Math.min(this.breaks + 1, 2);
    else if (display === "table-cell") this.cell(element);
    else if (display === "table-row") this.beginRow();
    else this.border(element, display);
    if (isStruck(element, style)) this.struck.push(this.parts.length);
    if (sight === SEEN && isFrameHolder(element)) this.frame(element);
    if (sight === SEEN && element === this.field) this.put(readIn(element), "");
  }

  close(element, style) {
    if (isStruck(element, style)) this.strike(this.struck.pop());
    if (element.localName !== "br" && style.display !== "table-cell") this.border(element, style.display);
    if (style.display === "table-row") this.lead = this.gap = "";
  }

  strike(from) {
    let first = from;
    while (first < this.parts.length && isBlank(this.parts[first])) first++;
    if (first === this.parts.length || this.struck.length) return;
    this.parts[first] = `~~${this.parts[first]}`;
    this.parts[this.parts.length - 1] += "~~";
    this.length += 4;
  }

  beginRow() {
    this.breaks = Math.max(this.breaks, 1);
    this.row = { start: this.length, cells: 0 };
  }

  // Places that are empty are kept where they mean something: not in a table that only arranges.
  cell(element) {
    const counts = gridOf(element) !== null;
    const before = counts ? placesBefore(element) : 0;
    if (!this.atStart) this.gap = (counts && this.gap.startsWith("\t") ? this.gap : "") + "\t".repeat(before + 1);
    else this.gap = "";
    if (counts && this.length === this.row.start) this.lead += "\t".repeat(before + (this.row.cells ? 1 : 0));
    this.row.cells++;
  }

  border(element, display) {
    if (isBlock(display)) this.breaks = Math.max(this.breaks, PARAGRAPHS.has(element.localName) ? 2 : 1);
    else if (display !== "inline" && display !== "contents" && !isLetter(element, display)) this.gap ||= " ";
  }

  get atStart() {
    return this.breaks > 0 || this.length === 0;
  }

  text(data, element, style, written, joint) {
    const keeps = style.whiteSpaceCollapse ?? "collapse";
    if (keeps === "preserve" || keeps === "break-spaces") this.put(data.replace(/\r\n?/g, "\n"), "");
    else if (keeps === "preserve-breaks") {
      data.split("\n").forEach((line, index) => {
        if (index) this.breaks = Math.min(this.breaks + 1, 2);
        this.words(line);
      });
    } else this.words(joint + data);
  }

  words(data) {
    const text = data.replace(/[ \t\n\r\f]+/g, " ");
    if (/^\s/.test(text)) this.gap ||= " "; // of any kind, as it is trimmed
    const plain = text.trim();
    if (plain) this.put(plain, /\s$/.test(text) ? " " : "");
  }

  put(text, gap) {
    if (this.atStart) this.add((this.length ? "\n".repeat(this.breaks) : "") + this.lead);
    else if (this.gap) this.add(this.gap);
    this.breaks = 0;
    this.lead = "";
    this.gap = gap;
    this.add(text);
  }

  add(text) {
    const room = LONGEST_READING - this.length;
    if (text.length > room) this.dropped += text.length - Math.max(room, 0);
    if (room <= 0) return;
    this.parts.push(text.length > room ? `${text.slice(0, room)}…` : text); // marked: half a secret looks like none
    this.length += Math.min(text.length, room);
  }

  frame(element) {
    this.breaks = Math.max(this.breaks, 1);
    this.put("", "");
    this.frames.push([this.parts.length, refOf(element)]);
    this.breaks = 1;
  }

  // Texts before, between and after the frames.
  get pieces() {
    const places = [0, ...this.frames.map(([place]) => place), this.parts.length];
    return places.slice(1).map((place, index) => plainText(this.parts.slice(places[index], place).join("")));
  }
}

// Without what has no picture or ends a line in disguise; lines and tabs stay.
function readable(text) {
  return text.toWellFormed().replace(DISGUISED, " ").replace(PICTURELESS, "");
}

const DISGUISED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

function plainText(text) {
  return readable(text).replace(/[ \u00a0]+$/gm, "");
}

function readText(root, field = null) {
  const page = new Page();
  page.field = field;
  walkSeen(root, page);
  return page;
}

// What a person sees in a field; of a list that stands open that is all its options.
function readIn(field) {
  const isOpen = field.localName === "select" && (field.multiple || field.size > 1);
  return isOpen ? [...field.options].map((option) => option.label.trim()).join("\n") : valueOf(field) ?? "";
}

lib.text = (wanted) => {
  const root = wanted ? choose(wanted) : document.documentElement;
  const page = readText(root, /^(?:input|textarea|select)$/.test(root?.localName) ? root : null);
  const frames = page.frames.map(([, ref]) => ref);
  return { pieces: page.pieces, frames, matches: wanted ? matches : 1, dropped: page.dropped, ...askable(), ...veiledTold() };
};
