// The worker. Chrome wants every listener at once at the top, while what they need has to be read
// from storage first: so what happens meanwhile is kept, in order, until everything is restored.

import { createCore } from "./core.js";
import { createDoorbell } from "./doorbell.js";
import { loadStore } from "./store.js";

const timers = { set: (call, ms) => setTimeout(call, ms), clear: (id) => clearTimeout(id) };
const doorbell = createDoorbell({ chrome });
const held = [];
let core = null;
let why = "event";

// Runs now, or when everything is there.
function when(work) {
  if (core === null) {
    return new Promise((resolve) => held.push(() => resolve(work(core))));
  }
  return work(core);
}

function on(event, work) {
  event.addListener((...given) => void when((parts) => work(parts, ...given)));
}

on(chrome.debugger.onEvent, (parts, ...given) => parts.debuggerEvent(...given));
on(chrome.debugger.onDetach, (parts, ...given) => parts.debuggerDetached(...given));
on(chrome.tabs.onCreated, ({ tabs }, tab) => tabs.created(tab));
on(chrome.tabs.onUpdated, ({ tabs }, ...given) => tabs.updated(...given));
on(chrome.tabs.onRemoved, ({ tabs }, tabId) => tabs.removed(tabId));
on(chrome.tabs.onReplaced, ({ tabs }, ...given) => tabs.replaced(...given));
on(chrome.tabGroups.onRemoved, ({ tabs }, group) => tabs.groupRemoved(group));
on(chrome.webNavigation.onCreatedNavigationTarget, (parts, details) => parts.opened(details));
on(chrome.webNavigation.onCommitted, (parts, details) => parts.committed(details));
on(chrome.webNavigation.onErrorOccurred, (parts, details) => parts.failed(details));
on(chrome.downloads.onCreated, ({ downloads }, item) => downloads.created(item));
on(chrome.downloads.onChanged, ({ downloads }, change) => downloads.changed(change));

chrome.alarms.onAlarm.addListener(() => {
  why = core ? why : "alarm";
  when((parts) => parts.wake("alarm"));
});
chrome.runtime.onStartup.addListener(() => {
  why = "boot";
});
chrome.runtime.onInstalled.addListener(() => {
  why = "boot";
});
chrome.runtime.onMessage.addListener((message, sender, reply) => {
  if (sender.id !== chrome.runtime.id || !sender.url?.startsWith(chrome.runtime.getURL(""))) {
    return false;
  }
  when((parts) => parts.message(message)).then(reply);
  return true;
});

// The page of a server; it needs nothing that would have to be restored.
chrome.runtime.onMessageExternal.addListener((message, sender, reply) => {
  doorbell.ring(message, sender).then(reply);
  return true;
});

// A worker may not wait at its top level.
async function start() {
  // Alarms of an older version would go on for ever.
  const [store] = await Promise.all([loadStore({ chrome, crypto }), chrome.alarms.clearAll()]);
  const parts = await createCore({ chrome, WebSocket, crypto, navigator, timers, store });
  core = parts;
  const begun = core.begin(why);
  held.splice(0).forEach((work) => work());
  await begun;
}

start();
