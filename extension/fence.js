// Keeps Chrome's own request rules in step with what is shared: one session rule set for all
// clients, each limited to its tabs. Written whole each time, so that no old rule can be forgotten.

import { closed, newbornRulesOf, rulesOf } from "./rules.js";

export function createFence({ chrome }) {
  let written = Promise.resolve();
  let latest = "";
  let ids = null; // of the rules that are there, once they are known

  async function write(rules) {
    const text = JSON.stringify(rules);
    if (text === latest) {
      return;
    }
    ids ??= (await chrome.declarativeNetRequest.getSessionRules()).map(({ id }) => id);
    try {
      await replace(rules);
      latest = text;
    } catch (error) {
      latest = "";
      await replace(closed(rules));
      throw error;
    }
  }

  async function replace(rules) {
    await chrome.declarativeNetRequest.updateSessionRules({ removeRuleIds: ids, addRules: rules });
    ids = rules.map(({ id }) => id);
  }

  // `shared`: for each client its policy, its tabs, and where new ones come from. Resolves when
  // Chrome acts on it.
  function raise(shared) {
    const rules = [];
    for (const { policy, tabIds, newborn } of shared) {
      rules.push(...rulesOf(policy, tabIds, rules.length + 1));
      rules.push(...newbornRulesOf(policy, newborn, rules.length + 1));
    }
    written = written.then(
      () => write(rules),
      () => write(rules),
    );
    return written;
  }

  return { raise };
}
