// What outlives the worker. Session storage ends with the browser, as consent does; local storage
// holds only what the person has settled: the pause, the label, the own list of refusals.

const AREAS = {
  session: { epoch: "", servers: [], groups: {}, tabs: {}, roots: {}, manual: [], asked: null },
  local: { instanceId: "", label: "", never: [], paused: false, remembered: [] },
};

export async function loadStore({ chrome, crypto }) {
  const read = ([area, defaults]) => chrome.storage[area].get(structuredClone(defaults));
  const state = Object.assign({}, ...(await Promise.all(Object.entries(AREAS).map(read))));
  const save = (key) => {
    const area = key in AREAS.session ? "session" : "local";
    // A full disk must not end a call that has done its work.
    return chrome.storage[area].set({ [key]: state[key] }).catch(() => undefined);
  };
  for (const key of ["epoch", "instanceId"]) {
    if (!state[key]) {
      state[key] = crypto.randomUUID();
      await save(key);
    }
  }
  return { state, save };
}
