// Keeps an offscreen page beside the worker while there is a server to talk to: it starts the
// worker again as soon as Chrome has ended it (docs/decisions/0016-where-the-socket-lives.md).

const PAGE = "offscreen.html";

export function createWaker({ chrome }) {
  let turn = Promise.resolve();

  async function set(wanted) {
    const there = await chrome.offscreen.hasDocument();
    if (wanted && !there) {
      const justification = "It notices when the service worker is ended, and starts it again.";
      await chrome.offscreen.createDocument({ url: PAGE, reasons: ["WORKERS"], justification });
    } else if (!wanted && there) {
      await chrome.offscreen.closeDocument();
    }
  }

  return {
    set(wanted) {
      turn = turn.then(() => set(wanted)).catch(() => undefined); // the alarm wakes us as well
      return turn;
    },
  };
}
