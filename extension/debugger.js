// chrome.debugger as flat CDP sessions. A session id says what it means (t<tab>, t<tab>.<child>),
// so nothing has to be remembered when the worker dies: Chrome keeps the attachments.

import { NO_SESSION, Refusal } from "./errors.js";

const SESSION = /^t(\d{1,10})(?:\.([0-9A-F]{32}))?$/;
const TRIES = 5;
const RETRY_MS = 300;
const FOREIGN = /chrome-extension:\/\/ URL of different extension/;
const TAKEN_AWAY = "Detached while handling command.";
const TOLD_WITHIN_MS = 50;
const REVIVALS = 10; // a page that throws us off again and again is left alone
const WITH_CHILD = ["Target.attachedToTarget", "Target.detachedFromTarget"];

export function sessionOf(tabId, child = "") {
  return child ? `t${tabId}.${child}` : `t${tabId}`;
}

// The debuggee a session means; null if it means none.
export function parseSession(text) {
  const match = SESSION.exec(text);
  if (!match) {
    return null;
  }
  const tabId = Number(match[1]);
  return match[2] ? { tabId, sessionId: match[2] } : { tabId };
}

// An event of chrome.debugger as a frame; children are renamed wherever they stand.
export function toEvent(source, method, params = {}) {
  const { tabId } = source;
  const named = WITH_CHILD.includes(method) && params.sessionId;
  return {
    sessionId: sessionOf(tabId, source.sessionId),
    method,
    params: named ? { ...params, sessionId: sessionOf(tabId, params.sessionId) } : params,
  };
}

const nothing = () => undefined;

// `changed(count)` hears how many tabs are attached, `spoilt(tabId)` of a foreign frame.
export function createDebugger({ chrome, delay, changed = nothing, spoilt = nothing }) {
  const holders = new Map(); // tab -> how often it was asked for
  const turns = new Map(); // tab -> the end of what is under way there
  const revived = new Map();

  function inTurn(tabId, work) {
    const turn = (turns.get(tabId) ?? Promise.resolve()).then(work, work);
    turns.set(tabId, turn);
    const done = () => turns.get(tabId) === turn && turns.delete(tabId);
    turn.then(done, done);
    return turn;
  }

  // Whether it is we who are attached: the browser process answers, also where a page hangs.
  async function isOurs(tabId) {
    try {
      await chrome.debugger.sendCommand({ tabId }, "Target.getTargetInfo");
      return true;
    } catch {
      return false;
    }
  }

  async function take(tabId) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await chrome.debugger.attach({ tabId }, "1.3");
      } catch (error) {
        const conflict = /already attached/.test(error.message);
        if (!conflict) {
          throw error;
        }
        if (await isOurs(tabId)) {
          return undefined;
        }
        if (attempt === TRIES) {
          throw new Refusal("attachConflict", `${error.message} Close DevTools on this tab.`);
        }
        await delay(attempt * RETRY_MS);
      }
    }
  }

  // Of downloads we hear only then, of each frame of another site in a session of its own. A page
  // that hangs answers late, and nobody waits for it.
  function hearPage(debuggee) {
    chrome.debugger.sendCommand(debuggee, "Page.enable", {}).catch(nothing);
  }

  const attach = (tabId) =>
    inTurn(tabId, async () => {
      if (!holders.has(tabId)) {
        await take(tabId);
        hearPage({ tabId });
      }
      holders.set(tabId, (holders.get(tabId) ?? 0) + 1);
      changed(holders.size);
    });

  // Lets go for one who asked, or for all of them. True if nobody holds it any more.
  const detach = (tabId, { all = false } = {}) =>
    inTurn(tabId, async () => {
      const left = all ? 0 : (holders.get(tabId) ?? 1) - 1;
      if (left > 0) {
        holders.set(tabId, left);
        return false;
      }
      forget(tabId);
      await chrome.debugger.detach({ tabId }).catch(() => undefined); // it is gone already
      return true;
    });

  function forget(tabId) {
    holders.delete(tabId);
    changed(holders.size);
  }

  // After the worker has died: which of these tabs are still attached.
  async function restore(tabIds) {
    const kept = await Promise.all(tabIds.map(isOurs));
    tabIds.filter((_, index) => kept[index]).forEach((tabId) => holders.set(tabId, 1));
    changed(holders.size);
  }

  // What is answered after we have let go may be of a page that nobody may read.
  function send(session, method, params) {
    const debuggee = parseSession(session);
    checkHeld(debuggee);
    return ask(debuggee, method, params).then((answer) => {
      checkHeld(debuggee);
      return answer;
    });
  }

  function checkHeld(debuggee) {
    if (!debuggee || !holders.has(debuggee.tabId)) {
      throw new Refusal("notShared", "Session with given id not found.", NO_SESSION);
    }
  }

  function ask(debuggee, method, params) {
    return chrome.debugger.sendCommand(debuggee, method, params).catch(async (error) => {
      if (FOREIGN.test(error.message)) {
        await clean(debuggee.tabId);
      }
      if (error.message === TAKEN_AWAY) {
        await delay(TOLD_WITHIN_MS); // whose tab is gone is told that first, and not of the call
      }
      throw error;
    });
  }

  // The frame of another extension came when we were attached again already. `spoilt` hears of it
  // unless the frame could be removed.
  async function clean(tabId) {
    try {
      const { url } = await chrome.tabs.get(tabId);
      await removeForeignFrames(tabId, url, new Error("not allowed"));
    } catch {
      await spoilt(tabId);
    }
  }

  // Chrome has thrown us off: why. Where nothing speaks against it we are attached again.
  async function explain(tabId, why, { replaced = false } = {}) {
    if (why === "canceled_by_user") {
      return { reason: "userCancelled", recoverable: false };
    }
    const tab = await chrome.tabs.get(tabId).catch(() => null);
    if (!tab || tab.discarded) {
      return { reason: !tab && !replaced ? "closed" : "discarded", recoverable: false };
    }
    if (!/^(https?|about|data|blob|file):/.test(tab.pendingUrl || tab.url)) {
      return { reason: "restrictedUrl", recoverable: true };
    }
    return revive(tab);
  }

  async function revive({ id, url }) {
    const times = (revived.get(id) ?? 0) + 1;
    revived.set(id, times);
    if (times > REVIVALS) {
      return { reason: "externalScheme", recoverable: false };
    }
    try {
      await attach(id).catch(async (error) => {
        await removeForeignFrames(id, url, error);
        await attach(id);
      });
      return { reason: "externalScheme", recoverable: true };
    } catch (error) {
      const foreign = FOREIGN.test(error.message);
      return { reason: foreign ? "foreignExtensionFrame" : "restrictedUrl", recoverable: true };
    }
  }

  // A frame of another extension forbids attaching. It can be taken out where the person has
  // allowed scripts on the site; Chrome refuses otherwise.
  async function removeForeignFrames(tabId, url, error) {
    const origins = [new URL("/*", url).href];
    if (!(await chrome.permissions.contains({ origins }))) {
      throw error;
    }
    await chrome.scripting.executeScript({
      target: { tabId },
      func: () => {
        const frames = "iframe[src^='chrome-extension:'], embed[src^='chrome-extension:']";
        document.querySelectorAll(frames).forEach((frame) => frame.remove());
      },
    });
  }

  return {
    attach,
    detach,
    restore,
    send,
    explain,
    hearPage,
    isAttached: (tabId) => holders.has(tabId),
    forget,
    settled: (tabId) => revived.delete(tabId),
  };
}
