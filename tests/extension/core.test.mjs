// The whole extension in Node: one server, a few tabs, and what a person does.

import assert from "node:assert/strict";
import test from "node:test";

import { createCore } from "../../extension/core.js";
import { checkMethods } from "../../extension/endpoint.js";
import { ROOT_METHODS } from "../../extension/messages.js";
import { loadStore } from "../../extension/store.js";
import {
  createFakeChrome,
  createFakeSocket,
  createFakeTimers,
  crypto,
  hmac,
  navigator,
  settle,
  until,
} from "./fake_chrome.mjs";

const SERVER = { serverId: "0123456789abcdef", clientName: "Tester", port: 4711, token: "t".repeat(43) };
const SITES = { visited: ["*.a.test"], never: [] };

// A worker of this Chrome; called again after its death.
async function wake(chrome) {
  const { FakeSocket, made } = createFakeSocket();
  const timers = createFakeTimers();
  const store = await loadStore({ chrome, crypto });
  const core = await createCore({ chrome, WebSocket: FakeSocket, crypto, navigator, timers, store });
  await core.begin("boot");
  await timers.run(0);
  return { chrome, core, made, timers, store };
}

// Up to Bridge.ready; gives `call`, `events` and what was said.
async function connect({ chrome, core, made, store }, { server = SERVER, sites = SITES, ...more } = {}) {
  if (!store.state.servers.length) {
    chrome.runtime.port.onMessage.fire({ v: 1, servers: [server] });
  }
  await until(() => made.length);
  const socket = made.at(-1);
  socket.open();
  await until(() => socket.sent.length);
  const hello = socket.sent[0].params;
  const said = { port: server.port, extensionId: chrome.runtime.id, theirs: hello.nonce, ours: "n" };
  const mac = await hmac(server.token, "server", said);
  socket.say({ method: "Bridge.challenge", params: { version: 1, nonce: "n", mac } });
  await until(() => socket.sent.length === 2);
  socket.say({ method: "Bridge.welcome", params: { ...server, sites, ...more } });
  await until(() => socket.sent.length >= 3);
  const ready = socket.sent[2].params;
  let id = 0;
  const call = async (method, params, sessionId) => {
    const mine = (id += 1);
    socket.say({ id: mine, method, params, sessionId });
    await until(() => socket.sent.some((each) => each.id === mine));
    const answers = socket.sent.filter((each) => each.id === mine);
    assert.equal(answers.length, 1);
    if (answers[0].error) {
      throw Object.assign(new Error(answers[0].error.message), answers[0].error);
    }
    return answers[0].result;
  };
  const events = () => socket.sent.slice(3).filter((each) => each.method);
  const names = () => events().map(({ method }) => method);
  return { hello, ready, call, events, names, socket };
}

async function setUp(more) {
  const parts = await wake(createFakeChrome());
  return { ...parts, ...(await connect(parts, more)) };
}

async function openTab({ call }) {
  const { targetId } = await call("Target.createTarget", { url: "about:blank", background: true });
  const { sessionId } = await call("Target.attachToTarget", { targetId, flatten: true });
  return { targetId, sessionId, tabId: Number(sessionId.slice(1)) };
}

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

test("a created tab is blank, in the client's group, guarded, and then told of", async () => {
  const parts = await setUp();
  await parts.call("Target.setDiscoverTargets", { discover: true });
  const { targetId, sessionId, tabId } = await openTab(parts);
  const [group] = parts.chrome.groups.values();
  assert.deepEqual([group.title, group.color], ["Tester", "blue"]);
  assert.deepEqual(parts.chrome.declarativeNetRequest.rules[0].condition.tabIds, [tabId]);
  assert.deepEqual(parts.names(), ["Target.targetCreated", "Target.attachedToTarget"]);
  assert.equal(parts.chrome.alarms.period, 0.05);
  const { targetInfos } = await parts.call("Target.getTargets");
  assert.deepEqual(targetInfos.map((each) => [each.targetId, each.attached]), [[targetId, true]]);
  assert.deepEqual(await parts.call("Runtime.evaluate", { expression: "1" }, sessionId), {});
});

test("targets are told of only to who has asked", async () => {
  const parts = await setUp();
  await openTab(parts);
  assert.deepEqual(parts.names(), ["Target.attachedToTarget"]);
  await parts.call("Target.setDiscoverTargets", { discover: true });
  assert.equal(parts.names().at(-1), "Target.targetCreated");
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
  await assert.rejects(call("Browser.setDownloadBehavior", { behavior: "allow" }), /chosen/);
});

test("tabs that are not shared are out of reach, by target and by session", async () => {
  const parts = await setUp();
  const foreign = parts.chrome.add({ url: "https://a.test/" });
  const target = { targetId: `T${foreign.id}` };
  for (const method of ["Target.attachToTarget", "Target.closeTarget", "Target.activateTarget"]) {
    await assert.rejects(parts.call(method, target), { data: { reason: "notShared" } });
  }
  await assert.rejects(parts.call("Page.enable", {}, `t${foreign.id}`), { code: -32001 });
  assert.deepEqual((await parts.call("Target.getTargets")).targetInfos, []);
});

test("two clients do not see each other's tabs, and have a colour each", async () => {
  const parts = await setUp();
  const { targetId, sessionId } = await openTab(parts);
  const server = { ...SERVER, serverId: "fedcba9876543210", port: 4712 };
  parts.chrome.runtime.port.onMessage.fire({ v: 1, servers: [SERVER, server] });
  await until(() => parts.made.length === 2);
  const other = await connect(parts, { server });
  await assert.rejects(other.call("Target.attachToTarget", { targetId }), { data: { reason: "notShared" } });
  await assert.rejects(other.call("Page.enable", {}, sessionId), { code: -32001 });
  await openTab(other);
  assert.deepEqual([...parts.chrome.groups.values()].map(({ color }) => color), ["blue", "green"]);
});

test("a tab dragged into the group is shared, dragged out it is let go of", async () => {
  const parts = await setUp();
  await parts.call("Target.setDiscoverTargets", { discover: true });
  await openTab(parts);
  const [groupId] = parts.chrome.groups.keys();
  const tab = parts.chrome.add({ url: "https://a.test/", title: "mine", groupId });
  await parts.core.tabs.updated(tab.id, { groupId }, tab);
  const created = parts.events().at(-1);
  assert.equal(created.params.targetInfo.title, "mine");
  await parts.call("Target.attachToTarget", created.params.targetInfo);
  tab.groupId = -1;
  await parts.core.tabs.updated(tab.id, { groupId: -1 }, tab);
  await settle();
  assert.deepEqual(parts.names().slice(-3), [
    "Target.detachedFromTarget", "Bridge.detached", "Target.targetDestroyed",
  ]);
  assert.equal(parts.events().at(-2).params.reason, "released");
  assert.equal(parts.chrome.attached.has(tab.id), false);
});

test("a tab that may not be shared is put out of the group again", async () => {
  const parts = await setUp();
  await openTab(parts);
  const [groupId] = parts.chrome.groups.keys();
  for (const given of [{ url: "https://bank.test/" }, { url: "https://a.test/", incognito: true }]) {
    const tab = parts.chrome.add({ ...given, groupId });
    await parts.core.tabs.updated(tab.id, { groupId }, tab);
    assert.equal(tab.groupId, -1);
    assert.equal(parts.core.tabs.owner(tab.id), undefined);
  }
  const { refusals } = await parts.core.message({ ask: "state" });
  assert.equal(refusals.length, 2);
});

test("the address and title of a page that may not be visited are not told", async () => {
  const parts = await setUp();
  const { tabId, targetId } = await openTab(parts);
  const changes = { url: "https://bank.test/account", title: "1,000" };
  await parts.chrome.tabs.update(tabId, changes);
  await parts.core.tabs.updated(tabId, changes, await parts.chrome.tabs.get(tabId));
  const { targetInfo } = await parts.call("Target.getTargetInfo", { targetId });
  assert.deepEqual([targetInfo.url, targetInfo.title], ["", ""]);
});

test("a commit outside the policy ends the session, and says so", async () => {
  const parts = await setUp();
  const { tabId, targetId, sessionId } = await openTab(parts);
  await parts.core.committed({ tabId, frameId: 0, url: "https://bank.test/" });
  const expected = { sessionId, targetId, reason: "policy", recoverable: true };
  assert.deepEqual(parts.events().at(-1), { method: "Bridge.detached", params: expected });
  assert.equal(parts.chrome.attached.size, 0);
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

test("what a shared tab opens belongs to the client and names its opener", async () => {
  const parts = await setUp();
  await parts.call("Target.setDiscoverTargets", { discover: true });
  const { tabId, targetId } = await openTab(parts);
  const popup = parts.chrome.add({ url: "", pendingUrl: "https://a.test/", windowType: "popup" });
  await parts.core.tabs.opened({ sourceTabId: tabId, tabId: popup.id });
  const { targetInfo } = parts.events().at(-1).params;
  assert.equal(targetInfo.openerId, targetId);
  assert.equal(popup.groupId, -1);
  await parts.core.tabs.updated(popup.id, { groupId: -1 }, popup);
  assert.equal(parts.core.tabs.owner(popup.id), SERVER.serverId);
});

test("a tab that a shared one opens is guarded before it is known whose it is", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  const popup = parts.chrome.add({ url: "", openerTabId: tabId });
  const guarded = () => parts.chrome.declarativeNetRequest.rules[0].condition.tabIds;
  const decided = parts.core.tabs.created(popup);
  await settle();
  assert.deepEqual(guarded(), [tabId, popup.id]);
  await parts.timers.run(150);
  await decided;
  await settle();
  assert.deepEqual(guarded(), [tabId]);
});

test("what a client's page opens at a denied address stays guarded, and its address untold", async () => {
  const parts = await setUp();
  await parts.call("Target.setDiscoverTargets", { discover: true });
  const { tabId } = await openTab(parts);
  const popup = parts.chrome.add({ url: "https://b.test/secret" });
  await parts.core.tabs.opened({ sourceTabId: tabId, tabId: popup.id });
  const { targetInfo } = parts.events().at(-1).params;
  assert.equal(targetInfo.url, "");
  assert.ok(parts.chrome.declarativeNetRequest.rules[0].condition.tabIds.includes(popup.id));
  await assert.rejects(parts.call("Target.attachToTarget", targetInfo), { data: { reason: "policy" } });
});

test("a new tab of the person's that was taken for a client's is loaded after all, once", async () => {
  const parts = await setUp();
  const shared = await openTab(parts);
  const own = parts.chrome.add({ url: "chrome-error://chromewebdata/" });
  const error = "net::ERR_BLOCKED_BY_CLIENT";
  const failed = { tabId: own.id, frameId: 0, url: "https://b.test/", error };
  const first = parts.core.failed(failed);
  await parts.timers.run(150);
  await first;
  assert.equal(own.url, "https://b.test/");
  own.url = "";
  for (const tabId of [own.id, shared.tabId]) {
    const again = parts.core.failed({ ...failed, tabId });
    await parts.timers.run(150);
    await again;
  }
  assert.equal(own.url, "");
});

test("a tab is closed without its page being asked, and also where CDP cannot", async () => {
  const parts = await setUp();
  const { chrome, call } = parts;
  const closed = [];
  chrome.commands.set("Target.closeTarget", (_, { targetId }) => closed.push(targetId));
  const { targetId } = await openTab(parts);
  assert.deepEqual(await call("Target.closeTarget", { targetId }), { success: true });
  assert.deepEqual(closed, [targetId]);
  chrome.debugger.attach = async () => {
    throw new Error("Cannot access a chrome:// URL");
  };
  const other = await call("Target.createTarget", {});
  await call("Target.closeTarget", other);
  assert.deepEqual((await chrome.tabs.query({})).map(({ id }) => `T${id}`), [targetId]);
});

test("a closed tab is told of once and nothing else ends", async () => {
  const parts = await setUp();
  await parts.call("Target.setDiscoverTargets", { discover: true });
  const { tabId, targetId } = await openTab(parts);
  parts.chrome.drop(tabId);
  await parts.core.debuggerDetached({ tabId }, "target_closed");
  await parts.core.tabs.removed(tabId);
  assert.deepEqual(parts.names().slice(-3), [
    "Target.detachedFromTarget", "Bridge.detached", "Target.targetDestroyed",
  ]);
  assert.equal(parts.events().at(-2).params.reason, "closed");
  assert.deepEqual(parts.events().at(-1).params, { targetId });
  assert.deepEqual(await parts.call("Bridge.ping"), {});
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

test("a worker that died goes on with tabs, sessions, policy and what was asked of it", async () => {
  const parts = await setUp();
  await parts.call("Target.setDiscoverTargets", { discover: true });
  const kept = await openTab(parts);
  const closed = await openTab(parts);
  parts.chrome.drop(closed.tabId);
  parts.chrome.attached.delete(closed.tabId);
  const again = await wake(parts.chrome);
  const { hello, socket } = await connect(again);
  assert.deepEqual(hello.attached, [{ tabId: kept.tabId, targetId: kept.targetId }]);
  const names = socket.sent.slice(3).map(({ method }) => method);
  assert.deepEqual(names, ["Target.targetDestroyed"]);
  assert.equal(again.store.state.epoch, parts.store.state.epoch);
});

test("an event that woke the worker is told when the link is up", async () => {
  const parts = await setUp();
  const { tabId, sessionId } = await openTab(parts);
  const again = await wake(parts.chrome);
  again.core.debuggerEvent({ tabId }, "Runtime.consoleAPICalled", { type: "log" });
  const { events } = await connect(again);
  await settle();
  assert.deepEqual(events(), [
    { method: "Runtime.consoleAPICalled", params: { type: "log" }, sessionId },
  ]);
});

test("a server that is gone leaves nothing shared and nothing attached", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  parts.chrome.runtime.port.onMessage.fire({ v: 1, servers: [] });
  await until(() => parts.chrome.attached.size === 0);
  await settle();
  assert.equal(parts.core.tabs.owner(tabId), undefined);
  assert.equal((await parts.chrome.tabs.get(tabId)).groupId, -1);
  assert.equal(parts.socket.closedWith, 1000);
  assert.equal(parts.chrome.alarms.period, 0.5);
  assert.deepEqual(parts.chrome.declarativeNetRequest.rules, []);
});

test("a new token is dialled at once and the tabs stay", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  const server = { ...SERVER, token: "u".repeat(43) };
  parts.chrome.runtime.port.onMessage.fire({ v: 1, servers: [server] });
  await until(() => parts.made.length === 2);
  const { hello } = await connect(parts, { server });
  assert.deepEqual(hello.attached.map((each) => each.tabId), [tabId]);
});

test("servers without a proper shape are passed over", async () => {
  const parts = await wake(createFakeChrome());
  const bad = [null, {}, { ...SERVER, port: 0 }, { ...SERVER, serverId: "x" }, { ...SERVER, token: 1 }];
  parts.chrome.runtime.port.onMessage.fire({ v: 1, servers: bad });
  parts.chrome.runtime.port.onMessage.fire({ v: 2, servers: [SERVER] });
  parts.chrome.runtime.port.onMessage.fire(null);
  await settle();
  assert.equal(parts.made.length, 0);
});

test("without a host the state says so, and a pasted text does", async () => {
  const parts = await wake(createFakeChrome());
  parts.chrome.runtime.lastError = { message: "Specified native messaging host not found." };
  parts.chrome.runtime.port.onDisconnect.fire();
  assert.equal((await parts.core.message({ ask: "state" })).host, "missing");
  for (const text of ["", "4711", `0:${SERVER.token}`, `99999:${SERVER.token}`, "4711:short"]) {
    assert.match((await parts.core.message({ do: "pair", text })).error, /pairing text/);
  }
  assert.deepEqual(await parts.core.message({ do: "pair", text: `4711:${SERVER.token}` }), { ok: true });
  const link = await connect({ ...parts, store: { state: { servers: [1] } } });
  await openTab(link);
  const { clients } = await parts.core.message({ ask: "state" });
  assert.deepEqual(clients.map(({ state, tabs }) => [state, tabs.length]), [["ready", 1]]);
  assert.equal("token" in parts.chrome.storage.local.kept, false);
  assert.ok(!JSON.stringify(parts.chrome.storage.local.kept).includes(SERVER.token));
  await parts.core.message({ do: "unpair", port: 4711 });
  assert.deepEqual((await parts.core.message({ ask: "state" })).clients, []);
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
