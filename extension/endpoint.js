// The calls of a client without a session, which a browser would answer. Every call is answered
// exactly once, whatever happens, and the list of calls is compared with the contract at boot.

import { NO_METHOD, Refusal, toFault } from "./errors.js";
import { ROOT_METHODS } from "./messages.js";
import {
  checkCommand, checkGoal, checkPast, refuseFrame, refusePicture, refuseVisit, restricts,
  withoutOthers,
} from "./policy.js";
import { parseSession, sessionOf } from "./debugger.js";

const IDLE_WHILE_PAUSED = [
  "Bridge.ping", "Bridge.setPolicy", "Bridge.releaseTab", "Browser.getVersion",
  "Browser.setDownloadBehavior", "Target.getTargets", "Target.getTargetInfo",
  "Target.setDiscoverTargets", "Target.detachFromTarget", "Target.closeTarget",
];
const RESUME = "Runtime.runIfWaitingForDebugger";
const MOST_FRAMES = 1000;
// They show a page with all its frames, whatever process these are in.
const PICTURES = [
  "Page.captureScreenshot", "Page.captureSnapshot", "Page.getAnnotatedPageContent",
  "Page.printToPDF", "Page.startScreencast", "Page.startScreenRecording",
];

// `client`: {serverId, policy, emit(method, params), setPolicy(params), ask(params), root} where
// `root` holds what the client has set at the browser and outlives the worker.
export function createEndpoint({ chrome, client, tabs, debug, downloads, version, isPaused, refused }) {
  const info = (tabId) => tabs.info(tabId, debug.isAttached(tabId));
  const find = ({ targetId }) => tabs.byTarget(client.serverId, targetId);

  function checkVisit(url) {
    const why = refuseVisit(client.policy, url);
    if (why) {
      throw new Refusal("policy", why);
    }
  }

  async function attachToTarget(params) {
    const tabId = find(params);
    const tab = await chrome.tabs.get(tabId);
    checkVisit(tab.url || tab.pendingUrl || "about:blank");
    await debug.attach(tabId);
    try {
      checkStill(tabId);
    } catch (error) {
      await debug.detach(tabId, { all: true });
      throw error;
    }
    const sessionId = sessionOf(tabId);
    const targetInfo = info(tabId);
    client.emit("Target.attachedToTarget", { sessionId, targetInfo, waitingForDebugger: false });
    return { sessionId };
  }

  // The person may have been quicker than Chrome.
  function checkStill(tabId) {
    if (tabs.owner(tabId) !== client.serverId) {
      throw new Refusal("notShared", "No target with given id found");
    }
    checkPause();
    checkVisit(tabs.url(tabId) || "about:blank");
  }

  function checkPause() {
    if (isPaused()) {
      throw new Refusal("paused", "the person has paused the extension");
    }
  }

  async function detachFromTarget({ sessionId, targetId }) {
    const { tabId, sessionId: child } = sessionId
      ? (parseSession(sessionId) ?? {})
      : { tabId: find({ targetId }) };
    if (child || tabs.owner(tabId) !== client.serverId || !debug.isAttached(tabId)) {
      throw new Refusal("notShared", "No session with given id");
    }
    if (await debug.detach(tabId)) {
      const gone = { sessionId: sessionOf(tabId), targetId: tabs.target(tabId) };
      client.emit("Target.detachedFromTarget", gone);
    }
    return {};
  }

  async function createTarget({ url = "", ...how }) {
    const wanted = url || "about:blank";
    checkGoal({ url: wanted });
    checkVisit(wanted);
    // Blank first: the rules that guard the tab can only name it once it is there.
    const targetId = await tabs.create(client.serverId, how);
    if (wanted !== "about:blank") {
      await chrome.tabs.update(find({ targetId }), { url: wanted });
    }
    return { targetId };
  }

  // While the person has paused, a client still takes its own tabs away when it ends; of theirs it
  // closes none, and no debugger comes back for it.
  async function closeTarget({ targetId }) {
    const tabId = find({ targetId });
    const checkMine = tabs.isMade(tabId) ? () => undefined : checkPause;
    checkMine();
    if (isPaused() || !(await closeByDebugger(tabId, targetId))) {
      checkMine();
      const removed = chrome.tabs.remove(tabId).catch(() => undefined); // it may have gone by itself
      if (!isPaused()) {
        await removed; // else its page may ask the person, who is in no hurry
      }
    }
    return { success: true };
  }

  // It asks no page whether it wants to stay, while chrome.tabs.remove lets it open a dialog.
  async function closeByDebugger(tabId, targetId) {
    try {
      await debug.attach(tabId);
      if (!isPaused()) {
        await chrome.debugger.sendCommand({ tabId }, "Target.closeTarget", { targetId });
        return true;
      }
      await debug.detach(tabId, { all: true }); // the person was quicker than Chrome
    } catch {
      // the tab may have gone, or nobody can be attached to it
    }
    return false;
  }

  async function activateTarget(params) {
    const { windowId } = await chrome.tabs.update(find(params), { active: true });
    await chrome.windows.update(windowId, { focused: true });
    return {};
  }

  function setDiscoverTargets({ discover }) {
    const news = discover && !client.root.discover;
    client.setRoot({ discover: discover === true });
    if (news) {
      const shared = tabs.of(client.serverId);
      shared.forEach((each) => client.emit("Target.targetCreated", { targetInfo: info(each) }));
    }
    return {};
  }

  function setDownloadBehavior({ behavior, eventsEnabled = false }) {
    if (behavior !== "default" && behavior !== "deny") {
      const text = `downloads go where the person has chosen; ${behavior} is not possible here`;
      throw new Refusal("impossible", text);
    }
    client.setRoot({ deny: behavior === "deny", downloadEvents: eventsEnabled === true });
    return {};
  }

  async function cancelDownload({ guid }) {
    if (!(await downloads.cancel(guid))) {
      throw new Refusal("notShared", "No download item found for the given GUID");
    }
    return {};
  }

  async function windowOf(tabId) {
    const { windowId } = await chrome.tabs.get(tabId);
    return chrome.windows.get(windowId);
  }

  async function getWindowForTarget({ targetId }) {
    const tabId = targetId ? find({ targetId }) : tabs.of(client.serverId)[0];
    if (tabId === undefined) {
      throw new Refusal("notShared", "No web contents in the target");
    }
    const { id, left, top, width, height, state } = await windowOf(tabId);
    return { windowId: id, bounds: { left, top, width, height, windowState: state } };
  }

  async function setWindowBounds({ windowId, bounds = {} }) {
    const windows = await Promise.all(tabs.of(client.serverId).map(windowOf));
    if (!windows.some(({ id }) => id === windowId)) {
      throw new Refusal("notShared", "Browser window not found");
    }
    const { windowState: state, ...place } = bounds;
    await chrome.windows.update(windowId, { ...place, ...(state && { state }) });
    return {};
  }

  const root = {
    "Bridge.ping": () => ({}),
    "Bridge.setPolicy": async (params) => (await client.setPolicy(params), {}),
    "Bridge.releaseTab": async (params) => (await tabs.release(find(params)), {}),
    "Bridge.requestTab": (params) => (client.ask(params), {}),
    "Browser.getVersion": () => version(),
    "Browser.getWindowForTarget": getWindowForTarget,
    "Browser.setWindowBounds": setWindowBounds,
    "Browser.setDownloadBehavior": setDownloadBehavior,
    "Browser.cancelDownload": cancelDownload,
    "Target.getTargets": () => ({ targetInfos: tabs.of(client.serverId).map(info) }),
    "Target.getTargetInfo": (params) => ({ targetInfo: info(find(params)) }),
    "Target.setDiscoverTargets": setDiscoverTargets,
    "Target.attachToTarget": attachToTarget,
    "Target.detachFromTarget": detachFromTarget,
    "Target.createTarget": createTarget,
    "Target.closeTarget": closeTarget,
    "Target.activateTarget": activateTarget,
  };
  checkMethods(Object.keys(root));

  function ask({ method, params = {}, sessionId }) {
    if (sessionId !== undefined || !IDLE_WHILE_PAUSED.includes(method)) {
      checkPause();
    }
    if (sessionId !== undefined) {
      return askTab(sessionId, method, params);
    }
    if (!Object.hasOwn(root, method)) {
      throw new Refusal("impossible", `${method} is not possible over the extension`, NO_METHOD);
    }
    return root[method](params);
  }

  async function askTab(sessionId, method, params) {
    if (tabs.owner(parseSession(sessionId)?.tabId) !== client.serverId) {
      throw new Refusal("notShared", "Session with given id not found.", -32001);
    }
    checkCommand(client.policy, method, params);
    if (restricts(client.policy) && parseSession(sessionId).sessionId) {
      await checkFrame(sessionId, method);
    }
    if (restricts(client.policy) && PICTURES.includes(method)) {
      await checkPicture(parseSession(sessionId), method);
    }
    if (method === "Page.navigateToHistoryEntry") {
      const past = await debug.send(sessionId, "Page.getNavigationHistory", {});
      checkPast(client.policy, past, params);
    }
    // Chrome knows no other kind here, and a caller that forgets it would wait for ever.
    const flat = method === "Target.setAutoAttach" ? { ...params, flatten: true } : params;
    return withoutOthers(client.policy, method, await debug.send(sessionId, method, flat));
  }

  // A frame of another site may be older than the sharing of its tab, and Chrome's rules hold only
  // what is asked for later. One that waits to begin shows nothing yet, and would stand still.
  let frames = new Map(); // session -> promise that it may be worked on, under this policy
  let decidedBy = null;

  async function checkFrame(sessionId, method) {
    if (decidedBy !== client.policy || frames.size > MOST_FRAMES) {
      [frames, decidedBy] = [new Map(), client.policy];
    }
    if (!frames.has(sessionId)) {
      frames.set(sessionId, lookAt(sessionId));
    }
    const why = await frames.get(sessionId); // calls behind one another stay in their order
    if (why !== "") {
      frames.delete(sessionId); // it may have gone on by the next time
    }
    if (why && method !== RESUME) {
      throw new Refusal("policy", `${method}: ${why}`);
    }
  }

  async function checkPicture({ tabId }, method) {
    const frames = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
    const why = refusePicture(client.policy, frames);
    if (why) {
      throw new Refusal("policy", `${method}: ${why}`);
    }
  }

  async function lookAt(sessionId) {
    try {
      const { targetInfo } = await debug.send(sessionId, "Target.getTargetInfo", {});
      return refuseFrame(client.policy, targetInfo.url);
    } catch {
      return null; // it is gone, and the call itself will say so
    }
  }

  // The answer to a call; never throws.
  return async function answer({ id, sessionId, ...call }) {
    const to = sessionId === undefined ? { id } : { id, sessionId };
    try {
      return { ...to, result: (await ask({ ...call, sessionId })) ?? {} };
    } catch (error) {
      if (error.reason === "policy") {
        refused(error.message);
      }
      return { ...to, error: toFault(error) };
    }
  };
}

// The contract and the code name the same calls.
export function checkMethods(names) {
  const missing = ROOT_METHODS.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => !ROOT_METHODS.includes(name));
  if (missing.length || unknown.length) {
    throw new Error(`root calls differ: missing ${missing}, unknown ${unknown}`);
  }
}
