// What the pages have in common. Text of others only ever becomes text, never markup.

export const ask = (message) => chrome.runtime.sendMessage(message);
export const byId = (id) => document.getElementById(id);

// An element with properties and children.
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// Where a tab is, in few words.
export function place(url) {
  try {
    return new URL(url).host || url;
  } catch {
    return url;
  }
}

// Words of an error as a sentence.
export const sentence = (text) => text && text[0].toUpperCase() + text.slice(1).replace(/[.!]?$/, ".");

export const count = (number, thing) => `${number} ${thing}${number === 1 ? "" : "s"}`;

export const STATES = {
  ready: "connected",
  connecting: "connecting",
  waiting: "not answering",
  refused: "refused",
  over: "gone",
};

export const HOST_HINT =
  "No program has introduced itself to this browser yet. Run “chrome-bridge extension install” once, or pair by hand in the options.";
