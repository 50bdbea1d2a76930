// Where a key arrived. Heard at the window, before the page: only what the page takes there before us,
// and what goes to another document or to the browser, is not.

let ear = null;

function listenForKey(field) {
  stopListeningForKey();
  ear = { field, hit: null, relieve: later(GUARD_MS, stopListeningForKey) };
  addEventListener("keydown", noteKey, { capture: true, passive: true });
}

function stopListeningForKey() {
  ear?.relieve();
  removeEventListener("keydown", noteKey, { capture: true });
  ear = null;
}

function noteKey(event) {
  if (event.isTrusted && ear) [ear.hit] = event.composedPath();
}

// {heard, astray}: `heard` is null where nobody listened, or nobody could; `astray` is the line of what
// got the key instead of the element.
function keyTold() {
  const { field, hit } = ear ?? {};
  const deaf = !ear || (!hit && FRAME_TAGS.has(deepFocus()?.localName));
  stopListeningForKey();
  if (deaf || !hit) return { heard: deaf ? null : false, astray: "" };
  beginReading();
  return { heard: true, astray: !field || getsKey(hit, field) ? "" : lineOf(hit) };
}

// In a closed shadow root the path begins at its host.
function getsKey(hit, field) {
  if (isWithin(hit, field) || (hit.isContentEditable && isWithin(field, hit))) return true;
  for (let host = field.getRootNode().host; host; host = host.getRootNode().host) if (host === hit) return true;
  return false;
}
