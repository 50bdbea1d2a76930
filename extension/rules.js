// A policy as declarativeNetRequest rules: Chrome then blocks what a page or a redirect asks for
// before anything is sent. They decide as policy.js does; a test compares the two.

import { isIp, otherSpellings, restricts } from "./policy.js";

const ANY_HOST = "(?:\\[[^\\]]*\\]|[^/?#@:]*)"; // a port is not part of it
const ANY_REQUEST = "^(?:http|ws)s?://";
const LABEL = "[^./?#@:]*"; // it may be empty: Chrome goes to a..test as well
const MOST_LABELS = 5; // of a name, for as many as an expression may count
const RESOURCE_TYPES = [
  "main_frame", "sub_frame", "stylesheet", "script", "image", "font", "object", "xmlhttprequest",
  "ping", "csp_report", "media", "websocket", "webtransport", "webbundle", "other",
];

// For these tabs. Ids count up from `first`.
export function rulesOf(policy, tabIds, first = 1) {
  return tabIds.length ? toRules(policy, { tabIds, resourceTypes: RESOURCE_TYPES }, first) : [];
}

// And for what belongs to no tab we know; `excludedTabIds` are those there are already. A link to a
// new tab sends its first request before we hear of the tab: it is known by the host it comes from.
// Of `ownHosts`, which no page of the person's shows, blank pop-ups and workers are held altogether.
export function newbornRulesOf(policy, { hosts, ownHosts = [], excludedTabIds }, first = 1) {
  const rules = [];
  for (const [initiatorDomains, resourceTypes] of [
    [hosts, ["main_frame"]],
    [ownHosts, RESOURCE_TYPES],
  ]) {
    const where = { initiatorDomains, excludedTabIds, resourceTypes };
    rules.push(...(initiatorDomains.length ? toRules(policy, where, first + rules.length) : []));
  }
  return rules;
}

// The same with nothing allowed, where there are more rules than Chrome takes.
export function closed(rules) {
  return rules.filter(({ condition }) => condition.regexFilter === ANY_REQUEST);
}

function toRules(policy, where, first) {
  if (!restricts(policy)) {
    return [];
  }
  const rules = [["block", 1, { regexFilter: ANY_REQUEST }]];
  rules.push(...conditionsOf(policy.visited, false).map((each) => ["allow", 2, each]));
  rules.push(...conditionsOf(policy.never, true).map((each) => ["block", 3, each]));
  return rules.map(([type, priority, condition], index) => ({
    id: first + index,
    priority,
    action: { type },
    condition: { ...condition, ...where },
  }));
}

// Chrome takes 1000 expressions of an extension, and of each as much as two names fill, but any
// number of domains. A domain stands for all names below it as well: so names of as many labels
// share an expression that wants just that many.
function conditionsOf(patterns, refusing) {
  const alone = patterns.filter(standsAlone);
  const shared = patterns.filter((each) => !standsAlone(each));
  return [
    ...alone.flatMap((each) => regexesOf(hostOf(each, refusing), each.port)),
    ...[...new Set(shared.map(kindOf))].flatMap((kind) => {
      const some = shared.filter((each) => kindOf(each) === kind);
      const requestDomains = [...new Set(some.map(({ host }) => host))].sort();
      const name = nameOf(some[0]) + (refusing ? "\\.?" : "");
      return regexesOf(name, some[0].port).map((each) => ({ ...each, requestDomains }));
    }),
  ];
}

const labelsOf = (host) => host.split(".").length;
const kindOf = ({ host, below, port }) => `${port} ${below ? "below" : labelsOf(host)}`;

// Chrome takes the dot at a name's end for no part of it, and a domain with one stands for nothing.
function standsAlone({ host, below }) {
  return !host || isIp(host) || host.endsWith(".") || (!below && labelsOf(host) > MOST_LABELS);
}

function nameOf({ host, below }) {
  return below ? "[^/?#@:]*[^./?#@:]" : `${LABEL}(?:\\.${LABEL}){${labelsOf(host) - 1}}`;
}

function hostOf({ host, below }, refusing) {
  if (!host) {
    return ANY_HOST;
  }
  const front = below ? "(?:[^/?#@:]*\\.)?" : "";
  const spellings = refusing ? [host, ...otherSpellings(host)] : [host];
  return `${front}(?:${spellings.map(escape).join("|")})`;
}

function regexesOf(host, port) {
  const there = (schemes, rest) => ({ regexFilter: `^${schemes}://(?:[^/?#@]*@)?${host}${rest}/` });
  if (port === null) {
    return [there("(?:http|ws)s?", "(?::\\d+)?")];
  }
  const usual = { 80: "(?:http|ws)", 443: "(?:http|ws)s" }[port];
  return [there("(?:http|ws)s?", `:${port}`), ...(usual ? [there(usual, "")] : [])];
}

function escape(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
