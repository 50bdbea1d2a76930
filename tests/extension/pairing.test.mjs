// Servers that come and go, and workers that die.

import assert from "node:assert/strict";
import test from "node:test";

import { createFakeChrome, settle, until } from "./fake_chrome.mjs";
import { connect, openTab, SERVER, setUp, wake } from "./fake_server.mjs";

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

test("however many tabs are attached, a hello fits into its frame", async () => {
  const parts = await setUp();
  for (let number = 0; number < 240; number += 1) {
    await openTab(parts);
  }
  const { hello } = await connect(await wake(parts.chrome));
  const longest = hello.attached.map(() => ({ tabId: 2 ** 31, targetId: "F".repeat(32) }));
  assert.ok(JSON.stringify({ ...hello, attached: longest }).length < 15 * 1024);
  assert.ok(hello.attached.length > 100);
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

test("a worker that died before it had let go of a server's tabs does so when it wakes", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  parts.chrome.storage.session.kept.servers = []; // written before anything is let go of
  const { core, store } = await wake(parts.chrome);
  await settle();
  assert.equal(core.tabs.owner(tabId), undefined);
  assert.equal(parts.chrome.attached.size, 0);
  assert.equal((await parts.chrome.tabs.get(tabId)).groupId, -1);
  assert.deepEqual([store.state.groups, store.state.roots], [{}, {}]);
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
