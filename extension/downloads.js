// Downloads that shared tabs begin, told as the browser would. CDP names them by guid and
// chrome.downloads by a number: address and time bring the two together.

const ITEM_WITHIN_MS = 5000;
const NEAR_MS = 2000; // Chrome makes its entry a little before or after CDP tells of it
const MOST = 1000; // that are remembered; of one whose tab is closed the end is never told

// The oldest goes where there are too many of them.
export function bound(known) {
  if (known.size > MOST) {
    known.delete(known.keys().next().value);
  }
}

export function createDownloads({ chrome, now, delay }) {
  const claimed = new Map(); // guid -> promise of Chrome's entry
  const taken = new Set();
  const over = new Set(); // Chrome tells of the end of one several times
  const waiting = new Set(); // functions that look at each new or changed entry

  const isOf = (item, url) => !taken.has(item.id) && (item.url === url || item.finalUrl === url);

  // The entry, and once `fits` says so.
  async function wait(look, fits) {
    let offer;
    const news = new Promise((resolve) => {
      offer = (item) => fits(item) && resolve(item);
      waiting.add(offer);
    });
    try {
      const there = (await look()).find(fits);
      return there ?? (await Promise.race([news, delay(ITEM_WITHIN_MS)]));
    } finally {
      waiting.delete(offer);
    }
  }

  async function claim(url) {
    // By the clock of the wall, as Chrome's entries are. Where that was set back there are some from
    // later; where it is set forth meanwhile the entry is met when it changes.
    const [startedAfter, startedBefore] = [-NEAR_MS, NEAR_MS].map((ms) =>
      new Date(now() + ms).toISOString(),
    );
    const when = { startedAfter, startedBefore, orderBy: ["startTime"] };
    const look = () => chrome.downloads.search(when);
    const item = await wait(look, (each) => isOf(each, url));
    if (item) {
      taken.add(item.id);
      bound(taken);
    }
    return item;
  }

  async function filePath(guid) {
    const item = await claimed.get(guid);
    if (!item) {
      return undefined;
    }
    const look = () => chrome.downloads.search({ id: item.id });
    const done = await wait(look, (each) => each.id === item.id && each.state === "complete");
    return done?.filename;
  }

  async function cancel(guid) {
    const item = await claimed.get(guid);
    if (item) {
      await chrome.downloads.cancel(item.id).catch(() => undefined); // it has ended by itself
    }
    return Boolean(item);
  }

  // Of one that CDP tells nobody of only the address is known.
  async function refuse(url) {
    const item = await claim(url);
    taken.delete(item?.id);
    if (item) {
      await chrome.downloads.cancel(item.id).catch(() => undefined);
    }
  }

  async function changed({ id }) {
    const [item] = waiting.size ? await chrome.downloads.search({ id }) : [];
    waiting.forEach((offer) => item && offer(item));
  }

  // An event of a shared tab; `root` tells the client, `allowed` says whether it may be.
  async function heard(method, params, { root, allowed }) {
    if (method === "Page.downloadWillBegin") {
      claimed.set(params.guid, claim(params.url));
      bound(claimed);
      root("Browser.downloadWillBegin", params);
      if (!allowed) {
        await cancel(params.guid);
      }
      return;
    }
    if (over.has(params.guid)) {
      return;
    }
    if (params.state !== "inProgress") {
      over.add(params.guid);
      bound(over);
    }
    const done = params.state === "completed";
    const path = done ? await filePath(params.guid) : undefined;
    root("Browser.downloadProgress", path ? { ...params, filePath: path } : params);
    if (params.state !== "inProgress") {
      const item = await claimed.get(params.guid);
      claimed.delete(params.guid);
      taken.delete(item?.id);
    }
  }

  return {
    heard,
    cancel,
    refuse,
    created: (item) => waiting.forEach((offer) => offer(item)),
    changed,
    concerns: (method) => method === "Page.downloadWillBegin" || method === "Page.downloadProgress",
  };
}
