// A server and a person for the whole extension in Node.

import assert from "node:assert/strict";

import { createCore } from "../../extension/core.js";
import { loadStore } from "../../extension/store.js";
import {
  createFakeChrome,
  createFakeSocket,
  createFakeTimers,
  crypto,
  hmac,
  navigator,
  until,
} from "./fake_chrome.mjs";

export const SERVER = { serverId: "0123456789abcdef", clientName: "Tester", port: 4711, token: "t".repeat(43) };
const SITES = { visited: ["*.a.test"], never: [] };

// A worker of this Chrome; called again after its death.
export async function wake(chrome) {
  const { FakeSocket, made } = createFakeSocket();
  const timers = createFakeTimers();
  const store = await loadStore({ chrome, crypto });
  const core = await createCore({ chrome, WebSocket: FakeSocket, crypto, navigator, timers, store });
  await core.begin("boot");
  await timers.run(0);
  return { chrome, core, made, timers, store };
}

// Up to Bridge.ready; gives `call`, `events` and what was said.
export async function connect({ chrome, core, made, store }, { server = SERVER, sites = SITES, ...more } = {}) {
  if (!store.state.servers.length) {
    chrome.runtime.port.onMessage.fire({ v: 1, servers: [server] });
  }
  await until(() => made.length);
  const socket = made.at(-1);
  socket.open();
  await until(() => socket.sent.length);
  const hello = socket.sent[0].params;
  const said = { port: server.port, extensionId: chrome.runtime.id, theirs: hello.nonce, ours: "n" };
  const mac = await hmac(server.token, "server", said);
  socket.say({ method: "Bridge.challenge", params: { version: 1, nonce: "n", mac } });
  await until(() => socket.sent.length === 2);
  socket.say({ method: "Bridge.welcome", params: { ...server, sites, ...more } });
  await until(() => socket.sent.length >= 3);
  const ready = socket.sent[2].params;
  let id = 0;
  const call = async (method, params, sessionId) => {
    const mine = (id += 1);
    socket.say({ id: mine, method, params, sessionId });
    await until(() => socket.sent.some((each) => each.id === mine));
    const answers = socket.sent.filter((each) => each.id === mine);
    assert.equal(answers.length, 1);
    if (answers[0].error) {
      throw Object.assign(new Error(answers[0].error.message), answers[0].error);
    }
    return answers[0].result;
  };
  const events = () => socket.sent.slice(3).filter((each) => each.method);
  const names = () => events().map(({ method }) => method);
  return { hello, ready, call, events, names, socket };
}

export async function setUp(more) {
  const parts = await wake(createFakeChrome());
  return { ...parts, ...(await connect(parts, more)) };
}

export async function openTab({ call }) {
  const { targetId } = await call("Target.createTarget", { url: "about:blank", background: true });
  const { sessionId } = await call("Target.attachToTarget", { targetId, flatten: true });
  return { targetId, sessionId, tabId: Number(sessionId.slice(1)) };
}
