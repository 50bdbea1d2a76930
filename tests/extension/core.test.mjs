// What a client may ask, and what the person can do about it.

import assert from "node:assert/strict";
import test from "node:test";

import { checkMethods } from "../../extension/endpoint.js";
import { ROOT_METHODS } from "../../extension/messages.js";
import { createFakeChrome, settle } from "./fake_chrome.mjs";
import { connect, openTab, SERVER, setUp, wake } from "./fake_server.mjs";

test("the contract and the code name the same root calls", () => {
  checkMethods([...ROOT_METHODS]);
  assert.throws(() => checkMethods(ROOT_METHODS.slice(1)), /missing Bridge.ping/);
  assert.throws(() => checkMethods([...ROOT_METHODS, "Browser.close"]), /unknown Browser.close/);
});

test("the hello tells no address and no secret", async () => {
  const { hello, ready } = await setUp();
  assert.deepEqual(hello.versions, [1]);
  assert.equal(hello.product, "Chrome/156.0.0.0");
  assert.deepEqual(hello.attached, []);
  assert.deepEqual(ready, { targets: [], paused: false, capabilities: [] });
});

test("an address that is not allowed is neither opened nor gone to", async () => {
  const parts = await setUp();
  const denied = { url: "https://b.test/" };
  await assert.rejects(parts.call("Target.createTarget", denied), { data: { reason: "policy" } });
  const { sessionId } = await openTab(parts);
  await assert.rejects(parts.call("Page.navigate", denied, sessionId), { data: { reason: "policy" } });
});

test("what extensions cannot do is refused with a sentence", async () => {
  const { call } = await setUp();
  await assert.rejects(call("Browser.close"), { code: -32601, data: { reason: "impossible" } });
  await assert.rejects(call("toString"), { code: -32601 });
  const data = { url: "data:text/html,x" };
  await assert.rejects(call("Target.createTarget", data), { data: { reason: "impossible" } });
  await assert.rejects(call("Browser.setDownloadBehavior", { behavior: "allow" }), /chosen/);
});

test("the person's own list holds beside the server's", async () => {
  const parts = await setUp();
  const { sessionId } = await openTab(parts);
  const url = { url: "https://deep.a.test/" };
  await parts.call("Page.navigate", url, sessionId);
  await parts.core.message({ do: "setNever", list: ["deep.a.test"] });
  await assert.rejects(parts.call("Page.navigate", url, sessionId), { data: { reason: "policy" } });
  await parts.call("Bridge.setPolicy", { sites: { visited: ["*"] } });
  await assert.rejects(parts.call("Page.navigate", url, sessionId), { data: { reason: "policy" } });
});

test("of a page that nobody may read nothing is told, neither in events nor in an answer", async () => {
  const parts = await setUp();
  const { tabId, sessionId } = await openTab(parts);
  let tell;
  parts.chrome.commands.set("Runtime.evaluate", () => new Promise((resolve) => (tell = resolve)));
  const read = parts.call("Runtime.evaluate", {}, sessionId);
  await settle();
  const comes = (method, params) => parts.core.debuggerEvent({ tabId }, method, params);
  comes("Page.frameNavigated", { frame: { id: "F", url: "chrome-error://x/", unreachableUrl: "y" } });
  comes("Page.frameNavigated", { frame: { id: "G", parentId: "F", url: "file:///inside" } });
  comes("Page.frameNavigated", { frame: { id: "F", url: "file:///secret" } });
  comes("Runtime.consoleAPICalled", { args: ["secret"] });
  tell({ result: "secret" });
  await assert.rejects(read, { code: -32001 });
  assert.deepEqual(parts.names().slice(1), [
    "Page.frameNavigated", "Page.frameNavigated",
    "Inspector.detached", "Target.detachedFromTarget", "Bridge.detached",
  ]);
  assert.equal(parts.chrome.attached.size, 0);
});

test("Cancel on the debugging bar pauses everything until the person resumes", async () => {
  const parts = await setUp();
  const { tabId, sessionId, targetId } = await openTab(parts);
  const other = await openTab(parts);
  parts.chrome.attached.delete(tabId);
  await parts.core.debuggerDetached({ tabId }, "canceled_by_user");
  assert.equal(parts.chrome.attached.size, 0);
  const reasons = parts.events().filter(({ method }) => method === "Bridge.detached");
  assert.deepEqual(reasons.map(({ params }) => params.reason), ["userCancelled", "userCancelled"]);
  assert.equal(parts.names().at(-1), "Bridge.paused");
  for (const ask of [["Target.attachToTarget", { targetId }], ["Page.enable", {}, other.sessionId]]) {
    await assert.rejects(parts.call(...ask), { data: { reason: "paused" } });
  }
  await parts.core.message({ do: "resume" });
  assert.equal(parts.names().at(-1), "Bridge.resumed");
  assert.deepEqual(await parts.call("Target.attachToTarget", { targetId }), { sessionId });
});

test("a pause, or a release, that comes while a tab is being attached is not passed by", async () => {
  const parts = await setUp();
  const { targetId } = await parts.call("Target.createTarget", {});
  const { attach } = parts.chrome.debugger;
  const meanwhile = (order) => {
    parts.chrome.debugger.attach = async (debuggee) => {
      await attach(debuggee);
      await parts.core.message(order);
    };
  };
  const [tab] = await parts.chrome.tabs.query();
  meanwhile({ do: "pause" });
  await assert.rejects(parts.call("Target.attachToTarget", { targetId }), { data: { reason: "paused" } });
  assert.equal(parts.chrome.attached.size, 0);
  await parts.core.message({ do: "resume" });
  meanwhile({ do: "pause" });
  await parts.core.debuggerDetached({ tabId: tab.id }, "target_closed");
  assert.equal(parts.chrome.attached.size, 0);
  await parts.core.message({ do: "resume" });
  meanwhile({ do: "release", tabId: tab.id });
  await assert.rejects(parts.call("Target.attachToTarget", { targetId }), { data: { reason: "notShared" } });
  assert.equal(parts.chrome.attached.size, 0);
});

test("while paused a client closes tabs it has opened, without a debugger, and none of the person's", async () => {
  const parts = await setUp();
  const { targetId, tabId } = await openTab(parts);
  const persons = parts.chrome.add({ url: "https://a.test/" });
  const popup = parts.chrome.add({ url: "https://a.test/" });
  await parts.core.message({ do: "share", tabId: persons.id, serverId: SERVER.serverId });
  await parts.core.tabs.opened({ sourceTabId: tabId, tabId: popup.id });
  await parts.core.message({ do: "pause" });
  parts.chrome.calls.length = 0;
  for (const { id } of [persons, popup]) {
    const closed = parts.call("Target.closeTarget", { targetId: `T${id}` });
    await assert.rejects(closed, { data: { reason: "paused" } });
  }
  assert.deepEqual(await parts.call("Target.closeTarget", { targetId }), { success: true });
  assert.deepEqual(parts.chrome.calls, []);
  const left = (await parts.chrome.tabs.query()).map(({ id }) => id);
  assert.deepEqual(left, [persons.id, popup.id]);
});

test("a pause that comes while a person's tab is being closed leaves it open and alone", async () => {
  const parts = await setUp();
  const persons = parts.chrome.add({ url: "https://a.test/" });
  await parts.core.message({ do: "share", tabId: persons.id, serverId: SERVER.serverId });
  const { attach } = parts.chrome.debugger;
  parts.chrome.debugger.attach = async (debuggee) => {
    await attach(debuggee);
    await parts.core.message({ do: "pause" });
  };
  const closed = parts.call("Target.closeTarget", { targetId: `T${persons.id}` });
  await assert.rejects(closed, { data: { reason: "paused" } });
  assert.deepEqual((await parts.chrome.tabs.query()).map(({ id }) => id), [persons.id]);
  assert.equal(parts.chrome.attached.size, 0);
  const resumed = await parts.core.message({ do: "resume" });
  assert.deepEqual(resumed, { ok: true });
});

test("a program that has gone asks for no tab any more", async () => {
  const parts = await setUp();
  await parts.call("Bridge.requestTab", { reason: "to read your mail" });
  parts.chrome.runtime.port.onMessage.fire({ v: 1, servers: [] });
  await settle();
  assert.equal((await parts.core.message({ ask: "state" })).asked, null);
  assert.equal(parts.chrome.action.text, "○");
});

test("what a program has asked for outlives the worker, and is answered once", async () => {
  const parts = await setUp();
  await parts.call("Bridge.requestTab", { reason: "to read your mail" });
  const { chrome, core } = await wake(parts.chrome);
  assert.equal((await core.message({ ask: "state" })).asked.reason, "to read your mail");
  assert.equal(chrome.action.text, "?");
  await core.message({ do: "decline" });
  const again = await wake(chrome);
  assert.equal((await again.core.message({ ask: "state" })).asked, null);
  assert.equal(chrome.action.text, "…");
});

test("the words of a program that asks for a tab are cut", async () => {
  const { core, call } = await setUp();
  await call("Bridge.requestTab", { reason: "please ".repeat(1000), url: { odd: 1 } });
  const { asked } = await core.message({ ask: "state" });
  assert.deepEqual([asked.reason.length, asked.url], [300, "[object Object]"]);
});

test("a download is told at the root with its place, and cancelled where it may not be", async () => {
  const parts = await setUp({ downloads: true });
  await parts.call("Browser.setDownloadBehavior", { behavior: "default", eventsEnabled: true });
  const { tabId } = await openTab(parts);
  const item = { id: 5, url: "https://a.test/x", state: "complete", filename: "/home/x" };
  parts.chrome.downloads.items.push(item);
  const begun = { guid: "g", url: item.url, frameId: "f", suggestedFilename: "x" };
  const done = { guid: "g", totalBytes: 1, receivedBytes: 1, state: "completed" };
  parts.core.debuggerEvent({ tabId }, "Page.downloadWillBegin", begun);
  parts.core.debuggerEvent({ tabId }, "Page.downloadProgress", done);
  await settle();
  assert.deepEqual(parts.events().filter(({ method }) => method.startsWith("Browser.")), [
    { method: "Browser.downloadWillBegin", params: begun },
    { method: "Browser.downloadProgress", params: { ...done, filePath: "/home/x" } },
  ]);
  assert.deepEqual(parts.chrome.calls.filter(([what]) => what === "cancel"), []);
  await parts.call("Browser.setDownloadBehavior", { behavior: "deny", eventsEnabled: true });
  parts.core.debuggerEvent({ tabId }, "Page.downloadWillBegin", { ...begun, guid: "h" });
  await settle();
  assert.deepEqual(parts.chrome.calls.filter(([what]) => what === "cancel"), [["cancel", 5]]);
  await assert.rejects(parts.call("Browser.cancelDownload", { guid: "?" }), /No download/);
});

test("a download in a frame of another site is heard of, but not where nobody may work on the frame", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  const come = (id, url, type = "iframe") => {
    const sessionId = id.repeat(32);
    const targetInfo = { targetId: sessionId, type, url, title: "" };
    const params = { sessionId, targetInfo, waitingForDebugger: false };
    parts.core.debuggerEvent({ tabId }, "Target.attachedToTarget", params);
    return sessionId;
  };
  const allowed = come("A", "https://deep.a.test/");
  come("B", "https://b.test/");
  come("C", "https://a.test/worker.js", "worker");
  await settle();
  const enabled = parts.chrome.calls.filter(([what, { sessionId }]) => what === "send" && sessionId);
  assert.deepEqual(enabled, [["send", { tabId, sessionId: allowed }, "Page.enable", {}]]);
  parts.chrome.downloads.items.push({ id: 5, url: "https://deep.a.test/x", state: "in_progress" });
  const begun = { guid: "g", url: "https://deep.a.test/x", frameId: "f", suggestedFilename: "x" };
  parts.core.debuggerEvent({ tabId, sessionId: allowed }, "Page.downloadWillBegin", begun);
  await settle();
  assert.deepEqual(parts.chrome.calls.filter(([what]) => what === "cancel"), [["cancel", 5]]);
});

test("an address that ends as a download is cancelled in tabs of a client's, and theirs, alone", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  const cancelled = async (id, { downloads = false, ...details }) => {
    await parts.call("Bridge.setPolicy", { sites: { visited: ["*"] }, downloads });
    const url = `https://a.test/${id}`;
    parts.chrome.downloads.items = [{ id, url: "https://a.test/first", finalUrl: url }];
    await parts.core.failed({ frameId: 0, url, error: "net::ERR_ABORTED", ...details });
    return parts.chrome.calls.some(([what, each]) => what === "cancel" && each === id);
  };
  parts.core.opened({ sourceTabId: tabId, tabId: 901, url: "" });
  parts.core.opened({ sourceTabId: 901, tabId: 902, url: "" });
  parts.core.opened({ sourceTabId: 903, tabId: 904, url: "" });
  for (const each of [{ tabId }, { tabId, frameId: 7 }, { tabId: 901 }, { tabId: 902 }]) {
    assert.equal(await cancelled(1000 + Object.values(each).at(-1), each), true);
  }
  assert.equal(await cancelled(1, { tabId: 904 }), false);
  const popup = parts.chrome.add({ url: "https://a.test/" });
  await parts.core.opened({ sourceTabId: tabId, tabId: popup.id, url: "" });
  await parts.core.message({ do: "release", tabId: popup.id });
  assert.equal(await cancelled(4, { tabId: popup.id }), false);
  assert.equal(await cancelled(2, { tabId, error: "net::ERR_FAILED" }), false);
  assert.equal(await cancelled(3, { tabId, downloads: true }), false);
});

test("the badge counts shared tabs, and shows a pause and a question", async () => {
  const parts = await wake(createFakeChrome());
  assert.equal(parts.chrome.action.text, "○");
  const { call } = await connect(parts);
  await openTab({ call });
  assert.equal(parts.chrome.action.text, "1");
  await call("Bridge.requestTab", { reason: "to read your mail" });
  assert.equal(parts.chrome.action.text, "?");
  await parts.core.message({ do: "pause" });
  assert.equal(parts.chrome.action.text, "‖");
});

test("an order nobody knows is answered", async () => {
  const { core } = await wake(createFakeChrome());
  for (const message of [{}, { do: "constructor" }, { do: "share", tabId: 99 }]) {
    assert.ok((await core.message(message)).error);
  }
});
