// Wakes the worker when Chrome ends it: the port closes then, and opening another starts the worker
// again. Nothing else lives here, for the worker would have to be asked about everything anyway.

function hold() {
  const port = chrome.runtime.connect({ name: "waker" });
  port.onDisconnect.addListener(hold);
}

hold();
