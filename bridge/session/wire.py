"""CDP texts to values and back: bytes -> Reply | Event | Noise. Pure.

Payloads stay undecoded (`msgspec.Raw`): a result is decoded in the task that asked for it, an event
only when somebody listens, so an odd payload can hurt nobody but its reader. Any page can put an
unpaired surrogate into a string; msgspec would refuse the whole message, so such a message is
scrubbed and read again. An answer with an id but no shape is still a reply: somebody waits for it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from bridge.cdp.text import scrub, scrub_text

EMPTY = msgspec.Raw(b"{}")

UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding raises: no JSON, another shape, no UTF-8 (Raw lets it pass), too deep."""

MALFORMED = -32097
"""Of our own: the code of a Fault that stands for a reply nobody can read."""


class Fault(msgspec.Struct, gc=False):
    """The `error` member of a reply."""

    code: int = 0
    message: str = ""
    data: msgspec.Raw = msgspec.Raw()


class Reply(msgspec.Struct, gc=False):
    """The answer to a command of ours."""

    id: int
    result: msgspec.Raw = EMPTY
    error: Fault | None = None
    session: str = msgspec.field(default="", name="sessionId")


class Event(msgspec.Struct, gc=False):
    """Something that happened; `session` is empty for the browser itself."""

    method: str
    params: msgspec.Raw = EMPTY
    session: str = msgspec.field(default="", name="sessionId")


@dataclass(frozen=True, slots=True)
class Noise:
    """Bytes that are neither; counted, never fatal."""

    why: str


class _Answer(msgspec.Struct, gc=False):
    id: int
    error: msgspec.Raw = msgspec.Raw()


class _Request(msgspec.Struct, omit_defaults=True, gc=False):
    id: int
    method: str
    params: msgspec.Struct | None = None
    session: str = msgspec.field(default="", name="sessionId")


_reply: Callable[[bytes], Reply | Event] = msgspec.json.Decoder(Reply, strict=False).decode
_event: Callable[[bytes], Reply | Event] = msgspec.json.Decoder(Event, strict=False).decode
_answer = msgspec.json.Decoder(_Answer, strict=False).decode
_encode = msgspec.json.Encoder().encode


def _malformed(message: bytes) -> Reply:
    answer = _answer(message)
    return Reply(answer.id, error=Fault(MALFORMED, data=answer.error))


# Chrome writes "id" first in replies; anything else is tried as an event, then as a reply.
_REPLY_FIRST = (_reply, _event, _malformed)
_EVENT_FIRST = (_event, _reply, _malformed)


def parse(message: bytes) -> Reply | Event | Noise:
    """Sort one message; never raises."""
    for decode in _REPLY_FIRST if message.startswith(b'{"id"') else _EVENT_FIRST:
        try:
            return decode(message)
        except msgspec.ValidationError:
            continue
        except UNREADABLE as error:
            return _scrubbed(message, error)
    return Noise("neither reply nor event")


def _scrubbed(message: bytes, error: Exception) -> Reply | Event | Noise:
    clean = scrub(message.decode("utf-8", "replace").encode())
    return Noise(f"not JSON: {error}") if clean == message else parse(clean)


def encode(number: int, method: str, params: msgspec.Struct | None, session: str = "") -> bytes:
    """One command as Chrome reads it; unpaired surrogates in arguments become U+FFFD."""
    request = _Request(number, method, params, session)
    try:
        return _encode(request)
    except UnicodeEncodeError:
        return _encode(_clean(msgspec.to_builtins(request)))


def _clean(value: object) -> object:
    match value:
        case str():
            return scrub_text(value)
        case list():
            return [_clean(item) for item in value]
        case dict():
            return {_clean(key): _clean(item) for key, item in value.items()}
        case _:
            return value
