// Who may open the page that asks for a code.

import assert from "node:assert/strict";
import test from "node:test";

import { createDoorbell } from "../../extension/doorbell.js";
import { createFakeChrome } from "./fake_chrome.mjs";

const SERVER = { port: 40123, serverId: "0123456789abcdef", clientName: "Tester" };
const ORIGIN = "http://127.0.0.1:40123";

function setUp() {
  const chrome = createFakeChrome();
  const kept = {};
  chrome.storage.session = {
    get: async (defaults) => ({ ...defaults, ...kept }),
    set: async (values) => void Object.assign(kept, values),
  };
  const tab = chrome.add({ url: `${ORIGIN}/pair`, active: true, index: 0 });
  const sender = { origin: ORIGIN, frameId: 0, tab };
  const pages = async () => (await chrome.tabs.query({})).filter(({ url }) => url.endsWith("pair.html"));
  return { chrome, kept, sender, pages, ...createDoorbell({ chrome }) };
}

test("the page of a server opens ours, and says whom it is for", async () => {
  const { ring, sender, pages, kept } = setUp();
  assert.deepEqual(await ring({ pair: SERVER }, sender), {});
  const [page] = await pages();
  assert.ok(page.active);
  assert.deepEqual(kept.introduced, { ...SERVER, tabId: page.id });
});

test("a page of another port, in the background, in a frame or incognito rings in vain", async () => {
  const { ring, sender, pages } = setUp();
  const { tab } = sender;
  const others = [
    { ...sender, origin: "http://127.0.0.1:40124" },
    { ...sender, origin: "http://localhost:40123" },
    { ...sender, origin: undefined },
    { ...sender, frameId: 4 },
    { ...sender, tab: undefined },
    { ...sender, tab: { ...tab, active: false } },
    { ...sender, tab: { ...tab, incognito: true } },
  ];
  for (const each of others) {
    assert.ok((await ring({ pair: SERVER }, each)).error);
  }
  assert.equal((await pages()).length, 0);
});

test("what is no introduction is refused", async () => {
  const { ring, sender, pages } = setUp();
  const odd = [null, undefined, 7, {}, { pair: null }, { do: "pair", text: "40123:x" }];
  odd.push({ pair: { ...SERVER, port: "40123" } }, { pair: { ...SERVER, serverId: "x" } });
  odd.push({ pair: { ...SERVER, clientName: 7 } });
  for (const each of odd) {
    assert.ok((await ring(each, sender)).error);
  }
  assert.equal((await pages()).length, 0);
});

test("there is one page at a time, and another program waits for it to be closed", async () => {
  const { chrome, ring, sender, pages } = setUp();
  await Promise.all([ring({ pair: SERVER }, sender), ring({ pair: SERVER }, sender)]);
  assert.equal((await pages()).length, 1);
  const other = { ...SERVER, port: 40124, serverId: "f".repeat(16) };
  const there = { ...sender, origin: "http://127.0.0.1:40124" };
  assert.match((await ring({ pair: other }, there)).error, /Close it first/);
  chrome.drop((await pages())[0].id);
  assert.deepEqual(await ring({ pair: other }, there), {});
});
