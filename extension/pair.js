// Asks for the code that pairs this browser with a program. Whom it is for is what the worker has
// found at the program's own page; the worker never sees the code, only what came of it.

import { createExchange, isCode } from "./code.js";
import { ask, byId, make } from "./page.js";

const CONNECTED_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 200;
const AGAIN = "Reload the page you came from and press its button again.";
const SAID = {
  wrongCode: ({ left }) =>
    `This is not the code, or not any more: it changes every minute. ${left} more ${left === 1 ? "try" : "tries"}.`,
  tooMany: () => `Five wrong codes. For your safety this page is closed now; in two minutes, begin again. ${AGAIN}`,
  tooLate: () => "This has taken too long. Type the code that is shown now.",
  gone: () => `The program does not answer any more. Start it again. ${AGAIN}`,
  stranger: () => `Another program answers in place of the one you came from. Nothing was given to it. ${AGAIN}`,
};
const LAST = ["tooMany", "stranger"];

const pair = createExchange({ crypto, fetch: (...given) => fetch(...given), extensionId: chrome.runtime.id });
const { introduced } = await chrome.storage.session.get({ introduced: null });

const tell = (text) => (byId("told").textContent = text);

// A page that has done its work, or must not go on, asks for nothing any more.
async function finish(text) {
  byId("form").hidden = true;
  await chrome.storage.session.remove("introduced");
  tell(text);
}

async function find(serverId) {
  const { clients } = await ask({ ask: "state" });
  return clients.find((each) => each.serverId === serverId);
}

async function isConnected({ serverId }) {
  const end = performance.now() + CONNECTED_WITHIN_MS;
  while (performance.now() < end) {
    if ((await find(serverId))?.state === "ready") {
      return true;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return false;
}

async function connect(code) {
  const token = await pair(introduced, code);
  tell("The code is right. Connecting…");
  const answer = await ask({ do: "pair", text: `${introduced.port}:${token}`, remember: false });
  if (answer?.error || !(await isConnected(introduced))) {
    await finish(`The code was right, but there is no connection. ${AGAIN}`);
    return;
  }
  await finish(`${introduced.clientName} is connected. It sees the tabs you share with it, by the button of the extension, and those it opens itself. You can close this page.`);
}

async function explain(error) {
  const said = SAID[error.kind]?.(error) ?? `The program has refused: ${error.kind ?? error.message}.`;
  if (LAST.includes(error.kind) || (error.kind === "wrongCode" && error.left === 0)) {
    await finish(error.kind === "wrongCode" ? SAID.tooMany() : said);
    return;
  }
  tell(said);
  byId("code").select();
}

byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const code = byId("code").value;
  if (!isCode(code)) {
    tell("A code has eight letters and digits, like K7M2-X0QD.");
    return;
  }
  byId("pair").disabled = true;
  tell("Looking…");
  await connect(code).catch(explain);
  byId("pair").disabled = false;
});

if (introduced === null) {
  byId("about").textContent = "No program is asking for this browser. Open the page that “chrome-bridge extension status --show-pairing” names, and press its button.";
} else if ((await find(introduced.serverId))?.state === "ready") {
  await finish(`${introduced.clientName} is connected already. You can close this page.`);
} else {
  byId("title").textContent = "Let a program work in this browser?";
  byId("about").append("It calls itself ", make("b", { dir: "auto", textContent: introduced.clientName }), `, on port ${introduced.port} of this computer. It will see only the tabs that you share with it and those it opens.`);
  byId("form").hidden = false;
  byId("code").focus();
}
