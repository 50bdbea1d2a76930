// Downloads of shared tabs: what is remembered of them, and by which clock they are found.

import assert from "node:assert/strict";
import test from "node:test";

import { createDownloads } from "../../extension/downloads.js";
import { createFakeChrome, settle } from "./fake_chrome.mjs";

const HOUR_MS = 3_600_000;

function setUp({ now = () => Date.now(), delay = async () => undefined } = {}) {
  const chrome = createFakeChrome();
  const told = [];
  const how = { root: (method, params) => told.push({ method, ...params }), allowed: true };
  const downloads = createDownloads({ chrome, now, delay });
  const hear = (method, params, more) => downloads.heard(`Page.${method}`, params, { ...how, ...more });
  const end = (guid) => hear("downloadProgress", { guid, state: "completed" });
  return { chrome, told, downloads, hear, end };
}

test("of many downloads the latest are remembered: their end is told once", async () => {
  const { told, end } = setUp();
  for (let number = 0; number <= 1000; number += 1) {
    await end(`g${number}`);
  }
  told.length = 0;
  await end("g1000");
  await end("g1");
  assert.deepEqual(told, []);
  await end("g0");
  assert.deepEqual(told.map(({ guid }) => guid), ["g0"]);
});

test("what never ends is not kept without end either", async () => {
  const { chrome, downloads, hear } = setUp();
  for (let number = 0; number <= 1000; number += 1) {
    chrome.downloads.items = [{ id: number, url: `https://a.test/${number}` }];
    await hear("downloadWillBegin", { guid: `g${number}`, url: `https://a.test/${number}` });
    await settle();
  }
  assert.equal(await downloads.cancel("g0"), false);
  assert.equal(await downloads.cancel("g1"), true);
});

// Entries by the clock they were made at, as Chrome searches them.
function keepTimes(chrome) {
  chrome.downloads.search = async ({ id, startedAfter, startedBefore }) =>
    chrome.downloads.items.filter((item) =>
      id === undefined
        ? item.startTime > startedAfter && !(item.startTime > startedBefore)
        : item.id === id,
    );
}

const url = "https://a.test/x";
const at = (ms) => new Date(ms).toISOString();

test("a clock that was set back an hour makes no earlier download of the same address the new one", async () => {
  let time = Date.now();
  const { chrome, downloads, hear } = setUp({ now: () => time, delay: () => new Promise(() => undefined) });
  keepTimes(chrome);
  chrome.downloads.items.push({ id: 1, url, startTime: at(time), state: "complete" });
  time -= HOUR_MS - 60_000;
  const denied = hear("downloadWillBegin", { guid: "g", url }, { allowed: false });
  await settle();
  const item = { id: 2, url, startTime: at(time), state: "in_progress" };
  chrome.downloads.items.push(item);
  downloads.created(item);
  await denied;
  assert.deepEqual(chrome.calls, [["cancel", 2]]);
});

for (const jump of [HOUR_MS, -HOUR_MS]) {
  test(`a clock that leaps by ${jump} ms as a download begins hides it until it changes`, async () => {
    let time = Date.now();
    const { chrome, downloads, hear } = setUp({ now: () => time, delay: () => new Promise(() => undefined) });
    keepTimes(chrome);
    chrome.downloads.items.push({ id: 1, url, startTime: at(time), state: "in_progress" });
    time += jump;
    const denied = hear("downloadWillBegin", { guid: "g", url }, { allowed: false });
    await settle();
    await downloads.changed({ id: 1 });
    await denied;
    assert.deepEqual(chrome.calls, [["cancel", 1]]);
  });
}
