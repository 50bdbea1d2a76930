// What the page's origin keeps in local and session storage.

// Runs with the area; what the page's circumstances or its quota refuse is told as a failure.
function withArea(name, use) {
  try {
    return use(name === "local" ? localStorage : sessionStorage);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return fail("EVAL_THREW", `the page's storage cannot be used: ${error.message}`);
  }
}

// As pairs: an object would sort keys that are numbers, and lose `__proto__`.
lib.storedItems = (area) =>
  withArea(area, (stored) => {
    const keys = Array.from({ length: stored.length }, (_, index) => stored.key(index));
    return keys.map((key) => [key, stored.getItem(key)]);
  });

lib.storeItem = (area, key, value) => withArea(area, (stored) => stored.setItem(key, value));

lib.removeStored = (area, key) =>
  withArea(area, (stored) => {
    const had = stored.getItem(key) !== null;
    stored.removeItem(key);
    return had;
  });

lib.clearStored = (area) =>
  withArea(area, (stored) => {
    const number = stored.length;
    stored.clear();
    return number;
  });
