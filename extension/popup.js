// The popup: which program is connected, which tabs it has, and the person's hand on all of it.
// It is drawn anew only when something has changed, and the focus stays where it was.

import { HOST_HINT, STATES, ask, byId, count, make, place, sentence } from "./page.js";

const REFRESH_MS = 1000;
const SHAREABLE = /^(https?:|about:blank$|chrome:\/\/newtab\/?$|chrome:\/\/new-tab-page\/?$)/;

const [active] = await chrome.tabs.query({ active: true, currentWindow: true });
let drawn = "";
let seen = null; // what the person sees, and means by pressing a button

async function order(message) {
  const answer = await ask(message);
  byId("problem").textContent = answer?.error ? sentence(answer.error) : "";
  await show();
}

function summarize({ paused, clients }) {
  const ready = clients.filter(({ state }) => state === "ready");
  if (paused) {
    return "Paused: your tabs are left alone.";
  }
  const tabs = clients.reduce((sum, each) => sum + each.tabs.length, 0);
  return ready.length
    ? `${count(ready.length, "program")}, ${tabs ? count(tabs, "shared tab") : "no shared tab"}`
    : "No program is connected.";
}

function describeTab({ tabId, title, url }) {
  const release = make("button", { type: "button", id: `release-${tabId}`, textContent: "Release" });
  release.setAttribute("aria-label", `Release ${title || url}`);
  release.addEventListener("click", () => order({ do: "release", tabId }));
  const name = make("p", { className: "cut", dir: "auto", textContent: title || "A new tab", title: title || url });
  const where = make("p", { className: "cut quiet", textContent: place(url), title: url });
  return make("div", { className: "tab row" }, make("div", { className: "grow" }, name, where), release);
}

function describeClient({ clientName, state, why, tabs }) {
  const dot = make("span", { className: `dot ${state}` });
  const name = make("h2", { className: "grow cut", textContent: clientName, title: clientName });
  const shown = make("span", { className: "quiet", textContent: STATES[state] ?? state });
  const head = make("div", { className: "row" }, dot, name, shown);
  const none = state === "ready" ? "No tab is shared with it." : "";
  const said = [state === "refused" ? sentence(why) : "", tabs.length ? "" : none].filter(Boolean);
  const words = said.map((textContent) => make("p", { className: "quiet", textContent }));
  return make("li", { className: "card" }, head, ...words, ...tabs.map(describeTab));
}

function describeRefusal({ at, clientName, why }) {
  const time = new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return make("li", { textContent: `${time} ${clientName}: ${why}` });
}

// Why the tab in front cannot be shared; "" if it can.
function refuseActive({ incognito, url = "", pendingUrl = "" }) {
  if (incognito) {
    return "Tabs of an incognito window are never shared.";
  }
  return SHAREABLE.test(url || pendingUrl) ? "" : "This page cannot be shared: only web pages can, not those of Chrome, of extensions or of your disk.";
}

function showSharing({ clients, paused, asked }) {
  const owner = clients.find(({ tabs }) => tabs.some(({ tabId }) => tabId === active?.id));
  const able = clients.filter(({ state }) => state === "ready");
  byId("sharing").hidden = !active || paused || Boolean(owner) || able.length === 0;
  const why = active ? refuseActive(active) : "";
  byId("unshareable").textContent = why;
  byId("unshareable").hidden = !why;
  byId("agree").disabled = Boolean(why);
  byId("share").disabled = Boolean(why);
  byId("share").parentElement.hidden = Boolean(asked) && able.length === 1;
  showChoice(able);
}

function showChoice(able) {
  const select = byId("with");
  const chosen = select.value;
  const option = ({ serverId, clientName }) => make("option", { value: serverId, textContent: clientName });
  select.hidden = able.length < 2;
  select.replaceChildren(...able.map(option));
  select.value = able.some(({ serverId }) => serverId === chosen) ? chosen : (able[0]?.serverId ?? "");
  byId("share").textContent = able.length === 1 ? `Share this tab with ${able[0].clientName}` : "Share this tab with";
}

function showAsked({ asked, paused }) {
  byId("asked").hidden = !asked || paused;
  if (asked) {
    const aim = asked.url ? ` on ${place(asked.url)}` : "";
    const reason = asked.reason ? ` It says: “${asked.reason}”` : "";
    byId("question").textContent = `${asked.clientName} asks you to share a tab${aim}.${reason}`;
  }
}

function showRefusals({ refusals }) {
  byId("refused").hidden = refusals.length === 0;
  byId("refusedTitle").textContent = `${count(refusals.length, "refusal")} lately`;
  byId("refusals").replaceChildren(...refusals.map(describeRefusal));
}

function draw(state) {
  seen = state;
  const focus = document.activeElement?.id;
  byId("summary").textContent = summarize(state);
  byId("pause").textContent = state.paused ? "Resume" : "Pause";
  byId("pause").className = state.paused ? "main" : "";
  byId("clients").replaceChildren(...state.clients.map(describeClient));
  byId("nobody").hidden = state.clients.length > 0;
  byId("nobody").textContent = state.host === "ok" ? "A program that may use this browser appears here when it starts." : HOST_HINT;
  showAsked(state);
  showSharing(state);
  showRefusals(state);
  const there = focus ? byId(focus) : null;
  if (focus && (document.activeElement !== there || !there.checkVisibility())) {
    (there?.checkVisibility() ? there : byId("pause")).focus();
  }
}

async function show() {
  const state = await ask({ ask: "state" });
  const text = JSON.stringify(state);
  if (text !== drawn) {
    drawn = text;
    draw(state);
  }
  return state;
}

byId("pause").addEventListener("click", () => order({ do: seen.paused ? "resume" : "pause" }));
byId("share").addEventListener("click", () => order({ do: "share", tabId: active.id, serverId: byId("with").value }));
byId("agree").addEventListener("click", () => order({ do: "share", tabId: active.id, serverId: seen.asked.serverId }));
byId("decline").addEventListener("click", () => order({ do: "decline" }));
await show();
setInterval(show, REFRESH_MS);
