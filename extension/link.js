// One WebSocket to one server. It hangs up on whoever cannot prove to know the token: another
// program may have taken the port. What Chrome tells before the link is up waits in a bounded
// buffer, for an event may be what woke the worker.

import { CLOSE, LIMITS, VERSION, VERSIONS } from "./messages.js";

const MAX_IN_FLIGHT = 1000;
const MAX_VITAL = 2 * LIMITS.maxBufferedEvents; // held in all, of which the rest take half
const HANDSHAKE_WITHIN_MS = 5000;
const FIRST_DELAY_MS = 1000;
const LAST_DELAY_MS = 30_000;
const LOOK_AGAIN_MS = 100; // whether what was unsent has gone
const REFUSED = [CLOSE.UNAUTHORIZED, CLOSE.VERSION, CLOSE.USER_REFUSED, CLOSE.REPLACED];
const encoder = new TextEncoder();

const toHex = (bytes) => Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");

function fromHex(text) {
  const pairs = /^[0-9a-f]{64}$/.test(text) ? text.match(/../g) : [];
  return Uint8Array.from(pairs, (pair) => parseInt(pair, 16));
}

// Proves and checks that both know the token; `theirs` is the nonce of the extension.
export async function createProofs({ crypto, token, port, extensionId, theirs, ours }) {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const uses = ["sign", "verify"];
  const key = await crypto.subtle.importKey("raw", encoder.encode(token), algorithm, false, uses);
  const about = [VERSION, port, extensionId, theirs, ours];
  const said = (role) => encoder.encode([role, ...about].join("\n"));
  return {
    check: (mac) => crypto.subtle.verify("HMAC", key, fromHex(mac), said("server")),
    make: async () => toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, said("client")))),
  };
}

// Events whose loss nothing could make good: what is there, and what holds a page up. Titles and
// addresses are read again after a gap, and a page can change its own without end.
function isVital({ sessionId, method }) {
  if (method === "Target.targetInfoChanged") {
    return false;
  }
  return sessionId === undefined || method.startsWith("Target.") || method.startsWith("Page.java");
}

// `server`: {port, token}. `hooks`: hello() -> parameters; welcomed(welcome) -> parameters of
// Bridge.ready; answer(request) -> answer; changed(state, why).
export function createLink({ server, hooks, extensionId, WebSocket, crypto, timers }) {
  let socket = null;
  let timer = null;
  let failures = 0;
  let buffer = [];
  let held = 0; // characters in it
  let dropped = 0;
  let inFlight = 0;
  let replaced = false;
  const self = { state: "waiting", why: "", server, event, dial, poke, end };

  function become(state, why = "") {
    self.state = state;
    self.why = why;
    hooks.changed(self);
  }

  function dial() {
    timers.clear(timer);
    if (socket || self.state === "over") {
      return;
    }
    become("connecting", self.why);
    socket = new WebSocket(`ws://127.0.0.1:${server.port}/link`);
    converse(socket);
  }

  // Now rather than when the delay is over. Every alarm does it, so one that was replaced is left
  // alone unless a person asks: two living copies of one profile would displace each other for ever.
  function poke({ byPerson = false } = {}) {
    if (self.state !== "ready" && !socket && (byPerson || !replaced)) {
      dial();
    }
  }

  function converse(mine) {
    const nonce = toHex(crypto.getRandomValues(new Uint8Array(16)));
    const late = timers.set(() => hangUp(mine, "the server said nothing"), HANDSHAKE_WITHIN_MS);
    let step = shakeHands(mine, nonce, late);
    mine.onopen = async () => say(mine, "Bridge.hello", await greeting(nonce));
    mine.onmessage = ({ data }) => {
      if (self.state === "ready" && mine === socket) {
        request(mine, data);
      } else {
        step = step.then((next) => next(JSON.parse(data))).catch(() => hangUp(mine, "malformed"));
      }
    };
    mine.onclose = ({ code }) => closed(mine, code, late);
  }

  async function greeting(nonce) {
    return { versions: VERSIONS, nonce, extensionId, ...(await hooks.hello()) };
  }

  // Each step takes a message and returns the next one.
  async function shakeHands(mine, nonce, late) {
    const welcome = async ({ method, params }) => {
      if (method !== "Bridge.welcome") {
        throw new Error("no welcome");
      }
      const ready = await hooks.welcomed(self, params);
      timers.clear(late);
      if (mine === socket) {
        open(mine, ready);
      }
      return welcome;
    };
    return async ({ method, params }) => {
      const given = { crypto, token: server.token, port: server.port, extensionId };
      const proofs = await createProofs({ ...given, theirs: nonce, ours: params.nonce });
      const known = method === "Bridge.challenge" && VERSIONS.includes(params.version);
      if (!known || !(await proofs.check(params.mac))) {
        hangUp(mine, "another program has taken the port, or the token is an old one");
        return welcome;
      }
      say(mine, "Bridge.proof", { mac: await proofs.make() });
      return welcome;
    };
  }

  function open(mine, ready) {
    failures = 0;
    say(mine, "Bridge.ready", ready);
    become("ready");
    const waiting = empty();
    tellGap();
    waiting.forEach((each) => event(each));
  }

  function say(mine, method, params) {
    if (mine.readyState === 1) {
      mine.send(JSON.stringify({ method, params }));
    }
  }

  // Something Chrome tells.
  function event(frame) {
    if (self.state !== "ready") {
      hold(frame);
    } else if (socket.bufferedAmount > LIMITS.maxUnsent && !isVital(frame)) {
      drop();
    } else {
      tell(JSON.stringify(frame));
    }
  }

  // One too large would end the link, and any page can log such a line.
  function tell(text) {
    if (!fits(text)) {
      drop();
      return;
    }
    tellGap();
    socket.send(text);
  }

  // Where what is vital finds no room either, whoever stays away so long has to read everything
  // again: then nothing from before the gap may be told after it.
  function hold(frame) {
    const size = JSON.stringify(frame).length;
    const most = isVital(frame) ? MAX_VITAL : LIMITS.maxBufferedEvents;
    const full = buffer.length >= most || held + size > LIMITS.maxUnsent;
    if (full && isVital(frame)) {
      dropped += empty().length;
    }
    if (full && (!isVital(frame) || size > LIMITS.maxUnsent)) {
      dropped += 1;
      return;
    }
    buffer.push(frame);
    held += size;
  }

  function empty() {
    const waiting = buffer;
    buffer = [];
    held = 0;
    return waiting;
  }

  function drop() {
    dropped += 1;
    if (dropped === 1) {
      timers.set(tellGap, LOOK_AGAIN_MS);
    }
  }

  // The gap is told as soon as there is room again.
  function tellGap() {
    if (dropped === 0 || self.state !== "ready") {
      return;
    }
    if (socket.bufferedAmount > LIMITS.maxUnsent) {
      timers.set(tellGap, LOOK_AGAIN_MS);
      return;
    }
    const params = { dropped };
    dropped = 0;
    say(socket, "Bridge.gap", params);
  }

  async function request(mine, data) {
    let call;
    try {
      call = JSON.parse(data);
    } catch {
      call = null;
    }
    if (!Number.isInteger(call?.id) || typeof call.method !== "string") {
      return; // what has no id can have no answer
    }
    if (inFlight >= MAX_IN_FLIGHT) {
      reply(mine, call, tooBig(call, `more than ${MAX_IN_FLIGHT} calls are under way`));
      return;
    }
    inFlight += 1;
    try {
      reply(mine, call, await hooks.answer(self, call));
    } finally {
      inFlight -= 1;
    }
  }

  // The answer belongs to the socket that has asked.
  function reply(mine, call, answer) {
    if (mine.readyState !== 1) {
      return;
    }
    const text = JSON.stringify(answer);
    mine.send(fits(text) ? text : JSON.stringify(tooBig(call, "the answer is too large for the link")));
  }

  function hangUp(mine, why) {
    self.why = why;
    mine.close(CLOSE.USER_REFUSED, "");
    closed(mine, CLOSE.USER_REFUSED, null);
  }

  function closed(mine, code, late) {
    timers.clear(late);
    if (mine !== socket) {
      return;
    }
    socket = null;
    if (self.state !== "over") {
      become(REFUSED.includes(code) ? "refused" : "waiting", reason(code) || self.why);
      replaced = code === CLOSE.REPLACED;
      const steps = replaced ? Infinity : failures;
      timer = timers.set(dial, Math.min(LAST_DELAY_MS, FIRST_DELAY_MS * 2 ** steps));
      failures += 1;
    }
  }

  // For good.
  function end(code = CLOSE.GOING_AWAY) {
    timers.clear(timer);
    const mine = socket;
    socket = null;
    empty();
    self.state = "over";
    // A page may not send 1001; the server takes either as a farewell.
    mine?.close(code < 3000 ? 1000 : code, "");
  }

  return self;
}

// A character has three bytes at most.
function fits(text) {
  return text.length * 3 <= LIMITS.maxFrame || encoder.encode(text).length <= LIMITS.maxFrame;
}

function tooBig({ id, sessionId }, message) {
  const error = { code: -32000, message, data: { reason: "tooBig" } };
  return sessionId === undefined ? { id, error } : { id, sessionId, error };
}

function reason(code) {
  return {
    [CLOSE.UNAUTHORIZED]: "the server does not accept the token",
    [CLOSE.VERSION]: "extension and server are of different versions: update the older one",
    [CLOSE.REPLACED]: "a copy of this browser's profile has taken the connection",
  }[code];
}
