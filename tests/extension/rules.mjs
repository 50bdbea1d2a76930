// What Chrome makes of request rules, as it was seen to.

// A domain is matched by all names below it, and with a dot at its end.
function fits({ regexFilter, requestDomains }, url) {
  const host = `.${new URL(url).hostname.replace(/\.$/, "")}`;
  const there = !requestDomains || requestDomains.some((each) => host.endsWith(`.${each}`));
  return there && new RegExp(regexFilter, "i").test(url); // case does not count
}

// The highest priority decides.
export function loads(rules, url) {
  const fitting = rules.filter(({ condition }) => fits(condition, url));
  const [first] = fitting.sort((one, other) => other.priority - one.priority);
  return first === undefined || first.action.type === "allow";
}
