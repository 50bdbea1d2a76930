// Request rules, and what holds when Chrome does not take them.

import assert from "node:assert/strict";
import test from "node:test";

import { createFence } from "../../extension/fence.js";
import { makePolicy, NOTHING, reaches } from "../../extension/policy.js";
import { newbornRulesOf, rulesOf } from "../../extension/rules.js";
import { loads } from "./rules.mjs";

const policy = (visited, never = []) => makePolicy({ visited, never });

test("request rules decide as the code does", () => {
  const given = makePolicy({
    visited: ["*.x.test", "exact.test:8080", "plain.test:80", "safe.test:443", "127.0.0.1"],
    never: ["no.x.test", "10.0.0.1"],
  });
  const rules = rulesOf(given, [7]);
  for (const url of [
    "http://x.test/", "https://a.b.x.test:99/q?x", "http://evilx.test/", "http://xxtest/",
    "http://no.x.test/", "http://no.x.test./", "http://exact.test/", "http://exact.test:8080/",
    "http://exact.test:808/", "http://plain.test/", "https://plain.test/", "https://plain.test:80/",
    "https://safe.test/", "http://safe.test/", "http://safe.test:443/", "http://127.0.0.1:5/",
    "http://[::ffff:a00:1]/", "https://user:pw@x.test/", "http://x.test@evil.test/",
    "http://evil.test/?http://x.test/", "http://evil.test/#@x.test/", "http://u@no.x.test/",
  ]) {
    const { hostname, port, protocol } = new URL(url);
    const number = port ? Number(port) : protocol === "https:" ? 443 : 80;
    assert.equal(loads(rules, new URL(url).href), reaches(given, hostname, number), url);
  }
  assert.equal(loads(rules, "wss://x.test/socket"), true);
  assert.equal(loads(rules, "ws://evil.test/socket"), false);
  assert.equal(loads(rules, "blob:http://x.test/1"), true);
});

test("names with dots at odd places are held as well", () => {
  const urls = [
    "http://a.dot.test./", "http://dot.test.:81/", "http://a.dot.test/", "http://dots.test./",
    "http://a..dot.test/", "http://..dot.test/",
  ];
  for (const given of [
    policy(["*.dot.test."]), policy(["dot.test."]), policy(["*"], ["*.dot.test."]),
    policy(["*.dot.test"]), policy(["a..dot.test"]), policy(["*"], ["*.dot.test"]),
  ]) {
    for (const url of urls) {
      const { hostname, port } = new URL(url);
      assert.equal(loads(rulesOf(given, [7]), url), reaches(given, hostname, Number(port) || 80), url);
    }
  }
});

test("refusals outrank a star, and a policy without limits has no rules", () => {
  const rules = rulesOf(policy(["*"], ["10.0.0.1"]), [7], 40);
  assert.equal(loads(rules, "http://10.0.0.1/"), false);
  assert.equal(loads(rules, "http://[::ffff:a00:1]:80/"), false);
  assert.equal(loads(rules, "http://a.test:81/"), true);
  const mapped = rulesOf(policy(["*"], ["[::ffff:10.0.0.1]"]), [7]);
  assert.equal(loads(mapped, "http://10.0.0.1/"), false);
  assert.deepEqual(rules.map(({ id }) => id), [40, 41, 42]);
  assert.deepEqual(rulesOf(policy(["*"]), [7]), []);
  assert.deepEqual(rulesOf(NOTHING, []), []);
});

test("rules name main frames and the tabs they are for", () => {
  for (const { condition } of rulesOf(NOTHING, [7, 8])) {
    assert.deepEqual(condition.tabIds, [7, 8]);
    assert.ok(condition.resourceTypes.includes("main_frame"));
  }
});

test("a tab that is just being opened is guarded by where it comes from", () => {
  const given = policy(["a.test"]);
  const rules = newbornRulesOf(given, { hosts: ["a.test"], excludedTabIds: [1, 2] }, 5);
  assert.deepEqual(rules.map(({ id }) => id), [5, 6]);
  assert.equal(loads(rules, "http://b.test/"), false);
  assert.equal(loads(rules, "http://a.test/"), true);
  assert.deepEqual(rules[0].condition.resourceTypes, ["main_frame"]);
  assert.deepEqual(rules[0].condition.excludedTabIds, [1, 2]);
  assert.deepEqual(newbornRulesOf(given, { hosts: [], excludedTabIds: [] }), []);
});

test("of hosts no page of the person's shows, whatever belongs to no known tab is guarded", () => {
  const given = policy(["a.test"]);
  const newborn = { hosts: ["a.test"], ownHosts: ["b.a.test"], excludedTabIds: [1] };
  const rules = newbornRulesOf(given, newborn, 5).filter(({ id }) => id > 6);
  assert.deepEqual(rules.map(({ id }) => id), [7, 8]);
  assert.equal(loads(rules, "ws://b.test/"), false);
  assert.deepEqual(rules[0].condition.initiatorDomains, ["b.a.test"]);
  assert.deepEqual(rules[0].condition.excludedTabIds, [1]);
  assert.ok(rules[0].condition.resourceTypes.includes("image"));
});

test("any number of hosts takes a handful of rules, and each is held as by itself", () => {
  const names = [...Array(2000).keys()].map((n) => `host-${n}.example`);
  const given = policy([...names, "*.wide.test", "a.b.c.d.e.f.test"], names.map((n) => `no.${n}`));
  const rules = rulesOf(given, [7]);
  assert.ok(rules.length < 10, `${rules.length}`);
  for (const host of [
    "host-0.example", "host-1999.example", "host-2000.example", "x.host-7.example",
    "no.host-7.example", "no.host-7.example.", "host-7.example.", "wide.test", "a.wide.test",
    "a.b.c.d.e.f.test", "x.a.b.c.d.e.f.test", "b.c.d.e.f.test",
  ]) {
    assert.equal(loads(rules, `https://${host}/`), reaches(given, host, 443), host);
  }
});

test("where Chrome takes no more rules nothing is let through, until it takes them again", async () => {
  const there = [];
  let full = true;
  const declarativeNetRequest = {
    getSessionRules: async () => there,
    updateSessionRules: async ({ addRules }) => {
      if (full && addRules.length > 1) {
        throw new Error("Session rule count exceeded.");
      }
      there.splice(0, there.length, ...addRules);
    },
  };
  const fence = createFence({ chrome: { declarativeNetRequest } });
  const newborn = { hosts: [], excludedTabIds: [] };
  const shared = [{ policy: policy(["a.test"]), tabIds: [7], newborn }];
  await assert.rejects(fence.raise(shared), /count exceeded/);
  assert.equal(loads(there, "http://a.test/"), false);
  full = false;
  await fence.raise(shared);
  assert.equal(loads(there, "http://a.test/"), true);
});
