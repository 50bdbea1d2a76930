// Keeps Chrome's own request rules in step with what is shared: one session rule set for all
// clients, each limited to its tabs. Written whole each time, so that no old rule can be forgotten.

import { rulesOf } from "./policy.js";

export function createFence({ chrome }) {
  let written = Promise.resolve();
  let latest = "";

  async function write(rules) {
    const text = JSON.stringify(rules);
    if (text === latest) {
      return;
    }
    const old = await chrome.declarativeNetRequest.getSessionRules();
    const removeRuleIds = old.map(({ id }) => id);
    await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds, addRules: rules });
    latest = text;
  }

  // `shared`: for each client its policy and tabs. Resolves when Chrome acts on it.
  function raise(shared) {
    const rules = [];
    for (const { policy, tabIds } of shared) {
      rules.push(...rulesOf(policy, tabIds, rules.length + 1));
    }
    written = written.then(
      () => write(rules),
      () => write(rules),
    );
    return written;
  }

  return { raise };
}
