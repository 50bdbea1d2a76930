"""What guests and the browser say to each other: CDP, read no further than it has to be.

Parameters and results pass through as they came. A message is made anew only where an id or the
name of a session in it has another meaning on the other side.
"""

from typing import Any

import msgspec

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a message raises."""

CONTEXT_ID = "C0FFEE" + "0" * 26
"""The one profile there is: clients want every target to name it."""

NO_METHOD, NO_SESSION, BAD_PARAMS, FAILED = -32601, -32001, -32602, -32000
NO_JSON, NO_CALL = -32700, -32600
"""Codes of errors, as CDP has them."""

_LAST = (1 << 53) - 1


class Message(msgspec.Struct, rename="camel", kw_only=True, omit_defaults=True):
    """A call, an answer or an event; which of them tells what is in it."""

    id: int | None = None
    method: str = ""
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()
    session_id: str | None = None


_decoder = msgspec.json.Decoder(Message)
encode = msgspec.json.encode
"""Of a message, or of anything else JSON can say."""


def read_message(raw: bytes) -> Message | None:
    """None for what is no message at all."""
    try:
        message = _decoder.decode(raw)
    except UNREADABLE:
        return None
    return None if message.id is not None and abs(message.id) > _LAST else message


def params_of(message: Message) -> dict[str, Any]:
    """The parameters, where they are read by ourselves; what is no table is an empty one."""
    if not message.params:
        return {}
    try:
        return msgspec.json.decode(message.params, type=dict[str, Any])
    except UNREADABLE:
        return {}


def event(method: str, params: object, session: str | None = None) -> bytes:
    """Something a guest is told."""
    return encode(Message(method=method, params=raw(params), session_id=session))


def answer(call: Message, result: object) -> bytes:
    """What a call of a guest is answered."""
    return encode(Message(id=call.id, result=raw(result), session_id=call.session_id))


def refusal(call: Message, code: int, why: str) -> bytes:
    """Why it is not."""
    error = raw({"code": code, "message": why})
    return encode(Message(id=call.id, error=error, session_id=call.session_id))


def raw(value: object) -> msgspec.Raw:
    """A value, written down."""
    return msgspec.Raw(encode(value))
