// The sign on the extension's button. Decided from the state alone, so it is never out of date.

const SIGNS = {
  paused: { text: "‖", color: "#5f6368", title: "paused" },
  refused: { text: "!", color: "#c5221f", title: "a server was refused, or refused us" },
  asked: { text: "?", color: "#b06000", title: "a program asks for a tab" },
  connecting: { text: "…", color: "#b06000", title: "connecting" },
  idle: { text: "○", color: "#80868b", title: "no program is connected" },
};

// `links`: their states; `tabs`: how many are shared.
export function chooseSign({ paused, links, tabs, asked }) {
  if (paused) {
    return SIGNS.paused;
  }
  if (asked) {
    return SIGNS.asked;
  }
  if (links.includes("ready")) {
    const many = `${tabs} shared ${tabs === 1 ? "tab" : "tabs"}`;
    return { text: String(tabs), color: "#188038", title: many };
  }
  if (links.includes("refused")) {
    return SIGNS.refused;
  }
  return links.length ? SIGNS.connecting : SIGNS.idle;
}

export function createBadge({ chrome }) {
  let shown = "";
  return {
    show(state) {
      const { text, color, title } = chooseSign(state);
      if (shown === text + title) {
        return;
      }
      shown = text + title;
      chrome.action.setBadgeText({ text });
      chrome.action.setBadgeBackgroundColor({ color });
      chrome.action.setTitle({ title: `chrome-bridge: ${title}` });
    },
  };
}
