// The popup: which program is connected, which tabs it has, and the person's hand on all of it.

import { HOST_HINT, STATES, ask, byId, count, make, place } from "./page.js";

const REFRESH_MS = 1000;
let declined = "";

const [active] = await chrome.tabs.query({ active: true, currentWindow: true });

async function order(message) {
  const answer = await ask(message);
  await show(answer?.error ?? "");
}

function summarize({ paused, clients }) {
  const ready = clients.filter(({ state }) => state === "ready");
  if (paused) {
    return "Paused: nobody works in your tabs.";
  }
  const tabs = clients.reduce((sum, each) => sum + each.tabs.length, 0);
  return ready.length
    ? `${count(ready.length, "program")} connected, ${count(tabs, "tab")} shared`
    : "No program is connected.";
}

function describeTab({ tabId, title, url }) {
  const release = make("button", { type: "button", textContent: "Release" });
  release.setAttribute("aria-label", `Release ${title || url}`);
  release.addEventListener("click", () => order({ do: "release", tabId }));
  const name = make("p", { className: "cut", textContent: title || "Untitled", title: url });
  const where = make("p", { className: "cut quiet", textContent: place(url) });
  return make("div", { className: "tab row" }, make("div", { className: "grow" }, name, where), release);
}

function describeClient({ clientName, state, why, tabs }) {
  const dot = make("span", { className: `dot ${state}` });
  const name = make("h2", { className: "grow cut", textContent: clientName || "A program" });
  const shown = make("span", { className: "quiet", textContent: STATES[state] ?? state, title: why });
  const head = make("div", { className: "row" }, dot, name, shown);
  const rest = tabs.length ? tabs.map(describeTab) : [make("p", { className: "quiet", textContent: "No tab is shared with it." })];
  const reason = state === "refused" && why ? [make("p", { className: "quiet", textContent: why })] : [];
  return make("li", { className: "card" }, head, ...reason, ...rest);
}

function describeRefusal({ at, clientName, why }) {
  const time = new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return make("li", { textContent: `${time} ${clientName}: ${why}` });
}

function showSharing({ clients, paused }) {
  const owner = clients.find(({ tabs }) => tabs.some(({ tabId }) => tabId === active?.id));
  const able = clients.filter(({ state }) => state === "ready");
  byId("sharing").hidden = !active || paused || Boolean(owner) || able.length === 0;
  const select = byId("with");
  const chosen = select.value;
  select.hidden = able.length < 2;
  select.replaceChildren(...able.map(({ serverId, clientName }) => make("option", { value: serverId, textContent: clientName })));
  select.value = able.some(({ serverId }) => serverId === chosen) ? chosen : (able[0]?.serverId ?? "");
  byId("share").textContent = able.length === 1 ? `Share this tab with ${able[0].clientName}` : "Share this tab with";
}

function showAsked({ asked }) {
  byId("asked").hidden = !asked || declined === asked.serverId;
  if (asked) {
    const aim = asked.url ? ` for ${place(asked.url)}` : "";
    byId("question").textContent = `${asked.clientName} asks for a tab${aim}${asked.reason ? `: ${asked.reason}` : "."}`;
  }
}

async function show(problem) {
  const state = await ask({ ask: "state" });
  byId("summary").textContent = summarize(state);
  byId("pause").textContent = state.paused ? "Resume" : "Pause all";
  byId("pause").className = state.paused ? "main" : "";
  byId("clients").replaceChildren(...state.clients.map(describeClient));
  byId("nobody").hidden = state.clients.length > 0;
  byId("nobody").textContent = state.host === "ok" ? "A program that may use this browser appears here when it starts." : HOST_HINT;
  showAsked(state);
  showSharing(state);
  byId("refused").hidden = state.refusals.length === 0;
  byId("refusedTitle").textContent = `${count(state.refusals.length, "refusal")} lately`;
  byId("refusals").replaceChildren(...state.refusals.map(describeRefusal));
  if (problem !== undefined) {
    byId("problem").textContent = problem;
    byId("problem").hidden = !problem;
  }
  return state;
}

let last = await show();
byId("pause").addEventListener("click", async () => order({ do: (await ask({ ask: "state" })).paused ? "resume" : "pause" }));
byId("share").addEventListener("click", () => order({ do: "share", tabId: active.id, serverId: byId("with").value }));
byId("agree").addEventListener("click", async () => {
  const { asked } = await ask({ ask: "state" });
  if (asked) {
    await order({ do: "share", tabId: active.id, serverId: asked.serverId });
  }
});
byId("decline").addEventListener("click", () => {
  declined = last.asked?.serverId ?? "";
  byId("asked").hidden = true;
});
setInterval(async () => {
  if (!document.activeElement || document.activeElement === document.body) {
    last = await show(); // what has the focus is not pulled from under a hand
  }
}, REFRESH_MS);
