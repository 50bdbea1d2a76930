// Which servers there are. The native host's list counts, and its port is kept open: it is told of
// changes that way, and an open port keeps the worker alive. Pairing by hand stands beside it.

import { HOST_NAME } from "./messages.js";

const FIRST_DELAY_MS = 1000;
const LAST_DELAY_MS = 30_000;
const PAIRING = /^\s*(\d{1,5}):([A-Za-z0-9_-]{20,100})\s*$/;

// The server a pasted `<port>:<token>` names; null if it names none.
export function parsePairing(text) {
  const match = PAIRING.exec(text);
  const port = match ? Number(match[1]) : 0;
  return port > 0 && port < 65536 ? { port, token: match[2] } : null;
}

function isServer(given) {
  const { serverId, clientName, port, token } = given ?? {};
  const named = /^[0-9a-f]{16}$/.test(serverId) && typeof clientName === "string";
  return named && Number.isInteger(port) && port > 0 && port < 65536 && typeof token === "string";
}

// `found(servers)` hears every list, also the remembered one; `changed()` of the host's state.
export function createDiscovery({ chrome, timers, found, changed }) {
  const self = { host: "unknown", open, listening: () => port !== null };
  let port = null;
  let failures = 0;

  function become(host) {
    self.host = host;
    changed();
  }

  function open() {
    if (port) {
      port.postMessage({}); // the host looks again at every word, whatever it is
      return;
    }
    port = chrome.runtime.connectNative(HOST_NAME);
    port.onMessage.addListener(heard);
    port.onDisconnect.addListener(lost);
  }

  function heard(message) {
    if (message?.v === 1 && Array.isArray(message.servers)) {
      failures = 0;
      become("ok");
      found(message.servers.filter(isServer));
    }
  }

  // The last list stays: a host that fell over says nothing about the servers.
  function lost() {
    port = null;
    const text = chrome.runtime.lastError?.message ?? "it has ended";
    const missing = /not found|forbidden/.test(text);
    become(missing ? "missing" : text);
    if (!missing) {
      timers.set(open, Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures));
      failures += 1;
    }
  }

  return self;
}
