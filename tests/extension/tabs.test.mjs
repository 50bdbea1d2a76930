// Whose tab it is: groups, popups, addresses that may not be visited.

import assert from "node:assert/strict";
import test from "node:test";

import { settle, until } from "./fake_chrome.mjs";
import { connect, openTab, SERVER, setUp } from "./fake_server.mjs";

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

test("a group on its way to another window is still one, and a group that is gone is none", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  const [groupId] = parts.chrome.groups.keys();
  const tab = await parts.chrome.tabs.get(tabId);
  const left = parts.core.tabs.updated(tabId, { groupId: -1 }, { ...tab, groupId: -1 });
  await Promise.all([left, parts.core.tabs.groupRemoved({ id: groupId })]);
  assert.equal(parts.core.tabs.owner(tabId), SERVER.serverId);
  assert.deepEqual(parts.store.state.groups, { [groupId]: SERVER.serverId });
  parts.chrome.groups.delete(groupId);
  await parts.core.tabs.groupRemoved({ id: groupId });
  assert.deepEqual(parts.store.state.groups, {});
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

test("workers and blank pop-ups of a host are guarded where no other tab shows it", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  const show = async (id, changes) => {
    const tab = Object.assign(await parts.chrome.tabs.update(id, {}), changes);
    await parts.core.tabs.updated(id, changes, tab);
    await settle();
  };
  const own = () => {
    const { rules } = parts.chrome.declarativeNetRequest;
    const wide = rules.filter(({ condition: { initiatorDomains, resourceTypes } }) =>
      initiatorDomains && resourceTypes.length > 1);
    return [...new Set(wide.flatMap(({ condition }) => condition.initiatorDomains))];
  };
  await show(tabId, { url: "https://a.test/", pendingUrl: "https://b.a.test/" });
  assert.deepEqual(own(), ["a.test", "b.a.test"]);
  const persons = parts.chrome.add({ url: "" });
  await show(persons.id, { pendingUrl: "https://b.a.test/" });
  assert.deepEqual(own(), []);
  await show(persons.id, { pendingUrl: "", url: "https://a.test/" });
  assert.deepEqual(own(), ["b.a.test"]);
  await parts.core.tabs.removed(persons.id);
  await settle();
  assert.deepEqual(own(), ["a.test", "b.a.test"]);
  const brief = parts.chrome.add({ url: "https://a.test/" });
  const under = parts.core.tabs.updated(brief.id, { groupId: -1 }, brief);
  await Promise.all([parts.core.tabs.removed(brief.id), under]);
  await settle();
  assert.deepEqual(own(), ["a.test", "b.a.test"], "nothing is kept of a tab that is closed");
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

test("a tab of the person's that gets another number is not taken for a new one", async () => {
  const parts = await setUp();
  const url = "https://a.test/";
  const { tabId } = await openTab(parts);
  const own = parts.chrome.add({ url });
  const came = parts.core.tabs.created(own);
  await parts.timers.run(150);
  await came;
  await parts.core.tabs.updated(tabId, { url }, { ...(await parts.chrome.tabs.get(tabId)), url });
  await parts.core.tabs.replaced(901, own.id);
  await settle();
  const conditions = parts.chrome.declarativeNetRequest.rules.map(({ condition }) => condition);
  const newborn = conditions.filter(({ initiatorDomains }) => initiatorDomains);
  assert.ok(newborn.length > 0);
  for (const { excludedTabIds, resourceTypes } of newborn) {
    assert.deepEqual([excludedTabIds, resourceTypes], [[901], ["main_frame"]]);
  }
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

const CHILD = "0123456789ABCDEF0123456789ABCDEF";

// A frame of this address in the tab: its session.
function frameIn(parts, tabId, url) {
  const targetInfo = { type: "iframe", url, title: url };
  parts.chrome.commands.set("Target.getTargetInfo", () => ({ targetInfo }));
  parts.core.debuggerEvent({ tabId }, "Target.attachedToTarget", { sessionId: CHILD, targetInfo });
  return `t${tabId}.${CHILD}`;
}

test("the session of a frame does not let go of its tab", async () => {
  const parts = await setUp();
  const { tabId, sessionId } = await openTab(parts);
  const frame = { sessionId: frameIn(parts, tabId, "https://deep.a.test/") };
  await assert.rejects(parts.call("Target.detachFromTarget", frame), { data: { reason: "notShared" } });
  assert.deepEqual([...parts.chrome.attached], [tabId]);
  await parts.call("Target.detachFromTarget", { sessionId });
  assert.equal(parts.chrome.attached.size, 0);
});

test("a frame that was there before its tab was shared is out of reach where it is not allowed", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  const frame = frameIn(parts, tabId, "https://bank.test/account");
  const told = parts.events().at(-1).params;
  assert.deepEqual([told.sessionId, told.targetInfo.url, told.targetInfo.title], [frame, "", ""]);
  for (const method of ["Runtime.evaluate", "Network.enable", "Target.setAutoAttach"]) {
    await assert.rejects(parts.call(method, {}, frame), { data: { reason: "policy" } });
  }
  await parts.call("Runtime.runIfWaitingForDebugger", {}, frame);
  const sent = parts.chrome.calls.filter(([what, debuggee]) => what === "send" && debuggee.sessionId);
  const methods = new Set(sent.map(([, , method]) => method));
  assert.deepEqual([...methods], ["Target.getTargetInfo", "Runtime.runIfWaitingForDebugger"]);
  frameIn(parts, tabId, "https://deep.a.test/");
  await parts.call("Runtime.evaluate", {}, frame);
});

test("no picture is taken of a page with such a frame in it", async () => {
  const parts = await setUp();
  const { sessionId } = await openTab(parts);
  const page = { frameId: 0, parentFrameId: -1, processId: 6, url: "https://a.test/" };
  const frame = { frameId: 5, parentFrameId: 0, processId: 8, url: "https://bank.test/account" };
  parts.chrome.webNavigation.frames = [page, frame];
  for (const method of ["Page.captureScreenshot", "Page.captureSnapshot", "Page.printToPDF"]) {
    await assert.rejects(parts.call(method, {}, sessionId), { data: { reason: "policy" } });
  }
  await parts.call("Runtime.evaluate", {}, sessionId);
  parts.chrome.webNavigation.frames = [page];
  await parts.call("Page.captureScreenshot", {}, sessionId);
});

test("calls to a frame stay in their order, and are looked at once", async () => {
  const parts = await setUp();
  const { tabId } = await openTab(parts);
  const frame = frameIn(parts, tabId, "about:blank");
  const methods = ["Page.enable", "Runtime.enable", "Runtime.runIfWaitingForDebugger"];
  await Promise.all(methods.map((method) => parts.call(method, {}, frame)));
  await parts.call("Runtime.evaluate", {}, frame);
  const sent = parts.chrome.calls.filter(([what, debuggee]) => what === "send" && debuggee.sessionId);
  const [first, ...names] = sent.map(([, , method]) => method);
  assert.equal(first, "Page.enable"); // for its downloads
  assert.deepEqual(names, ["Target.getTargetInfo", ...methods, "Runtime.evaluate"]);
});

test("a tab is let go where one of its frames is not allowed any more", async () => {
  const parts = await setUp();
  const { tabId, sessionId } = await openTab(parts);
  parts.chrome.webNavigation.frames = ["https://a.test/", "https://deep.a.test/"].map((url) => ({ url }));
  const frame = frameIn(parts, tabId, "https://deep.a.test/");
  await parts.call("Runtime.evaluate", {}, frame);
  await parts.core.message({ do: "setNever", list: ["other.test"] });
  await parts.call("Runtime.evaluate", {}, frame);
  await parts.core.message({ do: "setNever", list: ["deep.a.test"] });
  assert.equal(parts.events().at(-1).params.reason, "policy");
  await assert.rejects(parts.call("Runtime.evaluate", {}, frame));
  const { targetId } = (await parts.call("Target.getTargets")).targetInfos[0];
  assert.deepEqual(await parts.call("Target.attachToTarget", { targetId }), { sessionId });
  await assert.rejects(parts.call("Runtime.evaluate", {}, frame), { data: { reason: "policy" } });
});
