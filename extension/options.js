// The options: pairing by hand, the browser's name, and the person's own list of forbidden sites.

import { STATES, ask, byId, make, sentence } from "./page.js";
import { parsePattern } from "./policy.js";

const REFRESH_MS = 1500;
let drawn = "";
const HOSTS = {
  ok: ["ready", "Programs on this computer are found by themselves."],
  missing: ["refused", "Not set up: run “chrome-bridge extension install” in a terminal, once."],
  unknown: ["connecting", "Looking…"],
};

function showHost(host) {
  const [look, text] = HOSTS[host] ?? ["refused", `The program that tells of servers failed: ${host}`];
  byId("host").replaceChildren(make("span", { className: `dot ${look}` }), text);
}

function describeServer({ clientName, state, why }) {
  const dot = make("span", { className: `dot ${state}` });
  const reason = why && state !== "ready" ? ` (${why})` : "";
  const text = `${clientName}: ${STATES[state] ?? state}${reason}`;
  return make("li", { className: "row" }, dot, make("span", { textContent: text }));
}

function describePaired({ port }) {
  const forget = make("button", { type: "button", textContent: "Forget" });
  forget.setAttribute("aria-label", `Forget port ${port}`);
  forget.addEventListener("click", () => order({ do: "unpair", port }, "paired"));
  return make("li", { className: "row" }, make("span", { className: "grow", textContent: `Port ${port}` }), forget);
}

async function show() {
  const state = await ask({ ask: "state" });
  const text = JSON.stringify(state);
  if (text === drawn) {
    return state;
  }
  drawn = text;
  showHost(state.host);
  byId("servers").replaceChildren(...state.clients.map(describeServer));
  byId("manual").replaceChildren(...state.manual.map(describePaired));
  return state;
}

async function order(message, place, done = "Done.") {
  const answer = await ask(message);
  byId(place).textContent = answer?.error ? sentence(answer.error) : done;
  await show();
  return !answer?.error;
}

// What cannot be read would close everything, so it is not taken. Chrome takes blanks for part of a
// name, and the line would refuse nothing.
function isReadable(line) {
  try {
    return !/\s/.test(line) && Boolean(parsePattern(line));
  } catch {
    return false;
  }
}

const lines = (text) => text.split("\n").map((each) => each.trim()).filter(Boolean);

byId("pairing").addEventListener("submit", async (event) => {
  event.preventDefault();
  const paired = { do: "pair", text: byId("text").value, remember: byId("remember").checked };
  if (await order(paired, "paired", "Paired; the program connects now.")) {
    byId("text").value = "";
  }
});
byId("labelling").addEventListener("submit", (event) => {
  event.preventDefault();
  order({ do: "setLabel", label: byId("label").value.trim() }, "labelled", "Saved.");
});
byId("refusing").addEventListener("submit", (event) => {
  event.preventDefault();
  const list = lines(byId("never").value);
  const wrong = list.find((each) => !isReadable(each));
  if (wrong !== undefined) {
    byId("saved").textContent = `Not saved: “${wrong}” is not the name of a site.`;
    return;
  }
  order({ do: "setNever", list }, "saved", "Saved.");
});

byId("version").textContent = `Version ${chrome.runtime.getManifest().version}`;
const first = await show();
byId("label").value = first.label;
byId("never").value = first.never.join("\n");
setInterval(show, REFRESH_MS);
