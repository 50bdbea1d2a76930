// Where a page leads.

const MOST_LINKS = 20_000;

lib.links = (wanted) => {
  const root = wanted ? choose(wanted) : document;
  const found = select("a[href], area[href]", root);
  if (root.matches?.("a[href]")) found.unshift(root);
  if (root !== document && shadowOf(root)) found.push(...select("a[href], area[href]", shadowOf(root)));
  beginReading();
  const links = found.slice(0, MOST_LINKS).map(toldLink);
  release();
  const frames = root === document ? select("iframe, frame, object, embed").filter((each) => isFrameHolder(each) && isVisible(each)).map(refOf) : [];
  return { links: links.filter(Boolean), dropped: Math.max(0, found.length - MOST_LINKS), frames, matches: wanted ? matches : 1, suspects: 0, internals: 0 };
};

// Null for what only looks like a link, as in MathML or XML; what is no address is told as it is written.
function addressOf({ href }) {
  if (typeof href === "string") return href;
  if (typeof href?.baseVal !== "string") return null;
  return URL.canParse(href.baseVal, document.baseURI) ? new URL(href.baseVal, document.baseURI).href : href.baseVal;
}

// [address, text, of the same origin]; a link that nobody sees is told without its words.
function toldLink(link) {
  const address = addressOf(link);
  if (address === null || /^(?:javascript|data|blob):/i.test(address)) return null;
  const seen = link.localName === "area" || (seenAlone(link, seenBefore).sight === SEEN && hasBox(link));
  const own = URL.canParse(address) && new URL(address).origin === self.origin;
  return [address.toWellFormed(), seen ? cut(nameOf(link), LONGEST_VALUE) : null, own];
}
