// The extension's half of pairing by a code, against the figures of docs/link.md and a played server.

import assert from "node:assert/strict";
import test from "node:test";

import { PairingError, createExchange, deriveKey, isCode, makeMac, normal } from "../../extension/code.js";
import { crypto } from "./fake_chrome.mjs";

const TOKEN = "A".repeat(43);
const CODE = "XP3Z-NYA2";
const EXTENSION = "chmknkffepocaobicagfckenpehglmlb";
const SERVER = { port: 40123, serverId: "0123456789abcdef" };
const OURS = "1".repeat(32);
const hex = (bytes) => Buffer.from(bytes).toString("hex");

// The server's half; `changes` are what a stranger in its place would say.
function play({ code = CODE, begin = {}, finish = {}, refuse = {} } = {}) {
  const asked = [];
  async function answer(path, params) {
    if (refuse[path]) {
      return refuse[path];
    }
    if (path === "/pair/begin") {
      const theirs = params.get("nonce");
      play.salt = { ...SERVER, extensionId: EXTENSION, theirs, ours: OURS, rounds: 200_000 };
      return { nonce: OURS, serverId: SERVER.serverId, clientName: "Tester", rounds: 200_000, ...begin };
    }
    const key = await deriveKey(crypto, code, play.salt);
    if (params.get("mac") !== hex(await makeMac(crypto, key, "client"))) {
      return { error: "wrongCode", left: 4 };
    }
    const pad = await makeMac(crypto, key, "token", "SHA-512");
    const sealed = hex(Buffer.from(TOKEN).map((byte, at) => byte ^ pad[at]));
    return { sealed, mac: hex(await makeMac(crypto, key, `server\n${sealed}`)), ...finish };
  }
  const fetch = async (address, { method }) => {
    const url = new URL(address);
    assert.equal(method, "POST");
    assert.equal(url.origin, "http://127.0.0.1:40123");
    asked.push(url.pathname);
    return { json: async () => answer(url.pathname, url.searchParams) };
  };
  return { asked, pair: createExchange({ crypto, fetch, extensionId: EXTENSION }) };
}

const failsAs = (kind) => (error) => error instanceof PairingError && error.kind === kind;

test("a code is read however it was typed", () => {
  assert.equal(normal(" xp3z-nya2\n"), "XP3ZNYA2");
  assert.equal(normal("oOiI lL00"), "00111100");
  assert.ok(isCode("xp3z nya2"));
  for (const wrong of ["", "XP3Z-NYA", "XP3Z-NYA22", "XP3Z-NYAU", "XP3Z_NYA2"]) {
    assert.ok(!isCode(wrong), wrong);
  }
});

test("key and proof are those of the contract", async () => {
  const [theirs, ours] = ["0".repeat(32), OURS];
  const given = { ...SERVER, extensionId: EXTENSION, theirs, ours, rounds: 200_000 };
  const key = await deriveKey(crypto, CODE, given);
  assert.equal(hex(key), "8a235823f8cf07bd2e8d6e895c88451c499bb29e40b4c6b4eaecffbccf9f9e7d");
  const proof = hex(await makeMac(crypto, key, "client"));
  assert.equal(proof, "06e0f343104c1e6c4646d470fb9b50ff1413819bc85ce9963504da3bc8b90876");
});

test("the right code brings the token", async () => {
  assert.equal(await play().pair(SERVER, "xp3z nya2"), TOKEN);
});

test("a wrong code is told, with the tries that are left", async () => {
  const told = await play().pair(SERVER, "0000-0000").catch((error) => error);
  assert.deepEqual([told.kind, told.left], ["wrongCode", 4]);
});

test("the server's refusals are handed on", async () => {
  const tooMany = play({ refuse: { "/pair/begin": { error: "tooMany" } } });
  await assert.rejects(tooMany.pair(SERVER, CODE), failsAs("tooMany"));
  const tooLate = play({ refuse: { "/pair/finish": { error: "tooLate" } } });
  await assert.rejects(tooLate.pair(SERVER, CODE), failsAs("tooLate"));
});

test("another server in its place is given no proof", async () => {
  const { asked, pair } = play({ begin: { serverId: "f".repeat(16) } });
  await assert.rejects(pair(SERVER, CODE), failsAs("stranger"));
  assert.deepEqual(asked, ["/pair/begin"]);
});

test("a proof that is cheap to guess at, or for ever in the making, is not made", async () => {
  for (const rounds of [1, 199_999, 2_000_001, "200000", undefined, NaN]) {
    const { asked, pair } = play({ begin: { rounds } });
    await assert.rejects(pair(SERVER, CODE), failsAs("stranger"), String(rounds));
    assert.deepEqual(asked, ["/pair/begin"]);
  }
});

test("a token from one who does not know the code is not taken", async () => {
  const sealed = "00".repeat(43);
  for (const mac of ["", "0".repeat(64), undefined]) {
    await assert.rejects(play({ finish: { sealed, mac } }).pair(SERVER, CODE), failsAs("stranger"));
  }
});

test("a server that is not there is told as gone", async () => {
  const fetch = async () => Promise.reject(new TypeError("Failed to fetch"));
  const pair = createExchange({ crypto, fetch, extensionId: EXTENSION });
  await assert.rejects(pair(SERVER, CODE), failsAs("gone"));
});
