// The servers we know and a link to each. What the native host says counts; what a person has
// pasted stands beside it. The last list is remembered, so a new worker dials before the host runs.

import { createDiscovery, parsePairing } from "./discovery.js";
import { createLink } from "./link.js";

const HOST_AFTER_MS = 1000;
const MOST_ATTACHED = 200; // in a hello, which has 16 KB; the others are taken up anew
// Chrome takes 30 s at least for an extension from the store, and less for an unpacked one.
const SOON = 0.05;
const LATER = 0.5;

const keyOf = ({ serverId, port, token }) => `${serverId ?? "pasted"} ${port} ${token}`;

export function createPairing(parts) {
  const { chrome, WebSocket, crypto, timers, store, clients, tabs, debug, version, show } = parts;
  const { state } = store;
  const links = new Map();
  const discovery = createDiscovery({ chrome, timers, found, changed: show });
  const extensionId = chrome.runtime.id;
  let reason = "boot";
  let period = 0;

  async function hello({ server }) {
    const ours = tabs.of(server.serverId).filter(debug.isAttached).slice(0, MOST_ATTACHED);
    const [fileAccess, incognitoAccess] = await Promise.all([
      chrome.extension.isAllowedFileSchemeAccess(),
      chrome.extension.isAllowedIncognitoAccess(),
    ]);
    const { instanceId, epoch, label } = state;
    const why = reason;
    reason = "retry";
    return {
      extVersion: chrome.runtime.getManifest().version,
      instanceId,
      epoch,
      product: version().product,
      label,
      why,
      fileAccess,
      incognitoAccess,
      attached: ours.map((tabId) => ({ tabId, targetId: tabs.target(tabId) })),
    };
  }

  async function welcomed(link, welcome) {
    const { server } = link;
    if (server.serverId && server.serverId !== welcome.serverId) {
      throw new Error("another server answers");
    }
    if (!server.serverId) {
      server.serverId = welcome.serverId;
      await keepPasted();
    }
    const client = clients.add(welcome);
    client.link = link;
    await client.setPolicy(welcome);
    const info = (tabId) => tabs.info(tabId, debug.isAttached(tabId));
    const files = await chrome.extension.isAllowedFileSchemeAccess();
    return {
      targets: tabs.of(client.serverId).map(info),
      paused: state.paused,
      capabilities: files ? ["uploads"] : [],
    };
  }

  const answer = ({ server }, call) => clients.get(server.serverId).answer(call);

  function connect(server) {
    const link = createLink({
      server, extensionId, WebSocket, crypto, timers,
      hooks: { hello: () => hello(link), welcomed, answer, changed: show },
    });
    links.set(keyOf(server), link);
    if (server.serverId) {
      clients.add(server).link = link;
    }
    link.dial();
  }

  // The list that comes last counts.
  function found(servers) {
    state.servers = servers;
    store.save("servers");
    return settle();
  }

  async function settle() {
    const listed = new Set(state.servers.map(({ serverId }) => serverId));
    const pasted = [...state.manual, ...state.remembered];
    const wanted = [...state.servers, ...pasted.filter(({ serverId }) => !listed.has(serverId))];
    const keys = new Set(wanted.map(keyOf));
    for (const [key, link] of links) {
      if (!keys.has(key)) {
        links.delete(key);
        link.end();
      }
    }
    wanted.filter((server) => !links.has(keyOf(server))).forEach(connect);
    links.forEach((link) => link.poke());
    const known = new Set(wanted.map(({ serverId }) => serverId));
    const gone = remembered().filter((serverId) => !known.has(serverId));
    await Promise.all(gone.map(forget));
    await setAlarm();
    show();
  }

  // The net below everything: it wakes us also when the extension's process was killed.
  async function setAlarm() {
    const wanted = links.size > 0 ? SOON : LATER;
    if (wanted !== period) {
      period = wanted;
      await chrome.alarms.create("wake", { periodInMinutes: wanted });
    }
  }

  // Also those of whom only traces are left: a worker may have died before it had let go of all.
  function remembered() {
    const owners = Object.values(state.tabs).map(({ serverId }) => serverId);
    const served = clients.list().map(({ serverId }) => serverId);
    const traces = [...owners, ...Object.values(state.groups), ...Object.keys(state.roots)];
    return [...new Set([...served, ...traces])];
  }

  async function forget(serverId) {
    await tabs.dissolve(serverId);
    await clients.remove(serverId);
  }

  function keepPasted() {
    // The serverId that has become known is part of the key.
    for (const [key, link] of [...links]) {
      links.delete(key);
      links.set(keyOf(link.server), link);
    }
    return Promise.all([store.save("manual"), store.save("remembered")]);
  }

  // What a person has typed: for this run of the browser, or for good.
  async function add(text, remember) {
    const server = parsePairing(text);
    if (!server) {
      throw new Error("This is not a pairing text; it looks like 40123:kW0…");
    }
    await drop(server.port);
    state[remember ? "remembered" : "manual"].push(server);
    await keepPasted();
    return settle();
  }

  async function drop(port) {
    state.manual = state.manual.filter((each) => each.port !== port);
    state.remembered = state.remembered.filter((each) => each.port !== port);
    await keepPasted();
    return settle();
  }

  // Every wake looks after everything: host and links.
  function wake(why) {
    reason = why;
    discovery.open();
    links.forEach((link) => link.poke({ byPerson: why === "user" }));
  }

  function begin(why) {
    reason = why;
    // Known servers are dialled before a host is started, which takes the time of a whole program.
    timers.set(discovery.open, state.servers.length ? HOST_AFTER_MS : 0);
    return settle();
  }

  function describe() {
    const pasted = [...state.manual, ...state.remembered];
    return { host: discovery.host, manual: pasted.map(({ port }) => ({ port })) };
  }

  return { begin, wake, add, drop, describe, links: () => [...links.values()] };
}
