// The extension's half of pairing by a code (docs/link.md, "Pairing by hand"). It speaks first and
// believes nobody: a token is taken only from a server that has proved to know the code as well.

const ROUNDS = [200_000, 2_000_000];
const CODE = /^[0-9A-HJKMNP-TV-Z]{8}$/;
const ANSWER_WITHIN_MS = 15_000;
const encoder = new TextEncoder();

// `kind` is the server's word (wrongCode, tooMany, tooLate, …), or `gone` or `stranger`.
export class PairingError extends Error {
  constructor(kind, left = 0) {
    super(kind);
    this.kind = kind;
    this.left = left;
  }
}

// The code as it is meant, however it was typed.
export function normal(text) {
  const plain = text.toUpperCase().replace(/[\s-]/g, "");
  return plain.replaceAll("O", "0").replace(/[IL]/g, "1");
}

export const isCode = (text) => CODE.test(normal(text));

const toHex = (bytes) => Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");

function fromHex(text) {
  const pairs = /^([0-9a-f]{2})+$/.test(text) ? text.match(/../g) : [];
  return Uint8Array.from(pairs, (pair) => parseInt(pair, 16));
}

export async function deriveKey(crypto, code, { port, extensionId, serverId, theirs, ours, rounds }) {
  const said = ["chrome-bridge", port, extensionId, serverId, theirs, ours].join("\n");
  const typed = encoder.encode(normal(code));
  const raw = await crypto.subtle.importKey("raw", typed, "PBKDF2", false, ["deriveBits"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt: encoder.encode(said), iterations: rounds };
  return new Uint8Array(await crypto.subtle.deriveBits(how, raw, 256));
}

function importMac(crypto, key, hash) {
  return crypto.subtle.importKey("raw", key, { name: "HMAC", hash }, false, ["sign", "verify"]);
}

export async function makeMac(crypto, key, said, hash = "SHA-256") {
  const mac = await importMac(crypto, key, hash);
  return new Uint8Array(await crypto.subtle.sign("HMAC", mac, encoder.encode(said)));
}

async function checkMac(crypto, key, said, given) {
  const mac = await importMac(crypto, key, "SHA-256");
  return crypto.subtle.verify("HMAC", mac, fromHex(given), encoder.encode(said));
}

// `pair({port, serverId}, code)` gives the token; a PairingError says why there is none.
export function createExchange({ crypto, fetch, extensionId }) {
  async function ask(port, path, params) {
    const address = `http://127.0.0.1:${port}/pair/${path}?${new URLSearchParams(params)}`;
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const how = { method: "POST", credentials: "omit", cache: "no-store", redirect: "error", signal };
    const told = await fetch(address, how)
      .then((answer) => answer.json())
      .catch(() => {
        throw new PairingError("gone");
      });
    if (told?.error) {
      throw new PairingError(String(told.error), Number(told.left) || 0);
    }
    return told;
  }

  async function pair({ port, serverId }, code) {
    const theirs = toHex(crypto.getRandomValues(new Uint8Array(16)));
    const begun = await ask(port, "begin", { nonce: theirs });
    const { nonce: ours, rounds } = begun;
    const sane = Number.isInteger(rounds) && rounds >= ROUNDS[0] && rounds <= ROUNDS[1];
    if (begun.serverId !== serverId || !sane) {
      throw new PairingError("stranger");
    }
    const key = await deriveKey(crypto, code, { port, extensionId, serverId, theirs, ours, rounds });
    const proof = toHex(await makeMac(crypto, key, "client"));
    const { sealed, mac } = await ask(port, "finish", { nonce: ours, mac: proof });
    if (!(await checkMac(crypto, key, `server\n${sealed}`, String(mac)))) {
      throw new PairingError("stranger");
    }
    const pad = await makeMac(crypto, key, "token", "SHA-512");
    return String.fromCharCode(...fromHex(sealed).map((byte, at) => byte ^ pad[at]));
  }

  return pair;
}
