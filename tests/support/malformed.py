"""What a broken client may send, one line each, and the id under which it has to be answered.

No id at all means that silence is right: nothing was asked.
"""

import json
from dataclasses import dataclass

_PING = {"jsonrpc": "2.0", "id": 5, "method": "ping"}


@dataclass(frozen=True)
class Malformed:
    """Bytes on standard input, without the newline."""

    name: str
    line: bytes
    answered: tuple[object, ...]  # ids of the errors that come back, in order
    fine: bool = False  # odd, yet a good message: a result comes back, no error


def _line(value: object) -> bytes:
    return json.dumps(value).encode()


def _ping(**changed: object) -> bytes:
    return _line({**_PING, **changed})


def _without(*names: str) -> bytes:
    return _line({name: value for name, value in _PING.items() if name not in names})


def _call(arguments: bytes, number: int = 5) -> bytes:
    start = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":' % number
    return start + b'{"name":"echo","arguments":' + arguments + b"}}"


MALFORMED = [
    Malformed("garbage", b"hello there", (None,)),
    Malformed("empty line", b"", ()),
    Malformed("spaces", b"   \t ", ()),
    Malformed("half an object", b'{"jsonrpc":"2.0","id":5,"method":"pi', (5,)),
    Malformed("cut inside the id", b'{"jsonrpc":"2.0","method":"ping","id":5', (None,)),
    Malformed("id as text, then cut", b'{"id":"five","jsonrpc":"2.0","method":', ("five",)),
    Malformed("trailing comma", b'{"jsonrpc":"2.0","id":5,"method":"ping",}', (5,)),
    Malformed("single quotes", b"{'jsonrpc':'2.0','id':5,'method':'ping'}", (None,)),
    Malformed("two messages on a line", _ping() + _ping(id=6), (5,)),
    Malformed("comment", b'{"jsonrpc":"2.0","id":5,"method":"ping"} // hi', (5,)),
    Malformed("NaN", b'{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":NaN}}', (5,)),
    Malformed("a number", b"42", (None,)),
    Malformed("a string", b'"ping"', (None,)),
    Malformed("null", b"null", (None,)),
    Malformed("no version", _without("jsonrpc"), (5,)),
    Malformed("version 1.0", _ping(jsonrpc="1.0"), (5,)),
    Malformed("version as number", _ping(jsonrpc=2.0), (5,)),
    Malformed("no method", _without("method"), (5,)),
    Malformed("method as number", _ping(method=7), (5,)),
    Malformed("method null", _ping(method=None), (5,)),
    Malformed("empty method", _ping(method=""), (5,)),
    Malformed("unknown method", _ping(method="no/such"), (5,)),
    Malformed("params as list", _ping(params=[1]), (5,)),
    Malformed("params as text", _ping(params="x"), (5,)),
    Malformed("id null", _ping(id=None), (None,)),
    Malformed("id true", _ping(id=True), (None,)),
    Malformed("id 1.5", _ping(id=1.5), (1.5,)),
    Malformed("id as list", _ping(id=[5]), (None,)),
    Malformed("id as object", _ping(id={"a": 1}), (None,)),
    Malformed("id empty text", _ping(id=""), ("",), fine=True),
    Malformed("id negative", _ping(id=-1), (-1,), fine=True),
    Malformed("id of 30 digits", _ping(id=10**29), (10**29,), fine=True),
    Malformed("batch", _line([_PING, {**_PING, "id": "six"}]), (5, "six")),
    Malformed("empty batch", b"[]", (None,)),
    Malformed("byte order mark", b"\xef\xbb\xbf" + _ping(), (5,), fine=True),
    Malformed("carriage return", _ping() + b"\r", (5,), fine=True),
    Malformed("NUL", b'{"jsonrpc":"2.0","id":5,"method":"ping\x00"}', (5,)),
    Malformed("invalid UTF-8", _call(b'{"a":"\xff\xfe"}'), (5,)),
    Malformed("lone surrogate", _call(b'{"a":"\\ud83d"}'), (5,), fine=True),
    Malformed("lone surrogate as method", b'{"jsonrpc":"2.0","id":5,"method":"\\ud83d"}', (5,)),
    Malformed("nested 100,000 deep", _call(b"[" * 100_000 + b"]" * 100_000), (5,)),
    Malformed("a name of 1 MB", _line({**_PING, "method": "x" * 1_000_000}), (5,)),
    Malformed(
        "unknown cancel",
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
        (),
    ),
    Malformed("a reply nobody waits for", b'{"jsonrpc":"2.0","id":5,"result":{}}', ()),
    Malformed("a broken reply", b'{"jsonrpc":"2.0","id":[],"error":"no"}', ()),
    Malformed("notification with a fault", b'{"jsonrpc":"2.0","method":5}', (None,)),
    Malformed(
        "tool name as number",
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":5}}',
        (5,),
    ),
    Malformed("arguments as list", _call(b"[]"), (5,)),
]
