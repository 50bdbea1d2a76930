// Which client a tab belongs to. The tab group with the client's name is the consent a person sees:
// what is dragged in is shared, what is dragged out is not. `state.tabs` is the memory of it.

import { Refusal } from "./errors.js";
import { isNeutral, parseAddress, refuseVisit } from "./policy.js";

const COLORS = ["blue", "green", "purple", "orange", "cyan", "pink", "yellow", "red"];
const NO_GROUP = -1;
const OPENER_WITHIN_MS = 150;
const YOUNG_MS = 3000;
const LONG_AGO = -Infinity;

// `clients.policy(serverId)` and `clients.name(serverId)` describe a client; `told` hears of
// shared(tabId), changed(tabId), ended(tabId, entry, reason) and refused(serverId, why).
export function createTabs({ chrome, store, clients, told, delay, now }) {
  const { state } = store;
  const seen = new Map(); // tabId -> chrome's Tab, of shared tabs
  const moving = new Set(); // tabs we are putting into a group
  const others = new Map(); // tabId -> when it came, of all tabs that are not on their way to us
  const places = new Map(); // tabId -> the hosts it shows and is on its way to, of all tabs
  const coming = new Set(); // {tabId, serverId} of what a shared tab seems to have opened
  const keep = () => store.save("tabs");
  let turn = Promise.resolve();

  // Sharing changes one step at a time: Chrome tells of one act of the person in several events.
  function inTurn(work) {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  }

  const owner = (tabId) => state.tabs[tabId]?.serverId;
  const of = (serverId) =>
    Object.keys(state.tabs)
      .map(Number)
      .filter((tabId) => owner(tabId) === serverId);

  // Those whose requests are to be guarded.
  function guarded(serverId) {
    const soon = [...coming].filter((each) => each.serverId === serverId);
    return [...new Set([...of(serverId), ...soon.map(({ tabId }) => tabId)])];
  }

  // Where a client's new tabs come from, and which tabs are not new.
  function newborn(serverId) {
    const mine = guarded(serverId);
    const hosts = mine.map((tabId) => parseAddress(seen.get(tabId)?.url ?? "")?.host);
    const excludedTabIds = [...others.keys()].filter((tabId) => !mine.includes(tabId));
    const distinct = [...new Set(hosts.filter(Boolean))].sort();
    return { hosts: distinct, ownHosts: ownHosts(mine), excludedTabIds };
  }

  // The hosts of these tabs that no other tab shows: a person's own pages share their workers.
  function ownHosts(mine) {
    const hosts = (wanted) =>
      [...places].flatMap(([tabId, each]) => (mine.includes(tabId) === wanted ? each : []));
    const elsewhere = hosts(false);
    const shown = (host) => elsewhere.some((each) => `.${each}`.endsWith(`.${host}`));
    return [...new Set(hosts(true))].filter((host) => !shown(host)).sort();
  }

  // True if these are other hosts than before.
  function note({ id, url = "", pendingUrl = "" }) {
    const hosts = [url, pendingUrl].map((each) => parseAddress(each)?.host).filter(Boolean);
    const before = places.get(id);
    places.set(id, hosts);
    return String(hosts) !== String(before ?? "");
  }

  // Its first request must not be quicker than the decision whose tab it is.
  async function guardWhile(tabId, serverId, work) {
    const entry = { tabId, serverId };
    coming.add(entry);
    told.coming();
    try {
      return await work();
    } finally {
      coming.delete(entry);
      told.coming();
    }
  }

  function byTarget(serverId, targetId) {
    const found = of(serverId).find((tabId) => state.tabs[tabId].targetId === targetId);
    if (found === undefined) {
      throw new Refusal("notShared", "No target with given id found");
    }
    return found;
  }

  // As CDP describes a page. The address of one that may not be visited is nobody's business.
  function info(tabId, attached) {
    const { serverId, targetId, openerId } = state.tabs[tabId];
    const { title = "", url = "", pendingUrl } = seen.get(tabId) ?? {};
    const shown = url || (pendingUrl === "about:blank" ? pendingUrl : "");
    const hidden = shown === "" || refuseVisit(clients.policy(serverId), shown) !== "";
    return {
      targetId,
      type: "page",
      title: hidden ? "" : title,
      url: hidden ? "" : shown,
      attached,
      canAccessOpener: false,
      ...(openerId ? { openerId } : {}),
    };
  }

  // What a client's own page has opened stays with it whatever its address, so that the request
  // stays guarded and the client can close it; it is told neither address nor title.
  function refuseTab(serverId, tab, openerId) {
    if (tab.incognito) {
      return "tabs of an incognito window are never shared";
    }
    if (openerId) {
      return "";
    }
    const url = tab.url || tab.pendingUrl || "";
    return isNeutral(url) ? "" : refuseVisit(clients.policy(serverId), url);
  }

  async function targetOf(tabId) {
    const all = await chrome.debugger.getTargets();
    return all.find((target) => target.tabId === tabId && target.type === "page")?.id;
  }

  // Share a tab with a client; throws what speaks against it.
  async function share(tabId, serverId, { openerId, grouped = false, made = false } = {}) {
    const tab = await chrome.tabs.get(tabId);
    const why = refuseTab(serverId, tab, openerId);
    if (why) {
      told.refused(serverId, why);
      throw new Refusal("policy", why);
    }
    if (owner(tabId) && owner(tabId) !== serverId) {
      await release(tabId, "released");
    }
    const targetId = await targetOf(tabId);
    if (!targetId) {
      throw new Refusal("notShared", "Chrome does not know this tab any more");
    }
    if (owner(tabId) === serverId) {
      return targetId;
    }
    const loose = !grouped && !(await group(tab, serverId));
    seen.set(tabId, await chrome.tabs.get(tabId));
    const more = { ...(openerId && { openerId }), ...(loose && { loose }), ...(made && { made }) };
    state.tabs[tabId] = { serverId, targetId, ...more };
    try {
      await Promise.all([keep(), told.shared(tabId)]);
    } catch (error) {
      await release(tabId, "policy"); // what cannot be guarded is not shared
      throw error;
    }
    return targetId;
  }

  // Into the client's group of that window. Windows of other kinds have none: false.
  async function group(tab, serverId) {
    moving.add(tab.id);
    try {
      const groupId = await groupIn(tab, serverId);
      state.groups[groupId] = serverId;
      await store.save("groups");
      return true;
    } catch {
      return false;
    } finally {
      moving.delete(tab.id);
    }
  }

  async function groupIn(tab, serverId) {
    if (state.groups[tab.groupId] === serverId) {
      return tab.groupId;
    }
    const groups = await chrome.tabGroups.query({ windowId: tab.windowId });
    const own = groups.find(({ id }) => state.groups[id] === serverId);
    if (own) {
      return chrome.tabs.group({ groupId: own.id, tabIds: [tab.id] });
    }
    const createProperties = { windowId: tab.windowId };
    const groupId = await chrome.tabs.group({ createProperties, tabIds: [tab.id] });
    state.groups[groupId] = serverId;
    const shown = { title: clients.name(serverId), color: color(serverId) };
    await chrome.tabGroups.update(groupId, shown);
    return groupId;
  }

  // The same for all of a client's groups, another one for each client.
  function color(serverId) {
    const known = [...new Set(Object.values(state.groups))];
    return COLORS[Math.max(0, known.indexOf(serverId)) % COLORS.length];
  }

  // No longer shared. `told.ended` hears of it before anything else can be asked of the tab.
  async function release(tabId, reason) {
    const entry = state.tabs[tabId];
    if (!entry) {
      return;
    }
    delete state.tabs[tabId];
    seen.delete(tabId);
    await Promise.all([keep(), told.ended(tabId, entry, reason)]);
    if (reason === "released" && !entry.loose) {
      await ungroup(tabId, entry.serverId);
    }
  }

  // Only out of a group that would say the tab is shared.
  async function ungroup(tabId, serverId) {
    const tab = await chrome.tabs.get(tabId).catch(() => null);
    if (tab && state.groups[tab.groupId] === serverId) {
      await chrome.tabs.ungroup([tabId]).catch(() => undefined);
    }
  }

  // A server that is gone leaves nothing shared.
  async function dissolve(serverId) {
    await Promise.all(of(serverId).map((tabId) => release(tabId, "released")));
    for (const [groupId, each] of Object.entries(state.groups)) {
      if (each === serverId) {
        delete state.groups[groupId];
      }
    }
    await store.save("groups");
  }

  // Whatever the person did with a tab: is it (still) in a group of a client?
  async function consider(tab) {
    const wanted = state.groups[tab.groupId ?? NO_GROUP];
    if (moving.has(tab.id)) {
      return;
    }
    if (state.tabs[tab.id] && !state.tabs[tab.id].loose && owner(tab.id) !== wanted) {
      await release(tab.id, "released");
    }
    if (wanted && owner(tab.id) !== wanted) {
      await share(tab.id, wanted, { grouped: true }).catch(() => ungroup(tab.id, wanted));
    }
  }

  async function updated(tabId, changes, tab) {
    const moved = note(tab); // now: it may be closed before the rest is done
    if ("groupId" in changes) {
      await considerInTurn(tab);
    }
    if (seen.has(tabId)) {
      seen.set(tabId, tab);
      if ("url" in changes || "title" in changes || "status" in changes) {
        told.changed(tabId);
      }
    }
    if (moved) {
      told.coming(); // new tabs, and workers, will come from there
    }
  }

  // Chrome puts what a tab opens into its group, and names the page that did it a little later. And
  // of a group on its way to another window it tells as if the tabs had left it.
  async function considerInTurn(tab) {
    if (state.groups[tab.groupId] && !state.tabs[tab.id] && tab.openerTabId) {
      await delay(OPENER_WITHIN_MS);
    }
    return inTurn(async () => {
      const now = await chrome.tabs.get(tab.id).catch(() => null);
      return now && consider(now);
    });
  }

  async function groupRemoved({ id }) {
    const there = await chrome.tabGroups.get(id).catch(() => null); // in another window
    if (!there && state.groups[id]) {
      delete state.groups[id];
      await store.save("groups");
    }
  }

  // A new tab of the person's, opened from a host that a client works on, was taken for a client's
  // and its first request blocked. Nothing was sent, so it can be sent now.
  async function blocked({ tabId, url }) {
    const young = now() - (others.get(tabId) ?? now()) < YOUNG_MS;
    await delay(OPENER_WITHIN_MS);
    if (young && !state.tabs[tabId]) {
      others.set(tabId, LONG_AGO);
      await told.coming();
      await chrome.tabs.update(tabId, { url }).catch(() => undefined);
    }
  }

  function created(tab) {
    note(tab);
    const opener = state.tabs[tab.openerTabId];
    const wait = () => Promise.all([considerInTurn(tab), delay(OPENER_WITHIN_MS)]);
    const decided = opener ? guardWhile(tab.id, opener.serverId, wait) : wait();
    return decided.finally(() => {
      others.set(tab.id, now());
      told.coming();
    });
  }

  function removed(tabId) {
    others.delete(tabId);
    if (places.delete(tabId) && !state.tabs[tabId]) {
      told.coming();
    }
    return inTurn(() => release(tabId, "closed"));
  }

  // Discarded, or put in the place of another: a new tab to CDP, but the same to its owner. What it
  // asks for next, maybe before its turn, must not be taken for a new tab's.
  function replaced(addedId, removedId) {
    for (const known of [others, places].filter((each) => each.has(removedId))) {
      known.set(addedId, known.get(removedId));
      known.delete(removedId);
    }
    told.coming();
    return inTurn(async () => {
      const entry = state.tabs[removedId];
      if (entry) {
        await release(removedId, "discarded");
        await share(addedId, entry.serverId).catch(() => undefined);
      }
    });
  }

  // What a shared tab opens belongs to the same client.
  async function opened({ sourceTabId, tabId }) {
    const opener = state.tabs[sourceTabId];
    if (opener && !state.tabs[tabId]) {
      const take = () => share(tabId, opener.serverId, { openerId: opener.targetId });
      await guardWhile(tabId, opener.serverId, () => inTurn(take)).catch(() => undefined);
    }
  }

  // After the worker's death: compare the memory with what is there now.
  async function restore() {
    const [all, targets] = await Promise.all([chrome.tabs.query({}), chrome.debugger.getTargets()]);
    all.forEach((tab) => (others.set(tab.id, LONG_AGO), note(tab)));
    const present = new Map(all.map((tab) => [tab.id, tab]));
    const ids = new Map(targets.map((target) => [target.tabId, target.id]));
    for (const [tabId, entry] of Object.entries(state.tabs)) {
      const tab = present.get(Number(tabId));
      if (tab && ids.get(tab.id) === entry.targetId) {
        seen.set(tab.id, tab);
      } else {
        await release(Number(tabId), "closed");
      }
    }
    await Promise.all(all.map(consider));
  }

  async function create(serverId, { url = "about:blank", background = false, newWindow = false, width, height }) {
    const tab = await open(url, !background, newWindow && { width, height });
    try {
      return await inTurn(() => share(tab.id, serverId, { made: true }));
    } catch (error) {
      await chrome.tabs.remove(tab.id).catch(() => undefined);
      throw error;
    }
  }

  async function open(url, active, size) {
    const windows = await chrome.windows.getAll({ windowTypes: ["normal"] });
    if (size || windows.every(({ incognito }) => incognito)) {
      const { tabs } = await chrome.windows.create({ url, focused: active, ...size });
      return tabs[0];
    }
    const usual = windows.filter(({ incognito }) => !incognito);
    const { id: windowId } = usual.find(({ focused }) => focused) ?? usual[0];
    return chrome.tabs.create({ url, active, windowId });
  }

  return {
    owner,
    isMade: (tabId) => state.tabs[tabId]?.made === true, // by the client, and no person's
    of,
    byTarget,
    info,
    create,
    restore: () => inTurn(restore),
    updated,
    share: (tabId, serverId) => inTurn(() => share(tabId, serverId)),
    release: (tabId) => inTurn(() => release(tabId, "released")),
    dissolve: (serverId) => inTurn(() => dissolve(serverId)),
    created,
    opened,
    guarded,
    newborn,
    blocked,
    replaced,
    removed,
    groupRemoved,
    url: (tabId) => seen.get(tabId)?.url ?? "",
    title: (tabId) => seen.get(tabId)?.title ?? "",
    target: (tabId) => state.tabs[tabId]?.targetId,
  };
}
