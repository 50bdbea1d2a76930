// Time, also where the document's scripts are switched off (a sandboxed frame, say): no timer fires
// there, not even one of ours. V8 itself keeps the time of a wait on shared memory.

const TIMELESS = matchMedia("(scripting: none)").matches;
let waited = null; // memory nobody ever writes to

function pause(ms) {
  return new Promise((resolve) => later(ms, resolve));
}

// Do it then; the result takes that back.
function later(ms, act) {
  if (!TIMELESS) {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  }
  let wanted = true;
  waited ??= new Int32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer);
  Atomics.waitAsync(waited, 0, 0, Math.max(ms, 1)).value.then(() => wanted && act());
  return () => (wanted = false);
}
