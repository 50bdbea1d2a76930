// Puts the parts together: whose event is this, who hears of it. `createCore` needs nothing but
// what it is given, so that all of it runs in Node with a small fake of Chrome.

import { createBadge } from "./badge.js";
import { createClients } from "./clients.js";
import { createDebugger, sessionOf, toEvent } from "./debugger.js";
import { bound, createDownloads } from "./downloads.js";
import { createEndpoint } from "./endpoint.js";
import { createFence } from "./fence.js";
import { createPairing } from "./pairing.js";
import { hideFrame, isNeutral, refuseFrame, refuseVisit } from "./policy.js";
import { createTabs } from "./tabs.js";
import { describe } from "./version.js";
import { createWaker } from "./waker.js";

const REFUSALS = 20;
const LONGEST = 300; // of the words in which a program asks for a tab
// What is said in a session before it ends, where its tab stays: else the tab would seem closed.
const ENDS = {
  userCancelled: "the person has paused the extension",
  policy: "the address is not allowed here",
  foreignExtensionFrame: "a frame of another extension is in the page",
};

export async function createCore({ chrome, WebSocket, crypto, navigator, timers, store }) {
  const { state } = store;
  const refusals = [];
  const born = new Map(); // tab that is not shared yet -> whose tab has opened it
  const version = await describe(navigator);
  const delay = (ms) => new Promise((resolve) => timers.set(resolve, ms));
  const wall = () => Date.now(); // what Chrome's own entries bear, and what may be set
  const now = () => performance.now();
  const waker = createWaker({ chrome });
  const changedCount = (count) => waker.set(count > 0);
  const debug = createDebugger({ chrome, delay, changed: changedCount, spoilt });
  const downloads = createDownloads({ chrome, delay, now: wall });
  const fence = createFence({ chrome });
  const badge = createBadge({ chrome });
  const isPaused = () => state.paused;
  const clients = createClients({
    store,
    connect: (client) => {
      const hear = (why) => refused(client.serverId, why);
      return createEndpoint({
        chrome, client, tabs, debug, downloads, version, isPaused, refused: hear,
      });
    },
    narrowed,
    asked: (client, { reason = "", url = "" }) => {
      const [said, aim] = [reason, url].map((text) => String(text).slice(0, LONGEST));
      setAsked({ serverId: client.serverId, clientName: client.name, reason: said, url: aim });
    },
  });
  const told = { shared, changed, ended, refused, coming: () => raise().catch(() => undefined) };
  const tabs = createTabs({ chrome, store, clients, told, delay, now });
  const pairing = createPairing({
    chrome, WebSocket, crypto, timers, store, clients, tabs, debug, version, show,
  });
  const ownerOf = (tabId) => clients.get(tabs.owner(tabId));
  const fenced = ({ policy, serverId }) => ({
    policy,
    tabIds: tabs.guarded(serverId),
    newborn: tabs.newborn(serverId),
  });
  const raise = () => fence.raise(clients.list().map(fenced));

  // Or, with null, nobody asks for a tab any more. The worker may die before the person has answered.
  function setAsked(question) {
    state.asked = question;
    store.save("asked");
    show();
  }

  function show() {
    const links = pairing.links().map((link) => link.state);
    const count = Object.keys(state.tabs).length;
    badge.show({ paused: state.paused, links, tabs: count, asked: state.asked !== null });
  }

  function refused(serverId, why) {
    refusals.unshift({ at: wall(), clientName: clients.name(serverId), why });
    refusals.length = Math.min(refusals.length, REFUSALS);
  }

  // What happens to shared tabs.

  const describeTab = (tabId) => ({ targetInfo: tabs.info(tabId, debug.isAttached(tabId)) });

  async function shared(tabId) {
    born.delete(tabId); // it has an owner now, and may be taken from it
    await raise();
    const client = ownerOf(tabId);
    if (client.root.discover) {
      client.emit("Target.targetCreated", describeTab(tabId));
    }
    if (state.asked?.serverId === client.serverId) {
      setAsked(null);
    }
    show();
  }

  function changed(tabId) {
    const client = ownerOf(tabId);
    if (client?.root.discover) {
      client.emit("Target.targetInfoChanged", describeTab(tabId));
    }
  }

  async function ended(tabId, { serverId, targetId }, reason) {
    const client = clients.get(serverId);
    await letGo(tabId, client, targetId, reason);
    if (client?.root.discover) {
      client.emit("Target.targetDestroyed", { targetId });
    }
    await raise().catch(() => undefined); // rules of a tab that is not shared harm nobody for long
    show();
  }

  // Detach a tab that may be attached, and say why.
  async function letGo(tabId, client, targetId, reason, recoverable = false) {
    if (debug.isAttached(tabId)) {
      debug.forget(tabId);
      sayDetached(client, tabId, targetId, reason);
      sayReason(client, tabId, targetId, { reason, recoverable });
      await debug.detach(tabId, { all: true });
    }
  }

  function sayDetached(client, tabId, targetId, reason) {
    if (Object.hasOwn(ENDS, reason)) {
      client?.emit("Inspector.detached", { reason: ENDS[reason] }, sessionOf(tabId));
    }
    client?.emit("Target.detachedFromTarget", { sessionId: sessionOf(tabId), targetId });
  }

  function sayReason(client, tabId, targetId, why) {
    client?.emit("Bridge.detached", { sessionId: sessionOf(tabId), targetId, ...why });
  }

  function spoilt(tabId) {
    return letGo(tabId, ownerOf(tabId), tabs.target(tabId), "foreignExtensionFrame", true);
  }

  // A policy has come: what it does not allow any more is let go of.
  async function narrowed(client, before) {
    await raise();
    const look = async (tabId) => {
      await check(tabId, tabs.url(tabId));
      await checkFrames(tabId, client, before);
    };
    await Promise.all(tabs.of(client.serverId).map(look));
  }

  // The client may be listening in frames that were allowed before; attached again it cannot.
  async function checkFrames(tabId, client, before) {
    const frames = (await chrome.webNavigation.getAllFrames({ tabId }).catch(() => null)) ?? [];
    const lost = ({ url }) => refuseFrame(client.policy, url) && !refuseFrame(before, url);
    if (frames.some(lost)) {
      await letGo(tabId, client, tabs.target(tabId), "policy", true);
    }
  }

  async function check(tabId, url) {
    const client = ownerOf(tabId);
    const why = client && !isNeutral(url) ? refuseVisit(client.policy, url) : "";
    if (why && debug.isAttached(tabId)) {
      refused(client.serverId, why);
      await letGo(tabId, client, tabs.target(tabId), "policy", true);
    }
  }

  // The person's hand.

  async function pause() {
    if (state.paused) {
      return;
    }
    state.paused = true;
    await store.save("paused");
    const attached = Object.keys(state.tabs).map(Number).filter(debug.isAttached);
    const stop = (each) => letGo(each, ownerOf(each), tabs.target(each), "userCancelled");
    await Promise.all(attached.map(stop));
    clients.list().forEach((client) => client.emit("Bridge.paused", {}));
    show();
  }

  async function resume() {
    if (state.paused) {
      state.paused = false;
      await store.save("paused");
      clients.list().forEach((client) => client.emit("Bridge.resumed", {}));
      show();
    }
  }

  // What Chrome tells; each is called once everything is restored.

  function debuggerEvent(source, method, params) {
    const client = ownerOf(source.tabId);
    leaveDenied(source, method, params);
    if (!client || !debug.isAttached(source.tabId)) {
      return; // what comes after we have let go may be of a page that nobody may read
    }
    if (method === "Target.attachedToTarget") {
      hearFrame(client, source, params); // before the client can let it run
    }
    const event = toEvent(source, method, hideFrame(client.policy, method, params));
    client.emit(event.method, event.params, event.sessionId);
    if (downloads.concerns(method)) {
      const root = (name, given) => client.root.downloadEvents && client.emit(name, given);
      downloads.heard(method, params, { root, allowed: mayDownload(client) });
    }
  }

  // A file, say: nothing blocks it. What its page says follows at once, and onCommitted may be late.
  function leaveDenied({ tabId, sessionId }, method, { frame } = {}) {
    if (method === "Page.frameNavigated" && !sessionId && !frame.parentId && !frame.unreachableUrl) {
      check(tabId, frame.url);
    }
  }

  // Not of one that nobody may work on: its events would say where it goes.
  function hearFrame(client, { tabId }, { sessionId, targetInfo }) {
    if (targetInfo.type === "iframe" && refuseFrame(client.policy, targetInfo.url) === "") {
      debug.hearPage({ tabId, sessionId });
    }
  }

  async function debuggerDetached({ tabId }, why) {
    const client = ownerOf(tabId);
    const targetId = tabs.target(tabId);
    if (!client) {
      return;
    }
    debug.forget(tabId);
    sayDetached(client, tabId, targetId, why === "canceled_by_user" ? "userCancelled" : "");
    const explained = await debug.explain(tabId, why);
    if (debug.isAttached(tabId) && (state.paused || ownerOf(tabId) !== client)) {
      await debug.detach(tabId, { all: true }); // the person was quicker than Chrome
    }
    sayReason(client, tabId, targetId, explained);
    if (explained.reason === "userCancelled") {
      await pause();
    }
  }

  function committed({ tabId, frameId, url }) {
    if (frameId === 0) {
      debug.settled(tabId);
      return check(tabId, url);
    }
    return undefined;
  }

  function opened(details) {
    const client = ownerOf(details.sourceTabId) ?? clients.get(born.get(details.sourceTabId));
    if (client) {
      born.set(details.tabId, client.serverId);
      bound(born);
    }
    return tabs.opened(details);
  }

  const mayDownload = ({ policy, root }) => policy.downloads && !root.deny;

  // An address that proves to be a download ends so; a new tab is closed with it, before anybody
  // could be attached and hear of it.
  function aborted({ tabId, url }) {
    const client = ownerOf(tabId) ?? clients.get(born.get(tabId));
    return client && !mayDownload(client) && downloads.refuse(url);
  }

  function failed({ tabId, frameId, url, error }) {
    if (error === "net::ERR_ABORTED") {
      return aborted({ tabId, url });
    }
    return frameId === 0 && error === "net::ERR_BLOCKED_BY_CLIENT" && tabs.blocked({ tabId, url });
  }

  const describeClient = (client) => ({
    serverId: client.serverId,
    clientName: client.name,
    state: client.link?.state ?? "waiting",
    why: client.link?.why ?? "",
    tabs: tabs.of(client.serverId).map((tabId) => ({
      tabId,
      title: tabs.title(tabId),
      url: tabs.url(tabId),
    })),
  });

  const orders = {
    share: ({ tabId, serverId }) => tabs.share(tabId, serverId),
    release: ({ tabId }) => tabs.release(tabId),
    decline: () => setAsked(null),
    pause,
    resume,
    pair: ({ text, remember }) => pairing.add(text, remember === true),
    unpair: ({ port }) => pairing.drop(port),
    connect: () => pairing.wake("user"),
    setLabel: ({ label }) => ((state.label = String(label).slice(0, 60)), store.save("label")),
    setNever: async ({ list }) => {
      state.never = list.map(String);
      await store.save("never");
      await clients.decideAgain();
    },
  };

  // Our own pages ask and order here.
  async function message({ ask, do: order, ...params }) {
    if (ask === "state") {
      const { paused, label, never, asked } = state;
      const shown = clients.list().map(describeClient);
      return { paused, label, never, clients: shown, refusals, asked, ...pairing.describe() };
    }
    if (!Object.hasOwn(orders, order ?? "")) {
      return { error: "nobody knows this order" };
    }
    try {
      await orders[order](params);
      return { ok: true };
    } catch (error) {
      return { error: error.message };
    }
  }

  await debug.restore(Object.keys(state.tabs).map(Number));
  return {
    begin: async (why) => {
      await Promise.all([pairing.begin(why), tabs.restore()]);
      show();
    },
    debuggerEvent,
    debuggerDetached,
    opened,
    committed,
    failed,
    message,
    wake: pairing.wake,
    tabs,
    downloads,
  };
}
