// Has the worker started again as soon as Chrome has ended it: while a tab is attached, the worker
// is attached as well, so its end is an event, and an event starts it
// (docs/decisions/0016-where-the-socket-lives.md).

export function createWaker({ chrome }) {
  const url = chrome.runtime.getURL("background.js");
  let turn = Promise.resolve();
  let held = null;

  async function set(wanted) {
    if (wanted === (held !== null)) {
      return;
    }
    if (!wanted) {
      const debuggee = held;
      held = null;
      await chrome.debugger.detach(debuggee);
      return;
    }
    const targets = await chrome.debugger.getTargets();
    const self = targets.find((each) => each.type === "worker" && each.url === url);
    if (self) {
      await chrome.debugger.attach({ targetId: self.id }, "1.3");
      held = { targetId: self.id };
    }
  }

  return {
    set(wanted) {
      turn = turn.then(() => set(wanted)).catch(() => undefined); // the alarm wakes us as well
      return turn;
    },
  };
}
