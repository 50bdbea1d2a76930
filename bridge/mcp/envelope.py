"""One line in, one JSON-RPC message out, or the refusals it earns.

The SDK drops what it cannot read, and a client then waits for an answer for ever. Here everything
with a readable id is answered, even when the line around the id is broken; what has none is
answered with the id null. Replies are never answered: a loop of errors would be the result.

Knows nothing of the SDK, so that reading can begin before that has been imported.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, NoReturn

from bridge.mcp.lines import HEAD, Overlong

PARSE_ERROR, INVALID_REQUEST = -32700, -32600  # JSON-RPC 2.0, section 5.1
_BOM = b"\xef\xbb\xbf"
_BATCH = 100  # refusals that one batch may cause
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)


class Kind(Enum):
    """What a message is for."""

    REQUEST = "request"
    NOTIFICATION = "notification"
    REPLY = "reply"


@dataclass(frozen=True, slots=True)
class Message:
    """A message that has the form of one; what is in it is somebody else's business."""

    kind: Kind
    body: dict[str, Any]
    size: int

    @property
    def method(self) -> str:
        return str(self.body.get("method", ""))


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error to send back."""

    id: object
    code: int
    why: str

    def encode(self) -> bytes:
        error = {"code": self.code, "message": self.why}
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}).encode() + b"\n"


def is_ping(message: Message) -> bool:
    """A ping that says nothing else."""
    asked = message.kind is Kind.REQUEST and message.method == "ping"
    return asked and not message.body.get("params")


def is_bare(params: object) -> bool:
    """Parameters that say nothing but, perhaps, where a client wants to hear of progress.

    Clients add notes of their own (the number of a conversation), which mean nothing to anybody
    else. Notes under names that the protocol reserves do.
    """
    if not isinstance(params, dict | None) or set(params or {}) - {"_meta"}:
        return False
    meta = (params or {}).get("_meta", {})
    if not isinstance(meta, dict) or any(_is_reserved(name) for name in meta):
        return False
    token = meta.get("progressToken", "")
    return isinstance(token, str | int) and not isinstance(token, bool)


def _is_reserved(name: str) -> bool:
    labels = name.partition("/")[0].split(".") if "/" in name else []
    return "mcp" in labels or "modelcontextprotocol" in labels


def reply(message: Message, result: dict[str, Any]) -> bytes:
    """The line that answers a request."""
    body = {"jsonrpc": "2.0", "id": message.body["id"], "result": result}
    return _line(body)


def request(found: str, method: str, params: dict[str, Any]) -> bytes:
    """The line that asks for an answer."""
    body = {"jsonrpc": "2.0", "id": found, "method": method, "params": params}
    return _line(body)


def notification(method: str, params: dict[str, Any] | None = None) -> bytes:
    """The line that tells something nobody answers."""
    body = {"jsonrpc": "2.0", "method": method} | ({"params": params} if params else {})
    return _line(body)


def _line(body: dict[str, Any]) -> bytes:
    """What no UTF-8 can carry, and a client can all the same have us repeat, is replaced."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def read(line: bytes | Overlong) -> list[Message | Refusal]:
    """What a line says: one message, refusals, or nothing (an empty line, a reply to nobody)."""
    if isinstance(line, Overlong):
        why = "the line is longer than this server reads"
        return [Refusal(readable_id(line.head), PARSE_ERROR, why)]
    text = line.strip().removeprefix(_BOM)
    if not text:
        return []
    try:
        body = json.loads(text.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        return [Refusal(readable_id(text[:HEAD]), PARSE_ERROR, _reason(error))]
    if isinstance(body, list):
        return list(_refused_batch(body))
    if not isinstance(body, dict):
        return [Refusal(None, INVALID_REQUEST, "a message is a JSON object")]
    return _sorted(body, len(line))


def _sorted(body: dict[str, Any], size: int) -> list[Message | Refusal]:
    is_reply = "method" not in body and ("result" in body or "error" in body)
    why = _fault(body, is_reply)
    if is_reply:
        return [] if why else [Message(Kind.REPLY, _answered(body), size)]
    if why:
        return [Refusal(_echo(body.get("id")), INVALID_REQUEST, why)]
    return [Message(Kind.REQUEST if "id" in body else Kind.NOTIFICATION, body, size)]


def _fault(body: dict[str, Any], is_reply: bool) -> str:
    """Why this is no message of JSON-RPC 2.0 as MCP uses it; empty if it is one."""
    if body.get("jsonrpc") != "2.0":
        return 'the member "jsonrpc" has to be "2.0"'
    if "id" in body and (isinstance(body["id"], bool) or not isinstance(body["id"], str | int)):
        return 'the member "id" has to be a string or a whole number'
    if isinstance(body.get("id"), str) and not _sendable(body["id"]):
        return 'the member "id" holds half a surrogate pair'
    if is_reply:
        return "" if "id" in body else "a reply has an id"
    if not isinstance(body.get("method"), str):
        return 'the member "method" has to be a string'
    if not isinstance(body.get("params"), dict | None):
        return 'the member "params" has to be an object'
    return ""


def _answered(body: dict[str, Any]) -> dict[str, Any]:
    """A reply; of one that is broken, that it is: a call may be waiting for it."""
    why = _reply_fault(body)
    if not why:
        return body
    return {"jsonrpc": "2.0", "id": body["id"], "error": {"code": INVALID_REQUEST, "message": why}}


def _reply_fault(body: dict[str, Any]) -> str:
    if "result" in body:
        return "" if isinstance(body["result"], dict) else "a result is an object"
    match body["error"]:
        case {"code": int(), "message": str()}:
            return ""
    return "an error has a code and a message"


def _sendable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refused_batch(batch: list[Any]) -> Iterator[Refusal]:
    why = "batches are not part of this protocol; send one message a line"
    ids = [_echo(each["id"]) for each in batch if isinstance(each, dict) and "id" in each]
    for found in ids[:_BATCH] or [None]:
        yield Refusal(found, INVALID_REQUEST, why)


def _echo(found: object) -> object:
    """The id as it may be sent back: numbers and strings, as they came."""
    if isinstance(found, bool) or not isinstance(found, str | int | float):
        return None
    return found if not isinstance(found, float) or math.isfinite(found) else None


def readable_id(head: bytes) -> object:
    """The id of a message that cannot be parsed, if it stands there whole; else None."""
    before, last, inside = "", "", 0
    candidate: str | None = None
    for match in _TOKEN.finditer(head.decode(errors="replace")):
        token = match[0]
        if candidate is not None:
            return _scalar(candidate) if token in ",}" else None
        if inside == 1 and before == '"id"' and last == ":":
            candidate = token
        inside += (token in ("{", "[")) - (token in ("}", "]"))
        before, last = last, token
    return None


def _scalar(token: str) -> object:
    try:
        value = json.loads(token, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return None if "\ufffd" in token else _echo(value)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _reason(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "the message is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "the line is not valid UTF-8"
    if not isinstance(error, json.JSONDecodeError) and "digits" in str(error):
        return "the line holds a whole number of too many digits"
    return f"the line is not valid JSON: {error}"[:200]
