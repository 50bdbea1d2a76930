// Sessions, attaching in turn, conflicts, and why Chrome has thrown us off.

import assert from "node:assert/strict";
import test from "node:test";

import { createDebugger, parseSession, sessionOf, toEvent } from "../../extension/debugger.js";
import { Refusal, toFault } from "../../extension/errors.js";
import { createFakeChrome } from "./fake_chrome.mjs";

const CHILD = "0123456789ABCDEF0123456789ABCDEF";

function setUp() {
  const chrome = createFakeChrome();
  const tab = chrome.add({ url: "https://a.test/" });
  const delays = [];
  const debug = createDebugger({ chrome, delay: async (ms) => void delays.push(ms) });
  return { chrome, tab, delays, debug };
}

test("a session id says what it means", () => {
  assert.deepEqual(parseSession(sessionOf(12)), { tabId: 12 });
  assert.deepEqual(parseSession(sessionOf(12, CHILD)), { tabId: 12, sessionId: CHILD });
  for (const text of ["", "12", "t", "t1.", "t1.abc", "t1.x", `t1.${CHILD}x`, "t12345678901", null]) {
    assert.equal(parseSession(text), null);
  }
});

test("children are renamed wherever they stand", () => {
  const told = toEvent({ tabId: 3, sessionId: CHILD }, "Target.attachedToTarget", { sessionId: CHILD });
  assert.equal(told.sessionId, `t3.${CHILD}`);
  assert.equal(told.params.sessionId, `t3.${CHILD}`);
  const other = toEvent({ tabId: 3 }, "Page.frameNavigated", { sessionId: "of the page" });
  assert.deepEqual(other, {
    sessionId: "t3", method: "Page.frameNavigated", params: { sessionId: "of the page" },
  });
});

test("a tab is attached once and let go when the last one has", async () => {
  const { chrome, tab, debug } = setUp();
  await Promise.all([debug.attach(tab.id), debug.attach(tab.id)]);
  assert.equal(await debug.detach(tab.id), false);
  assert.equal(debug.isAttached(tab.id), true);
  assert.equal(await debug.detach(tab.id), true);
  const heard = ["send", { tabId: tab.id }, "Page.enable", {}]; // of downloads
  assert.deepEqual(chrome.calls, [["attach", tab.id], heard, ["detach", tab.id]]);
});

test("attach and detach of a tab take turns", async () => {
  const { chrome, tab, debug } = setUp();
  const steps = [debug.attach(tab.id), debug.detach(tab.id), debug.attach(tab.id)];
  await Promise.all(steps);
  const taken = chrome.calls.map(([what]) => what).filter((what) => what !== "send");
  assert.deepEqual(taken, ["attach", "detach", "attach"]);
  assert.equal(debug.isAttached(tab.id), true);
});

test("an attachment that outlived the worker is taken for what it is", async () => {
  const { chrome, tab, debug } = setUp();
  chrome.attached.add(tab.id);
  await debug.attach(tab.id);
  assert.equal(debug.isAttached(tab.id), true);
});

test("a conflict is tried five times and then said", async () => {
  const { chrome, tab, delays, debug } = setUp();
  chrome.debugger.attach = async () => {
    throw new Error("Another debugger is already attached to the tab with id: 1.");
  };
  await assert.rejects(debug.attach(tab.id), { reason: "attachConflict" });
  assert.deepEqual(delays, [300, 600, 900, 1200]);
  assert.equal(debug.isAttached(tab.id), false);
});

test("after the worker's death only what is still attached counts", async () => {
  const { chrome, tab, debug } = setUp();
  const other = chrome.add({ url: "https://b.test/" });
  chrome.attached.add(tab.id);
  await debug.restore([tab.id, other.id]);
  assert.deepEqual([debug.isAttached(tab.id), debug.isAttached(other.id)], [true, false]);
});

test("a tab that is not attached gets no command", () => {
  const { tab, debug } = setUp();
  assert.throws(() => debug.send(sessionOf(tab.id), "Page.enable", {}), { code: -32001 });
  assert.throws(() => debug.send("nonsense", "Page.enable", {}), { code: -32001 });
});

test("what a page did to throw us off is undone once", async () => {
  const { chrome, tab, debug } = setUp();
  assert.deepEqual(await debug.explain(tab.id, "target_closed"), {
    reason: "externalScheme", recoverable: true,
  });
  assert.equal(chrome.attached.has(tab.id), true);
});

test("a page that throws us off again and again is left alone", async () => {
  const { chrome, tab, debug } = setUp();
  let last;
  for (let time = 0; time < 11; time += 1) {
    chrome.attached.clear();
    debug.forget(tab.id);
    last = await debug.explain(tab.id, "target_closed");
  }
  assert.deepEqual(last, { reason: "externalScheme", recoverable: false });
  debug.settled(tab.id);
  chrome.attached.clear();
  assert.equal((await debug.explain(tab.id, "target_closed")).recoverable, true);
});

test("the reason is found out", async () => {
  const { chrome, tab, debug } = setUp();
  const why = async (reason = "target_closed") => (await debug.explain(tab.id, reason)).reason;
  assert.equal(await why("canceled_by_user"), "userCancelled");
  tab.url = "chrome://version/";
  assert.equal(await why(), "restrictedUrl");
  tab.url = "https://a.test/";
  tab.discarded = true;
  assert.equal(await why(), "discarded");
  tab.discarded = false;
  chrome.debugger.attach = async () => {
    throw new Error("Cannot access a chrome-extension:// URL of different extension");
  };
  assert.equal(await why(), "foreignExtensionFrame");
  assert.deepEqual(chrome.calls.filter(([what]) => what === "script"), []);
  chrome.drop(tab.id);
  assert.equal(await why(), "closed");
});

test("frames of another extension are removed where the person allows it", async () => {
  const { chrome, tab, debug } = setUp();
  const attach = chrome.debugger.attach;
  chrome.permissions.contains = async ({ origins }) => origins[0] === "https://a.test/*";
  chrome.debugger.attach = async () => {
    chrome.debugger.attach = attach;
    throw new Error("Cannot access a chrome-extension:// URL of different extension");
  };
  assert.equal((await debug.explain(tab.id, "target_closed")).recoverable, true);
  assert.deepEqual(chrome.calls.map(([what]) => what), ["script", "attach", "send"]);
});

test("a foreign frame that comes later is found out by the next command", async () => {
  const { chrome, tab } = setUp();
  const spoilt = [];
  const debug = createDebugger({ chrome, delay: async () => undefined, spoilt: (id) => spoilt.push(id) });
  await debug.attach(tab.id);
  chrome.commands.set("Page.enable", () => {
    throw new Error("Cannot access a chrome-extension:// URL of different extension");
  });
  await assert.rejects(debug.send(sessionOf(tab.id), "Page.enable", {}), /different extension/);
  assert.deepEqual(spoilt, [tab.id]);
  chrome.permissions.contains = async () => true;
  await assert.rejects(debug.send(sessionOf(tab.id), "Page.enable", {}), /different extension/);
  assert.deepEqual(spoilt, [tab.id]);
  assert.deepEqual(chrome.calls.at(-1), ["script", tab.id]);
});

test("that a tab is gone can be told before the call it has cut short", async () => {
  const { chrome, tab, delays, debug } = setUp();
  await debug.attach(tab.id);
  chrome.commands.set("Page.enable", () => {
    throw new Error("Detached while handling command.");
  });
  await assert.rejects(debug.send(sessionOf(tab.id), "Page.enable", {}), /^Error: Detached while/);
  assert.deepEqual(delays, [50]);
});

test("errors keep Chrome's code, ours carry a reason", () => {
  const chromes = new Error('{"code":-32602,"message":"Invalid parameters"}');
  assert.deepEqual(toFault(chromes), { code: -32602, message: "Invalid parameters", data: undefined });
  assert.equal(toFault(new Error("Debugger is not attached to the tab with id: 1.")).code, -32001);
  assert.equal(toFault(new Error("No SW")).data.reason, "outcomeUnknown");
  assert.deepEqual(toFault(new Error("Not allowed")), { code: -32000, message: "Not allowed" });
  assert.equal(toFault(new Error("{not json")).code, -32000);
  assert.equal(toFault(undefined).code, -32000);
  const ours = toFault(new Refusal("policy", "no"));
  assert.deepEqual(ours, { code: -32000, message: "no", data: { reason: "policy" } });
});
