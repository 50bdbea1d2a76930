// What a client may visit and ask for. Pure. It decides as bridge/policy does, on addresses as
// Chrome itself reads them, and is closed until a server has delivered its half.

import { NO_METHOD, Refusal } from "./errors.js";
import { DOMAINS, REFUSED, WITH_ADDRESSES } from "./messages.js";

const FORM = /^(?:(?:https?|\*):\/\/)?(\*\.)?([^/?#\\]*)(?:[/?#][\s\S]*)?$/i;
// What Python takes for blank, which is not quite what trim() does.
const BLANK = "[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const EDGES = new RegExp(`^${BLANK}|${BLANK}$`, "g");
const HOST = /^(?:\[[^[\]]*\]|[^:]*)$/; // once its port is off
const CANONICAL = /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])$/; // all that names in use have; no commas
const MAPPED = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/;
const PORTS = { http: 80, ws: 80, https: 443, wss: 443 };
const MADE_IN_PAGE = ["data", "blob"];
// Addresses that a method may be given, and those it must be given for each cookie.
const MAY_NAME = { "Fetch.continueRequest": "url" };
const COOKIE_DOMAINS = ["Network.setCookie", "Network.deleteCookies"];

// The meaning of an absolute address; null if it has none.
export function parseAddress(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  const scheme = url.protocol.slice(0, -1);
  const home = scheme === "blob" && url.origin !== "null" ? new URL(url.origin) : url;
  const homeScheme = home.protocol.slice(0, -1);
  return {
    scheme,
    host: home.hostname,
    port: home.port ? Number(home.port) : (PORTS[homeScheme] ?? null),
    blank: scheme === "about" && url.pathname === "blank",
  };
}

// A pattern as people write it; an Error says what is wrong with it.
export function parsePattern(text) {
  const form = FORM.exec(String(text).replace(EDGES, ""));
  if (!form) {
    throw bad(text);
  }
  const below = form[1] !== undefined;
  const authority = form[2];
  const port = /:(\d{1,5})$/.exec(authority);
  const name = port ? authority.slice(0, port.index) : authority;
  const number = port ? Number(port[1]) : null;
  if (number > 65535) {
    throw bad(text);
  }
  if (name === "*" && !below) {
    return { host: "", below: false, port: number };
  }
  if (/[@*]/.test(name) || !HOST.test(name)) {
    throw bad(text);
  }
  const address = parseAddress(`http://${name}/`);
  const isName = address && CANONICAL.test(address.host) && !`.${address.host}`.includes("..");
  if (!isName || (below && isIp(address.host))) {
    throw bad(text);
  }
  return { host: address.host, below, port: number };
}

function bad(text) {
  return new Error(`${JSON.stringify(String(text).slice(0, 100))} is not a host pattern`);
}

export function isIp(host) {
  return host.startsWith("[") || /^\d+$/.test(host.replaceAll(".", ""));
}

// The server's half and the person's. What cannot be read in a refusal would be a hole, so then
// nothing is allowed at all.
export function makePolicy(sites, ownNever = [], { downloads = false, uploads = false } = {}) {
  try {
    return {
      visited: (sites?.visited ?? []).map(parsePattern),
      never: [...(sites?.never ?? []), ...ownNever].map(parsePattern),
      downloads: downloads === true,
      uploads: uploads === true,
    };
  } catch {
    return NOTHING;
  }
}

export const NOTHING = Object.freeze({ visited: [], never: [], downloads: false, uploads: false });

function matches(pattern, host, port) {
  if (pattern.port !== null && pattern.port !== port) {
    return false;
  }
  return (
    !pattern.host || host === pattern.host || (pattern.below && host.endsWith(`.${pattern.host}`))
  );
}

// Other spellings that reach the same machine: the root's dot, and IPv4 written as IPv6.
export function otherSpellings(host) {
  const mapped = MAPPED.exec(host);
  if (mapped) {
    const [high, low] = mapped.slice(1).map((part) => parseInt(part, 16));
    return [`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`];
  }
  if (!isIp(host)) {
    return [host.endsWith(".") ? host.slice(0, -1) : `${host}.`];
  }
  if (host.startsWith("[")) {
    return [];
  }
  const parts = host.split(".").map(Number);
  const hex = (high, low) => ((high << 8) | low).toString(16);
  return [`[::ffff:${hex(parts[0], parts[1])}:${hex(parts[2], parts[3])}]`];
}

export function reaches(policy, host, port) {
  const names = [host, ...otherSpellings(host)];
  const refused = (pattern) => names.some((name) => matches(pattern, name, port));
  return !policy.never.some(refused) && policy.visited.some((each) => matches(each, host, port));
}

export function restricts(policy) {
  return policy.never.length > 0 || !policy.visited.some(({ host, port }) => !host && port === null);
}

// Why an address may not be shown in a tab; "" if it may.
export function refuseVisit(policy, url) {
  const address = parseAddress(url);
  if (!address) {
    return "this is not an address a browser could open";
  }
  if (address.blank || (MADE_IN_PAGE.includes(address.scheme) && !restricts(policy))) {
    return "";
  }
  if (!["http", "https"].includes(address.scheme)) {
    return `${address.scheme}: addresses are never shared, only http: and https:`;
  }
  return reaches(policy, address.host, address.port) ? "" : `${address.host} is not allowed`;
}

// Why a frame in a shared tab may not be worked on. What a page has made itself is the page's own.
export function refuseFrame(policy, url) {
  const address = parseAddress(url);
  const written = !address?.host || !["http", "https", "blob"].includes(address.scheme);
  const allowed = written || reaches(policy, address.host, address.port);
  return allowed ? "" : `a frame of ${address.host}, which is not allowed, is in the page`;
}

// Why no picture may be taken of a page with these frames, as chrome.webNavigation tells them. One
// that was blocked shows Chrome's error page, in the process of what is around it; one whose page
// broke off is told as in error too, shows what had come, and has a process of its own.
export function refusePicture(policy, frames) {
  const processes = new Map(frames.map(({ frameId, processId }) => [frameId, processId]));
  const isBlocked = ({ errorOccurred, processId, parentFrameId }) =>
    errorOccurred && processId === processes.get(parentFrameId);
  const inside = frames.filter((each) => each.parentFrameId >= 0 && !isBlocked(each));
  return inside.map(({ url }) => refuseFrame(policy, url)).find(Boolean) ?? "";
}

// The news of a frame, without where it is if nobody may work on it.
export function hideFrame(policy, method, params) {
  const info = method === "Target.attachedToTarget" ? params.targetInfo : null;
  const hidden = info && refuseFrame(policy, info.url) !== "";
  return hidden ? { ...params, targetInfo: { ...info, url: "", title: "" } } : params;
}

// What a tab that is shared may show without being let go: nothing has been loaded there yet.
export function isNeutral(url) {
  return url === "" || /^(about:blank|chrome:\/\/newtab\/?|chrome:\/\/new-tab-page\/?)$/.test(url);
}

// Throws unless this may be asked of a shared tab.
export function checkCommand(policy, method, params = {}) {
  const domain = method.split(".", 1)[0];
  if (!DOMAINS.includes(domain) || Object.hasOwn(REFUSED, method)) {
    const why = Object.hasOwn(REFUSED, method) ? REFUSED[method] : "it is not offered to clients";
    throw new Refusal("impossible", `${method} is not possible here: ${why}`, NO_METHOD);
  }
  const files = method === "DOM.setFileInputFiles" || params.data?.files?.length > 0;
  if (files && !policy.uploads) {
    throw new Refusal("policy", `${method}: handing over files is switched off`);
  }
  checkAddresses(policy, method, params);
}

// An answer without where else the person has been in this tab.
export function withoutOthers(policy, method, answer) {
  if (method !== "Page.getNavigationHistory") {
    return answer;
  }
  const others = ({ url }) => !isNeutral(url) && refuseVisit(policy, url) !== "";
  const hide = (entry) => ({ ...entry, url: "", userTypedURL: "", title: "" });
  const entries = answer.entries.map((entry) => (others(entry) ? hide(entry) : entry));
  return { ...answer, entries };
}

// Throws unless this entry of a tab's history may be gone to.
export function checkPast(policy, { entries }, { entryId }) {
  const { url = "" } = entries.find(({ id }) => id === entryId) ?? {};
  if (!isNeutral(url) && refuseVisit(policy, url)) {
    throw new Refusal("policy", "Page.navigateToHistoryEntry: the page there is not allowed");
  }
}

// Where no tab can be led, in Chrome's own words where there is nothing to decide.
export function checkGoal({ url }) {
  const address = parseAddress(url);
  if (typeof url === "string" && !address) {
    throw new Error("Cannot navigate to invalid URL");
  }
  if (address?.scheme === "data") {
    throw new Refusal("impossible", "Chrome lets no extension lead a tab to a data: address");
  }
}

function checkAddresses(policy, method, params) {
  if (method === "Page.navigate") {
    checkGoal(params);
  }
  for (const url of addressesIn(method, params)) {
    const why = typeof url === "string" ? refuseVisit(policy, url) : "no address is named";
    if (why) {
      throw new Refusal("policy", `${method}: ${why}`);
    }
  }
}

function addressesIn(method, params) {
  const found = [];
  if (Object.hasOwn(WITH_ADDRESSES, method)) {
    const given = params[WITH_ADDRESSES[method]];
    found.push(...(Array.isArray(given) && given.length ? given : [given]));
  }
  if (Object.hasOwn(MAY_NAME, method) && params[MAY_NAME[method]] !== undefined) {
    found.push(params[MAY_NAME[method]]);
  }
  if (method === "Network.setCookies") {
    found.push(...(params.cookies ?? []).flatMap(cookieAddresses));
  }
  if (COOKIE_DOMAINS.includes(method)) {
    found.push(...cookieAddresses(params));
  }
  return found;
}

// A cookie's domain outranks its address where both are given.
function cookieAddresses({ url, domain }) {
  return domain ? [url, `https://${String(domain).replace(/^\./, "")}/`] : [url];
}
