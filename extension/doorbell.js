// Hears the page of a server that a person has opened, and opens the page that asks for the code.
// One at a time, and only for a page in front: a page in the background rings in vain.

const PAGE = "pair.html";

function isIntroduction(given) {
  const { port, serverId, clientName } = given ?? {};
  const named = /^[0-9a-f]{16}$/.test(serverId) && typeof clientName === "string";
  return named && Number.isInteger(port) && port > 0 && port < 65536;
}

// `ring(message, sender)` gives the answer for the page: {} or {error}.
export function createDoorbell({ chrome }) {
  let turn = Promise.resolve();

  function refuse({ pair: given } = {}, sender) {
    const here = sender.frameId === 0 && sender.tab?.active && !sender.tab.incognito;
    if (!isIntroduction(given) || sender.origin !== `http://127.0.0.1:${given.port}`) {
      return "The extension does not know this page.";
    }
    return here ? "" : "Open this page in a tab of its own, in a window that is not incognito.";
  }

  // The page of the extension that is open now, and for whom.
  async function open() {
    const { introduced } = await chrome.storage.session.get({ introduced: null });
    const tab = introduced?.tabId && (await chrome.tabs.get(introduced.tabId).catch(() => null));
    const address = tab?.pendingUrl || tab?.url;
    return address === chrome.runtime.getURL(PAGE) ? { introduced, tab } : null;
  }

  async function answer(message, sender) {
    const error = refuse(message, sender);
    if (error) {
      return { error };
    }
    const { port, serverId, clientName } = message.pair;
    const shown = await open();
    if (shown && shown.introduced.serverId !== serverId) {
      return { error: "The extension's page for another program is open. Close it first." };
    }
    const { windowId, index } = sender.tab;
    const url = chrome.runtime.getURL(PAGE);
    const introduced = { port, serverId, clientName: clientName.slice(0, 100) };
    await chrome.storage.session.set({ introduced }); // the page reads it as soon as it is there
    const tab = shown?.tab ?? (await chrome.tabs.create({ url, windowId, index: index + 1 }));
    await chrome.storage.session.set({ introduced: { ...introduced, tabId: tab.id } });
    await chrome.tabs.update(tab.id, { active: true });
    return {};
  }

  function ring(message, sender) {
    turn = turn.then(
      () => answer(message, sender),
      () => answer(message, sender),
    );
    return turn.catch((error) => ({ error: error.message }));
  }

  return { ring };
}
