// The extension's half of the handshake, and what may be on the wire afterwards.

import assert from "node:assert/strict";
import test from "node:test";

import { createLink } from "../../extension/link.js";
import { LIMITS } from "../../extension/messages.js";
import { createFakeSocket, createFakeTimers, crypto, hmac, settle, until } from "./fake_chrome.mjs";

const TOKEN = "a-token-nobody-knows";
const ID = "extensionid";

function setUp({ answer = async (_, { id }) => ({ id, result: {} }), welcomed } = {}) {
  const { FakeSocket, made } = createFakeSocket();
  const timers = createFakeTimers();
  const states = [];
  const hooks = {
    hello: async () => ({ label: "mine" }),
    welcomed: welcomed ?? (async () => ({ targets: [] })),
    answer,
    changed: (link) => states.push(link.state),
  };
  const server = { port: 4711, token: TOKEN };
  const link = createLink({ server, hooks, extensionId: ID, WebSocket: FakeSocket, crypto, timers });
  link.dial();
  return { link, made, timers, states };
}

// The server's half, up to the welcome. Gives the socket.
async function shakeHands({ made }, { role = "server", port = 4711, version = 1 } = {}) {
  const socket = made.at(-1);
  socket.open();
  await until(() => socket.sent.length === 1);
  const { nonce } = socket.sent[0].params;
  const said = { port, extensionId: ID, theirs: nonce, ours: "n2" };
  socket.say({
    method: "Bridge.challenge",
    params: { version, nonce: "n2", mac: await hmac(TOKEN, role, said) },
  });
  await until(() => socket.sent.length === 2 || socket.closedWith);
  return { socket, expected: await hmac(TOKEN, "client", said) };
}

async function getReady(parts) {
  const { socket } = await shakeHands(parts);
  socket.say({ method: "Bridge.welcome", params: { serverId: "s", clientName: "c" } });
  await until(() => parts.link.state === "ready");
  socket.sent.length = 0;
  return socket;
}

test("both prove that they know the token, which never travels", async () => {
  const parts = setUp();
  const { socket, expected } = await shakeHands(parts);
  assert.equal(socket.url, "ws://127.0.0.1:4711/link");
  assert.deepEqual(socket.sent.map(({ method }) => method), ["Bridge.hello", "Bridge.proof"]);
  assert.equal(socket.sent[0].params.label, "mine");
  assert.equal(socket.sent[1].params.mac, expected);
  assert.ok(!JSON.stringify(socket.sent).includes(TOKEN));
  socket.say({ method: "Bridge.welcome", params: {} });
  await until(() => parts.link.state === "ready");
  assert.equal(socket.sent[2].method, "Bridge.ready");
});

for (const [what, how] of [
  ["the proof of a client", { role: "client" }],
  ["the proof for another port", { port: 4712 }],
  ["another version", { version: 2 }],
]) {
  test(`a server that shows ${what} is hung up on`, async () => {
    const parts = setUp();
    const { socket } = await shakeHands(parts, how);
    assert.equal(socket.closedWith, 4403);
    assert.equal(socket.sent.length, 1);
    assert.equal(parts.link.state, "refused");
  });
}

test("whoever skips the challenge, or says what nobody understands, is hung up on", async () => {
  for (const said of [{ method: "Bridge.welcome", params: {} }, "no json", { id: 1 }, "null"]) {
    const parts = setUp();
    parts.made[0].open();
    await until(() => parts.made[0].sent.length === 1);
    parts.made[0].say(said);
    await until(() => parts.made[0].closedWith);
    assert.equal(parts.made[0].sent.length, 1);
  }
});

test("a server that says nothing is left after five seconds", async () => {
  const parts = setUp();
  parts.made[0].open();
  await parts.timers.run(5000);
  assert.equal(parts.made[0].closedWith, 4403);
  assert.ok(parts.timers.waits().includes(1000));
});

test("no call is answered before the welcome", async () => {
  const asked = [];
  const parts = setUp({ answer: async (_, call) => asked.push(call) });
  const { socket } = await shakeHands(parts);
  socket.say({ id: 1, method: "Target.getTargets" });
  await until(() => socket.closedWith);
  assert.deepEqual(asked, []);
});

test("it dials again after 1 s, doubling to 30 s, and a welcome starts over", async () => {
  const parts = setUp();
  for (const ms of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    parts.made.at(-1).drop();
    assert.deepEqual(parts.timers.waits(), [ms]);
    await parts.timers.run(ms);
  }
  assert.equal(parts.made.length, 8);
  const socket = await getReady(parts);
  socket.drop();
  assert.deepEqual(parts.timers.waits(), [1000]);
  parts.link.poke();
  assert.equal(parts.made.length, 9);
});

test("one that was replaced by a copy of its profile waits as long as ever, and says why", async () => {
  const parts = setUp();
  const socket = await getReady(parts);
  socket.drop(4409);
  assert.equal(parts.link.state, "refused");
  assert.match(parts.link.why, /a copy of this browser's profile/);
  assert.deepEqual(parts.timers.waits(), [30_000]);
  parts.link.poke();
  assert.equal(parts.made.length, 1);
  await parts.timers.run(30_000);
  (await getReady(parts)).drop(4409);
  parts.link.poke({ byPerson: true });
  (await getReady(parts)).drop();
  assert.deepEqual(parts.timers.waits(), [1000]);
});

test("an end is for good", async () => {
  const parts = setUp();
  const socket = await getReady(parts);
  parts.link.end();
  socket.drop();
  await settle();
  assert.deepEqual(parts.timers.waits(), []);
  parts.link.dial();
  assert.equal(parts.made.length, 1);
});

test("every call with an id is answered once, what has none is passed over", async () => {
  const parts = setUp();
  const socket = await getReady(parts);
  for (const said of [{ id: 1, method: "a" }, "{", { method: "b" }, { id: "x", method: "c" }, "null"]) {
    socket.say(said);
  }
  await settle();
  assert.deepEqual(socket.sent, [{ id: 1, result: {} }]);
  assert.equal(socket.closedWith, null);
});

test("what Chrome tells before the link is up is told after it, in order", async () => {
  const parts = setUp();
  parts.link.event({ sessionId: "t1", method: "Page.a", params: {} });
  parts.link.event({ method: "Target.targetDestroyed", params: {} });
  const { socket } = await shakeHands(parts);
  socket.say({ method: "Bridge.welcome", params: {} });
  await until(() => socket.sent.length === 5);
  const told = ["Bridge.ready", "Page.a", "Target.targetDestroyed"];
  assert.deepEqual(socket.sent.slice(2).map(({ method }) => method), told);
});

test("a full buffer drops events, says how many, and keeps what cannot be made good", async () => {
  const parts = setUp();
  for (let count = 0; count < LIMITS.maxBufferedEvents + 3; count += 1) {
    parts.link.event({ sessionId: "t1", method: "Runtime.consoleAPICalled", params: {} });
  }
  parts.link.event({ sessionId: "t1", method: "Page.javascriptDialogOpening", params: {} });
  const { socket } = await shakeHands(parts);
  socket.say({ method: "Bridge.welcome", params: {} });
  await until(() => parts.link.state === "ready");
  assert.deepEqual(socket.sent[3], { method: "Bridge.gap", params: { dropped: 3 } });
  assert.equal(socket.sent.at(-1).method, "Page.javascriptDialogOpening");
  assert.equal(socket.sent.length, 4 + LIMITS.maxBufferedEvents + 1);
});

test("for one who stays away even what is vital is not held without end: a gap, then what came last", async () => {
  const closed = (number, title = "") => ({
    method: "Target.targetDestroyed",
    params: { targetId: `T${number}`, title },
  });
  const heard = async (fill) => {
    const parts = setUp();
    parts.made[0].drop();
    fill((frame) => parts.link.event(frame));
    await parts.timers.run(1000);
    const { socket } = await shakeHands(parts);
    socket.say({ method: "Bridge.welcome", params: {} });
    await until(() => parts.link.state === "ready");
    return socket.sent.slice(3);
  };
  const most = 2 * LIMITS.maxBufferedEvents;
  const many = await heard((tell) => {
    for (let number = 0; number < most + 2; number += 1) {
      tell(closed(number));
    }
  });
  const gap = (dropped) => ({ method: "Bridge.gap", params: { dropped } });
  assert.deepEqual(many, [gap(most), closed(most), closed(most + 1)]);
  const large = closed(0, "x".repeat(LIMITS.maxUnsent / 2));
  const few = await heard((tell) => [large, large, closed(2)].forEach(tell));
  assert.deepEqual(few, [gap(1), large, closed(2)]);
  const console = { sessionId: "t1", method: "Runtime.consoleAPICalled", params: large.params };
  const mixed = await heard((tell) => [console, closed(1), console].forEach(tell));
  assert.deepEqual(mixed, [gap(1), console, closed(1)]);
  const huge = closed(0, "x".repeat(LIMITS.maxUnsent));
  assert.deepEqual(await heard((tell) => [closed(1), huge, closed(2)].forEach(tell)), [gap(2), closed(2)]);
});

test("a reader that is too slow loses events, not answers, and hears of it when there is room", async () => {
  const parts = setUp();
  const socket = await getReady(parts);
  socket.bufferedAmount = LIMITS.maxUnsent + 1;
  parts.link.event({ sessionId: "t1", method: "Network.dataReceived", params: {} });
  parts.link.event({ sessionId: "t1", method: "Network.dataReceived", params: {} });
  parts.link.event({ method: "Bridge.paused", params: {} });
  socket.say({ id: 1, method: "a" });
  await settle();
  assert.deepEqual(socket.sent.map(({ method, id }) => method ?? id), ["Bridge.paused", 1]);
  await parts.timers.run(100);
  assert.equal(socket.sent.length, 2);
  socket.bufferedAmount = 0;
  await parts.timers.run(100);
  assert.deepEqual(socket.sent[2], { method: "Bridge.gap", params: { dropped: 2 } });
});

test("an event too large for the link is dropped and counted, and the link goes on", async () => {
  const parts = setUp();
  const socket = await getReady(parts);
  const event = (text) => ({ sessionId: "t1", method: "Runtime.consoleAPICalled", params: { text } });
  parts.link.event(event("é".repeat(LIMITS.maxFrame / 2)));
  assert.deepEqual(socket.sent, []);
  await parts.timers.run(100);
  parts.link.event(event("short"));
  assert.deepEqual(socket.sent, [{ method: "Bridge.gap", params: { dropped: 1 } }, event("short")]);
});

test("more calls than it can carry are refused, not kept", async () => {
  const parts = setUp({ answer: () => new Promise(() => undefined) });
  const socket = await getReady(parts);
  for (let id = 1; id <= 1002; id += 1) {
    socket.say({ id, method: "Runtime.evaluate", sessionId: "t1" });
  }
  await settle();
  assert.deepEqual(socket.sent.map(({ id }) => id), [1001, 1002]);
  assert.equal(socket.sent[0].error.data.reason, "tooBig");
  assert.equal(socket.sent[0].sessionId, "t1");
});

test("an answer goes to the socket that has asked, or nowhere", async () => {
  let finish;
  const parts = setUp({ answer: () => new Promise((resolve) => (finish = resolve)) });
  const first = await getReady(parts);
  first.say({ id: 1, method: "a" });
  first.drop();
  await parts.timers.run(1000);
  const second = await getReady(parts);
  finish({ id: 1, result: {} });
  await settle();
  assert.deepEqual([first.sent, second.sent], [[], []]);
});
