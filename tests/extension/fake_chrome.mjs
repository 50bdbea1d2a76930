// A small Chrome to test the extension against: tabs, groups, a debugger that answers from a list.
// It is dumb on purpose: what a real Chrome does is tested with a real Chrome.

import { webcrypto } from "node:crypto";

export class FakeEvent {
  #listeners = [];

  addListener(listener) {
    this.#listeners.push(listener);
  }

  fire(...given) {
    this.#listeners.forEach((listener) => listener(...given));
  }
}

function fakeStorage() {
  const kept = {};
  return {
    kept,
    get: async (defaults) => structuredClone({ ...defaults, ...kept }),
    set: async (values) => void Object.assign(kept, structuredClone(values)),
  };
}

export function createFakeChrome() {
  const tabs = new Map();
  const groups = new Map();
  const attached = new Set();
  const calls = [];
  const commands = new Map();
  let last = 0;
  const next = () => (last += 1);
  const must = (tabId) => {
    if (!tabs.has(tabId)) {
      throw new Error(`No tab with given id ${tabId}.`);
    }
    return tabs.get(tabId);
  };

  const chrome = {
    tabs: {
      get: async (tabId) => ({ ...must(tabId) }),
      query: async () => [...tabs.values()].map((tab) => ({ ...tab })),
      create: async ({ url, active, windowId = 1 }) => chrome.add({ url, active, windowId }),
      update: async (tabId, changes) => Object.assign(must(tabId), changes),
      remove: async (tabId) => void (must(tabId), tabs.delete(tabId)),
      group: async ({ tabIds, groupId, createProperties }) => {
        if (must(tabIds[0]).windowType === "popup") {
          throw new Error("Tabs can only be moved to and from normal windows.");
        }
        const id = groupId ?? next() + 1000;
        groups.set(id, { id, windowId: createProperties?.windowId ?? groups.get(id)?.windowId });
        tabIds.forEach((tabId) => (must(tabId).groupId = id));
        return id;
      },
      ungroup: async (tabIds) => tabIds.forEach((tabId) => (must(tabId).groupId = -1)),
    },
    tabGroups: {
      query: async ({ windowId }) => [...groups.values()].filter((each) => each.windowId === windowId),
      get: async (id) => {
        if (!groups.has(id)) {
          throw new Error(`No group with id: ${id}.`);
        }
        return groups.get(id);
      },
      update: async (id, changes) => Object.assign(groups.get(id), changes),
    },
    windows: {
      getAll: async () => [{ id: 1, type: "normal", focused: true, incognito: false }],
      get: async (id) => ({ id, left: 0, top: 0, width: 800, height: 600, state: "normal" }),
      update: async (id, changes) => calls.push(["window", id, changes]),
    },
    debugger: {
      attach: async ({ tabId }) => {
        must(tabId);
        if (attached.has(tabId)) {
          throw new Error(`Another debugger is already attached to the tab with id: ${tabId}.`);
        }
        attached.add(tabId);
        calls.push(["attach", tabId]);
      },
      detach: async ({ tabId }) => {
        attached.delete(tabId);
        calls.push(["detach", tabId]);
      },
      sendCommand: async (debuggee, method, params) => {
        if (!attached.has(debuggee.tabId)) {
          throw new Error(`Debugger is not attached to the tab with id: ${debuggee.tabId}.`);
        }
        calls.push(["send", debuggee, method, params]);
        return commands.get(method)?.(debuggee, params) ?? {};
      },
      getTargets: async () =>
        [...tabs.keys()].map((tabId) => ({ tabId, type: "page", id: `T${tabId}` })),
    },
    declarativeNetRequest: {
      rules: [],
      getSessionRules: async () => chrome.declarativeNetRequest.rules,
      updateSessionRules: async ({ addRules }) => void (chrome.declarativeNetRequest.rules = addRules),
    },
    webNavigation: {
      frames: [],
      getAllFrames: async () => chrome.webNavigation.frames,
    },
    downloads: {
      items: [],
      search: async ({ id }) =>
        chrome.downloads.items.filter((item) => id === undefined || item.id === id),
      cancel: async (id) => void calls.push(["cancel", id]),
    },
    alarms: { create: async (name, given) => void (chrome.alarms.period = given.periodInMinutes) },
    permissions: { contains: async () => false },
    scripting: { executeScript: async (given) => calls.push(["script", given.target.tabId]) },
    extension: {
      isAllowedFileSchemeAccess: async () => false,
      isAllowedIncognitoAccess: async () => false,
    },
    action: {
      setBadgeText: async ({ text }) => void (chrome.action.text = text),
      setBadgeBackgroundColor: async () => undefined,
      setTitle: async () => undefined,
    },
    runtime: {
      id: "extensionid",
      lastError: null,
      getManifest: () => ({ version: "1.2.3" }),
      getURL: (path) => `chrome-extension://extensionid/${path}`,
      connectNative: () => {
        const port = {
          onMessage: new FakeEvent(),
          onDisconnect: new FakeEvent(),
          told: [],
          postMessage: (message) => port.told.push(message),
        };
        chrome.runtime.port = port;
        return port;
      },
    },
    storage: { session: fakeStorage(), local: fakeStorage() },
    // For tests alone.
    calls,
    commands,
    attached,
    groups,
    add: (given) => {
      const tab = { id: next(), groupId: -1, windowId: 1, incognito: false, title: "", ...given };
      tabs.set(tab.id, tab);
      return tab;
    },
    drop: (tabId) => tabs.delete(tabId),
  };
  return chrome;
}

// One end of a WebSocket; the test is the other one.
export function createFakeSocket() {
  const made = [];
  class FakeSocket {
    readyState = 0;
    bufferedAmount = 0;
    sent = [];
    closedWith = null;

    constructor(url) {
      this.url = url;
      made.push(this);
    }

    open() {
      this.readyState = 1;
      return this.onopen?.();
    }

    send(text) {
      this.sent.push(JSON.parse(text));
    }

    say(message) {
      this.onmessage({ data: typeof message === "string" ? message : JSON.stringify(message) });
    }

    close(code) {
      this.readyState = 3;
      this.closedWith = code;
    }

    drop(code = 1006) {
      this.readyState = 3;
      this.onclose({ code });
    }
  }
  return { FakeSocket, made };
}

// Timers that run when the test says so.
export function createFakeTimers() {
  const set = new Map();
  let last = 0;
  return {
    set: (call, ms) => (set.set((last += 1), { call, ms }), last),
    clear: (id) => set.delete(id),
    waits: () => [...set.values()].map(({ ms }) => ms),
    run: async (ms) => {
      for (const [id, timer] of [...set]) {
        if (timer.ms === ms) {
          set.delete(id);
          timer.call();
        }
      }
      await settle();
    },
  };
}

// Until what is under way has gone as far as it can.
export async function settle() {
  for (let round = 0; round < 20; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

// Until something holds; WebCrypto works beside the event loop, so turns of it are no measure.
export async function until(holds) {
  const end = Date.now() + 2000;
  while (!holds()) {
    if (Date.now() > end) {
      throw new Error(`it never came to hold: ${holds}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const crypto = webcrypto;
export const navigator = { userAgent: "Mozilla/5.0 Chrome/156.0.0.0", userAgentData: undefined };

export async function hmac(token, role, { version = 1, port, extensionId, theirs, ours }) {
  const bytes = (text) => new TextEncoder().encode(text);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await webcrypto.subtle.importKey("raw", bytes(token), algorithm, false, ["sign"]);
  const said = [role, version, port, extensionId, theirs, ours].join("\n");
  return Buffer.from(await webcrypto.subtle.sign("HMAC", key, bytes(said))).toString("hex");
}
