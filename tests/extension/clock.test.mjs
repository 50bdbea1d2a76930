// A laptop sleeps, and somebody sets the clock: what is a length of time is not measured by it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import { settle } from "./fake_chrome.mjs";
import { openTab, setUp } from "./fake_server.mjs";

const HOURS_MS = 5 * 3_600_000;
const HERE = new URL("../../extension/", import.meta.url);

test("the clock of the wall is read in one place, for what bears its time", () => {
  const files = readdirSync(HERE).filter((name) => name.endsWith(".js"));
  const readers = files.filter((name) =>
    /Date\.now|new Date\(\)/.test(readFileSync(new URL(name, HERE), "utf8")),
  );
  assert.deepEqual(readers, ["core.js"]);
});

// Whether a tab that came `age` ms ago, before the clock leapt, is loaded again once it was blocked.
async function isLoadedAgain(t, { leap, age }) {
  const parts = await setUp();
  await openTab(parts);
  const own = parts.chrome.add({ url: "chrome-error://chromewebdata/" });
  const created = parts.core.tabs.created(own);
  await parts.timers.run(150);
  await created;
  const [wall, running] = [Date.now(), performance.now()];
  const clocks = [t.mock.method(Date, "now", () => wall + leap + age)];
  clocks.push(t.mock.method(performance, "now", () => running + age));
  const error = "net::ERR_BLOCKED_BY_CLIENT";
  const failed = parts.core.failed({ tabId: own.id, frameId: 0, url: "https://b.test/", error });
  await parts.timers.run(150);
  await failed;
  await settle();
  clocks.forEach((clock) => clock.mock.restore());
  return (await parts.chrome.tabs.get(own.id)).url === "https://b.test/";
}

for (const leap of [HOURS_MS, -HOURS_MS]) {
  test(`a tab is as young as it is where the clock leaps by ${leap} ms`, async (t) => {
    assert.equal(await isLoadedAgain(t, { leap, age: 1000 }), true);
    assert.equal(await isLoadedAgain(t, { leap, age: 4000 }), false);
  });
}

test("a tab that was there before the worker is not young, however soon after its start", async (t) => {
  const parts = await setUp();
  const own = parts.chrome.add({ url: "chrome-error://chromewebdata/" });
  await parts.core.begin("event");
  t.mock.method(performance, "now", () => 10);
  const error = "net::ERR_BLOCKED_BY_CLIENT";
  const failed = parts.core.failed({ tabId: own.id, frameId: 0, url: "https://b.test/", error });
  await parts.timers.run(150);
  await failed;
  assert.equal((await parts.chrome.tabs.get(own.id)).url, "chrome-error://chromewebdata/");
});
