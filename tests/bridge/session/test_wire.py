"""Texts to values and back: whatever arrives is a reply, an event or noise, and never an error."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import cdp
from bridge.cdp.text import scrub_text
from bridge.session import wire
from tests.support.patient import patient

NAMES = st.sampled_from(["id", "code", "message", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)  # surrogates included


def told(message: object) -> Any:
    """Sorted by the parser; texts are JSON-escaped as Chrome does it."""
    return wire.parse(json.dumps(message, separators=(",", ":")).encode())


def plain(raw: msgspec.Raw) -> Any:
    return msgspec.json.decode(raw)


def test_reply() -> None:
    """An answer to a command is a reply with its payload undecoded."""
    reply = told({"id": 7, "result": {"a": 1}, "sessionId": "S"})
    assert isinstance(reply, wire.Reply)
    assert (reply.id, reply.session, reply.error) == (7, "S", None)
    assert bytes(reply.result) == b'{"a":1}'


def test_fault() -> None:
    """An answer with an error carries code, message and data."""
    reply = told({"id": 7, "error": {"code": -32000, "message": "no", "data": [1]}})
    assert isinstance(reply, wire.Reply)
    assert reply.error is not None
    assert (reply.error.code, reply.error.message) == (-32000, "no")
    assert plain(reply.error.data) == [1]


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (b'{"id":7,"error":"boom"}', b'"boom"'),
        (b'{"id":7,"error":[1]}', b"[1]"),
        (b'{"error":{"message":null},"id":7}', b'{"message":null}'),
        (b'{"id":7,"error":{"code":"x","message":"\\ud800"}}', b'{"code":"x","message":"\\ufffd"}'),
        (b'{"id":7,"result":{},"sessionId":[]}', b""),
    ],
)
def test_malformed_reply(message: bytes, error: bytes) -> None:
    """An answer whose members have other shapes is still a reply: one that says it is malformed."""
    reply = wire.parse(message)
    assert isinstance(reply, wire.Reply)
    assert reply.error is not None
    assert (reply.id, reply.error.code) == (7, wire.MALFORMED)
    assert bytes(reply.error.data) == error


def test_event() -> None:
    """A method without an id is an event."""
    event = told({"method": "A.b", "params": {"x": 1}, "sessionId": "S"})
    assert isinstance(event, wire.Event)
    assert (event.method, event.session, bytes(event.params)) == ("A.b", "S", b'{"x":1}')


def test_bare_messages() -> None:
    """Params and results may be left out, and the browser's own messages name no session."""
    event, reply = told({"method": "A.b"}), told({"id": 1})
    assert (plain(event.params), event.session) == ({}, "")
    assert (plain(reply.result), reply.session) == ({}, "")


@pytest.mark.parametrize(
    "message",
    [
        b'{"result":{},"id":3}',
        b'{ "id" : 3, "result" : {} }',
        b'{"sessionId":"S","id":3.0,"result":{},"new":[1]}',
    ],
)
def test_order_of_members(message: bytes) -> None:
    """A reply is known however its members are ordered, spaced and written."""
    reply = wire.parse(message)
    assert isinstance(reply, wire.Reply)
    assert reply.id == 3


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\0",
        b"null",
        b"[]",
        b"{}",
        b"12",
        b'"text"',
        b'{"id":1',
        b'{"id":"x"}',
        b'{"method":5}',
        b'{"id":1,"result":{}}trailing',
        b"\xff\xfe",
        b'{"id":1,"result":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b"<!doctype html>",
    ],
)
def test_noise(message: bytes) -> None:
    """What is neither is noise with a reason."""
    noise = wire.parse(message)
    assert isinstance(noise, wire.Noise)
    assert noise.why


@patient
@given(st.binary(max_size=200))
def test_random_bytes(message: bytes) -> None:
    """Random bytes never raise."""
    assert isinstance(wire.parse(message), wire.Reply | wire.Event | wire.Noise)


@patient
@given(st.dictionaries(st.sampled_from(["id", "method", "params", "result", "error"]), JSON))
def test_random_messages(message: dict[str, object]) -> None:
    """Members of any shape never raise."""
    assert isinstance(told(message), wire.Reply | wire.Event | wire.Noise)


@patient
@given(st.data())
def test_mutilated_messages(data: st.DataObject) -> None:
    """A true message with bytes replaced never raises."""
    message = bytearray(b'{"method":"A.b","params":{"t":"\\ud83d\\ude00 \\ud800"},"sessionId":"S"}')
    for place in data.draw(st.lists(st.integers(0, len(message) - 1), max_size=4)):
        message[place] = data.draw(st.integers(0, 255))
    assert isinstance(wire.parse(bytes(message)), wire.Reply | wire.Event | wire.Noise)


CUT = "cut \ud83d"
MENDED = "cut \ufffd"


def test_surrogate_in_result() -> None:
    """A lone surrogate in a result is replaced, and the reply is kept."""
    reply = told({"id": 1, "result": {CUT: [CUT, "\U0001f600"]}})
    assert isinstance(reply, wire.Reply)
    assert plain(reply.result) == {MENDED: [MENDED, "\U0001f600"]}


def test_surrogate_in_event() -> None:
    """A lone surrogate in an event, even in its name, is replaced, and the event is kept."""
    event = told({"method": CUT, "params": {"a": CUT}, "sessionId": CUT})
    assert isinstance(event, wire.Event)
    assert (event.method, event.session) == (MENDED, MENDED)
    assert plain(event.params) == {"a": MENDED}


def test_surrogate_in_error() -> None:
    """A lone surrogate in an error text is replaced, and the error is kept."""
    reply = told({"id": 1, "error": {"code": 1, "message": CUT, "data": CUT}})
    assert isinstance(reply, wire.Reply)
    assert reply.error is not None
    assert (reply.error.message, plain(reply.error.data)) == (MENDED, MENDED)


def test_surrogate_with_late_id() -> None:
    """A reply that is first tried as an event is mended all the same."""
    reply = wire.parse(b'{"method":null,"result":{"a":"\\ud800"},"id":3}')
    assert isinstance(reply, wire.Reply)
    assert plain(reply.result) == {"a": "\ufffd"}


@patient
@given(ANY_TEXT)
def test_any_text_arrives(text: str) -> None:
    """Any JavaScript string arrives, only its unpaired halves replaced."""
    event = told({"method": "A.b", "params": {"text": text}})
    assert isinstance(event, wire.Event)
    assert plain(event.params) == {"text": scrub_text(text)}


def test_not_utf8() -> None:
    """Bytes that are no UTF-8 cost no message: payloads wait for their reader, text is mended."""
    event = wire.parse(b'{"method":"A.b","params":{"a":"\xff"}}')
    assert isinstance(event, wire.Event)
    with pytest.raises(wire.UNREADABLE):
        plain(event.params)
    reply = wire.parse(b'{"id":1,"error":{"message":"\xff"}}')
    assert isinstance(reply, wire.Reply)
    assert reply.error is not None
    assert reply.error.message == "\ufffd"


def test_encode() -> None:
    """A command is written as Chrome reads it; what was not given is not sent."""
    navigate = cdp.page.navigate("https://example.com/ä", referrer="r")
    assert wire.encode(5, navigate.method, navigate.params, "S").decode() == (
        '{"id":5,"method":"Page.navigate",'
        '"params":{"url":"https://example.com/ä","referrer":"r"},"sessionId":"S"}'
    )
    assert wire.encode(6, "Page.enable", None) == b'{"id":6,"method":"Page.enable"}'


@patient
@given(url=ANY_TEXT, name=ANY_TEXT)
def test_encode_any_text(url: str, name: str) -> None:
    """Any string can be sent, as a value and as a key; unpaired halves become U+FFFD."""
    argument = cdp.runtime.CallArgument(value={name: [url, 1, None, True]})
    call = cdp.runtime.call_function_on("f", arguments=[argument])
    sent = json.loads(wire.encode(1, call.method, call.params))
    value = {scrub_text(name): [scrub_text(url), 1, None, True]}
    assert sent["params"]["arguments"] == [{"value": value}]
