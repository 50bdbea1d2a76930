// What goes wrong, as CDP says it. Chrome's own errors keep their code; ours carry a reason, so
// that nobody at the other end has to read sentences.

export const NO_METHOD = -32601;
export const NO_SESSION = -32001;
const FAILED = -32000;
const WORKER_ENDING = "No SW"; // Chrome's word to a worker it is just ending

export class Refusal extends Error {
  constructor(reason, message, code = FAILED) {
    super(message);
    this.reason = reason;
    this.code = code;
  }
}

// The `error` of an answer.
export function toFault(error) {
  if (error instanceof Refusal) {
    return { code: error.code, message: error.message, data: { reason: error.reason } };
  }
  const text = String(error?.message ?? error);
  const fault = readFault(text);
  if (fault) {
    return fault;
  }
  if (text.startsWith("Debugger is not attached")) {
    return { code: NO_SESSION, message: "Session with given id not found." };
  }
  if (text === WORKER_ENDING) {
    return { code: FAILED, message: text, data: { reason: "outcomeUnknown" } };
  }
  return { code: FAILED, message: text };
}

// chrome.debugger rejects with CDP's error as JSON in the message.
function readFault(text) {
  if (!text.startsWith("{")) {
    return null;
  }
  try {
    const { code, message, data } = JSON.parse(text);
    return Number.isInteger(code) ? { code, message: String(message), data } : null;
  } catch {
    return null;
  }
}
