// Answers each line of standard input as the extension decides. A process for all of them, so that
// hundreds of cases made elsewhere can be compared.

import { createInterface } from "node:readline";

import { makePolicy, parseAddress, parsePattern, refuseVisit } from "../../extension/policy.js";
import { rulesOf } from "../../extension/rules.js";
import { loads } from "./rules.mjs";

function read(pattern) {
  try {
    return parsePattern(pattern);
  } catch {
    return null;
  }
}

function requested(policy, url) {
  return parseAddress(url) !== null && loads(rulesOf(policy, [1]), new URL(url).href);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { patterns, visited, never, url } = JSON.parse(line);
  const policy = makePolicy({ visited, never });
  const said = {
    patterns: patterns.map(read),
    visit: refuseVisit(policy, url) === "",
    request: requested(policy, url),
  };
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
