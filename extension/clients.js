// A client is the program behind a server: its policy, what it has set at the root, its link. It
// outlives its link and, through `state.roots`, the worker.

import { makePolicy, NOTHING } from "./policy.js";

const SILENT = { discover: false, deny: false, downloadEvents: false };

// `connect(client)` gives it `answer`; `narrowed(client, before)` hears of every new policy.
export function createClients({ store, connect, narrowed, asked }) {
  const { state } = store;
  const all = new Map();

  function add({ serverId, clientName }) {
    const known = all.get(serverId);
    if (known) {
      known.name = clientName || known.name;
      return known;
    }
    const client = { serverId, name: clientName || "A program", policy: NOTHING };
    client.root = state.roots[serverId] ?? SILENT;
    client.policy = read(client.root.given);
    client.link = null;
    client.emit = (method, params, sessionId) => {
      client.link?.event(sessionId ? { method, params, sessionId } : { method, params });
    };
    client.setRoot = (changes) => {
      client.root = { ...client.root, ...changes };
      state.roots[serverId] = client.root;
      store.save("roots");
    };
    client.setPolicy = (given) => {
      const { sites, downloads, uploads } = given;
      client.setRoot({ given: { sites, downloads, uploads } });
      return decide(client);
    };
    client.ask = (request) => asked(client, request);
    client.answer = connect(client);
    all.set(serverId, client);
    return client;
  }

  const read = (given) => (given ? makePolicy(given.sites, state.never, given) : NOTHING);

  // The server's half and the person's, once more.
  async function decide(client) {
    const before = client.policy;
    client.policy = read(client.root.given);
    await narrowed(client, before);
  }

  function remove(serverId) {
    all.delete(serverId);
    delete state.roots[serverId];
    state.asked = state.asked?.serverId === serverId ? null : state.asked; // it asks for nothing now
    return Promise.all([store.save("roots"), store.save("asked")]);
  }

  return {
    add,
    remove,
    get: (serverId) => all.get(serverId),
    list: () => [...all.values()],
    policy: (serverId) => all.get(serverId)?.policy ?? NOTHING,
    name: (serverId) => all.get(serverId)?.name ?? "A program",
    decideAgain: () => Promise.all([...all.values()].map(decide)),
  };
}
