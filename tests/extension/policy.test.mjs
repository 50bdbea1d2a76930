// Patterns, addresses, methods and request rules.

import assert from "node:assert/strict";
import test from "node:test";

import { REFUSED, WITH_ADDRESSES } from "../../extension/messages.js";
import {
  checkCommand,
  isNeutral,
  makePolicy,
  NOTHING,
  parsePattern,
  reaches,
  refusePicture,
  refuseVisit,
  withoutOthers,
} from "../../extension/policy.js";

const policy = (visited, never = []) => makePolicy({ visited, never });
const visits = (given, url) => refuseVisit(given, url) === "";

test("patterns are read as bridge/policy reads them", () => {
  for (const [text, host, below, port] of [
    ["*", "", false, null],
    ["*:8080", "", false, 8080],
    ["example.com", "example.com", false, null],
    [" https://Example.COM/path?q ", "example.com", false, null],
    ["*.example.com", "example.com", true, null],
    ["*.example.com:8080", "example.com", true, 8080],
    ["bücher.example", "xn--bcher-kva.example", false, null],
    ["0x7f.1", "127.0.0.1", false, null],
    ["[::1]:80", "[::1]", false, 80],
    ["*://example.com", "example.com", false, null],
  ]) {
    assert.deepEqual(parsePattern(text), { host, below, port }, text);
  }
});

test("what is no pattern is refused", () => {
  for (const text of ["", "*.", "a@b", "*.*.com", "ex*mple.com", "*.1.2.3.4", "a:99999", "a:", "a b"]) {
    assert.throws(() => parsePattern(text), /not a host pattern/, text);
  }
});

test("nothing may be visited before a policy was delivered", () => {
  assert.equal(visits(NOTHING, "https://example.com/"), false);
  assert.equal(visits(NOTHING, "about:blank"), true);
  assert.equal(visits(makePolicy(undefined), "https://example.com/"), false);
});

test("a refusal that cannot be read refuses everything", () => {
  assert.equal(visits(makePolicy({ visited: ["*"], never: ["ex*mple"] }), "https://a.test/"), false);
  assert.equal(visits(makePolicy({ visited: ["*"] }, ["a@b"]), "https://a.test/"), false);
});

test("no picture shows a frame that is not allowed; one that was blocked is none", () => {
  const refuses = (url, more) => {
    const page = { frameId: 0, parentFrameId: -1, processId: 6, url: "https://b.test/" };
    const frame = { frameId: 5, parentFrameId: 0, processId: 8, url, ...more };
    return refusePicture(policy(["a.test"]), [page, frame]) !== "";
  };
  const bank = "https://bank.test/";
  assert.equal(refuses(bank), true);
  assert.equal(refuses(bank, { errorOccurred: true }), true); // it broke off
  assert.equal(refuses(bank, { errorOccurred: true, processId: 6 }), false);
  assert.equal(refuses("https://a.test/"), false);
  assert.equal(refuses("about:srcdoc"), false);
});

test("a host is compared as Chrome reads it", () => {
  const some = policy(["*.x.test", "exact.test:8080", "127.0.0.1"]);
  for (const [url, expected] of [
    ["https://x.test/", true],
    ["https://deep.x.test/", true],
    ["https://evilx.test/", false],
    ["https://x.test.evil.test/", false],
    ["https://x.test@evil.test/", false],
    ["https://evil.test#@x.test/", false],
    ["https://X.TEST:444/", true],
    ["http://exact.test:8080/", true],
    ["http://exact.test/", false],
    ["http://2130706433/", true],
    ["http://0x7f.0.0.1/", true],
    ["http://x.test./", false],
    ["nonsense", false],
  ]) {
    assert.equal(visits(some, url), expected, url);
  }
});

test("never outranks, in all spellings that reach the same machine", () => {
  const most = makePolicy({ visited: ["*"], never: ["*.bank.test", "10.0.0.1"] }, ["mine.test"]);
  for (const host of ["bank.test", "www.bank.test.", "10.0.0.1", "[::ffff:a00:1]", "mine.test."]) {
    assert.equal(reaches(most, host, 443), false, host);
  }
  assert.equal(reaches(most, "other.test", 443), true);
  const others = policy(["*"], ["[::ffff:10.0.0.1]", "dot.test."]);
  for (const host of ["10.0.0.1", "[::ffff:a00:1]", "dot.test", "dot.test."]) {
    assert.equal(reaches(others, host, 443), false, host);
  }
  assert.equal(reaches(others, "10.0.0.2", 443), true);
});

test("only http, https and about:blank are shown", () => {
  const all = policy(["*"], ["x.test"]);
  for (const url of [
    "file:///etc/passwd",
    "chrome://settings",
    "view-source:https://a.test/",
    "javascript:1",
    "chrome-extension://abc/page.html",
    "devtools://devtools/",
    "data:text/html,x",
    "filesystem:https://a.test/x",
    "about:srcdoc",
  ]) {
    assert.equal(visits(all, url), false, url);
  }
  assert.equal(visits(all, "about:blank#x"), true);
  assert.equal(visits(policy(["*"]), "data:text/html,x"), true);
});

test("a page that has loaded nothing is let alone, any other one is not", () => {
  assert.equal(isNeutral("chrome://newtab/"), true);
  assert.equal(isNeutral(""), true);
  assert.equal(isNeutral("chrome://newtab.evil/"), false);
  assert.equal(isNeutral("chrome://settings/"), false);
});

test("methods outside the list are refused with the reason", () => {
  const all = policy(["*"]);
  for (const method of [...Object.keys(REFUSED), "Storage.getCookies", "Tracing.start", "nonsense"]) {
    assert.throws(() => checkCommand(all, method), { code: -32601, reason: "impossible" }, method);
  }
  assert.throws(() => checkCommand(all, "constructor.x"), { reason: "impossible" });
  checkCommand(all, "Runtime.evaluate", { expression: "1" });
});

test("methods that name addresses need them, all of them allowed", () => {
  const some = policy(["a.test"]);
  for (const [method, field] of Object.entries(WITH_ADDRESSES)) {
    const wrap = (url) => ({ [field]: field === "urls" ? ["https://a.test/", url] : url });
    checkCommand(some, method, wrap("https://a.test/"));
    assert.throws(() => checkCommand(some, method, {}), { reason: "policy" }, method);
    assert.throws(() => checkCommand(some, method, wrap("https://b.test/")), { reason: "policy" });
  }
  assert.throws(() => checkCommand(some, "Network.getCookies", { urls: [] }), { reason: "policy" });
});

test("what no tab can be led to is said so, in Chrome's words where it has some", () => {
  const all = policy(["*"]);
  const go = (url) => () => checkCommand(all, "Page.navigate", { url });
  assert.throws(go("no address"), { message: "Cannot navigate to invalid URL" });
  assert.throws(go("data:text/html,x"), { reason: "impossible" });
  assert.throws(go(undefined), { reason: "policy" });
});

test("an address behind another name is found as well", () => {
  const some = policy(["a.test"]);
  const url = "https://a.test/";
  const foreign = { name: "x", value: "y", url, domain: ".b.test" };
  assert.throws(() => checkCommand(some, "Network.deleteCookies", foreign), { reason: "policy" });
  assert.throws(() => checkCommand(some, "Network.setCookies", { cookies: [foreign] }), { reason: "policy" });
  checkCommand(some, "Network.setCookies", { cookies: [{ ...foreign, domain: ".a.test" }] });
  const redirected = { requestId: "1", url: "https://b.test/" };
  assert.throws(() => checkCommand(some, "Fetch.continueRequest", redirected), { reason: "policy" });
  checkCommand(some, "Fetch.continueRequest", { requestId: "1" });
});

test("of a tab's history only what may be visited is told, with its numbers", () => {
  const entry = (id, url) => ({ id, url, userTypedURL: url, title: `Title of ${url}` });
  const urls = ["chrome://newtab/", "https://b.test/secret", "https://a.test/"];
  const answer = { currentIndex: 2, entries: urls.map((url, id) => entry(id, url)) };
  const told = withoutOthers(policy(["a.test"]), "Page.getNavigationHistory", answer);
  assert.equal(told.currentIndex, 2);
  assert.deepEqual(told.entries[1], { id: 1, url: "", userTypedURL: "", title: "" });
  assert.deepEqual([told.entries[0], told.entries[2]], [answer.entries[0], answer.entries[2]]);
  assert.equal(withoutOthers(policy([]), "Runtime.evaluate", answer), answer);
});

test("files are handed over only with uploads", () => {
  const files = { files: ["/etc/passwd"] };
  const without = makePolicy({ visited: ["*"] });
  const drop = { type: "drop", data: { items: [], ...files } };
  assert.throws(() => checkCommand(without, "DOM.setFileInputFiles", files), { reason: "policy" });
  assert.throws(() => checkCommand(without, "Input.dispatchDragEvent", drop), { reason: "policy" });
  checkCommand(makePolicy({ visited: ["*"] }, [], { uploads: true }), "DOM.setFileInputFiles", files);
});
