"""What a line says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.mcp.envelope import (
    INVALID_REQUEST,
    PARSE_ERROR,
    Kind,
    Message,
    Refusal,
    read,
    readable_id,
)
from bridge.mcp.lines import Overlong
from tests.support.malformed import MALFORMED, Malformed


@pytest.mark.parametrize("case", MALFORMED, ids=lambda case: case.name)
def test_malformed(case: Malformed) -> None:
    """A refusal carries an id that stands in the line, and a line that is fine has none."""
    refused = [found.id for found in read(case.line) if isinstance(found, Refusal)]
    if case.fine or not case.answered:
        assert refused == []
    elif refused:  # the rest has the form of a message, and is refused by whom it concerns
        assert refused == list(case.answered)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', Kind.REQUEST),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":null}', Kind.REQUEST),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', Kind.NOTIFICATION),
        (b'{"jsonrpc":"2.0","id":1,"result":{}}', Kind.REPLY),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}', Kind.REPLY),
    ],
)
def test_kind(line: bytes, kind: Kind) -> None:
    """A message is a request, a notification or a reply."""
    (found,) = read(line)
    assert isinstance(found, Message)
    assert (found.kind, found.body, found.size) == (kind, json.loads(line), len(line))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"a":"\xff"}', "UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a":' + b"9" * 5_000 + b"}", "of too many digits"),
        (b'{"a":Infinity}', "Infinity"),
        (b"{", "not valid JSON"),
    ],
)
def test_reason(line: bytes, why: str) -> None:
    """A parse error says what is wrong."""
    (found,) = read(line)
    assert isinstance(found, Refusal)
    assert found.code == PARSE_ERROR
    assert why in found.why


def test_encoded() -> None:
    """A refusal is one line of JSON-RPC, also when the id is half a surrogate pair."""
    line = Refusal("\ud83d", INVALID_REQUEST, "no").encode()
    assert json.loads(line) == {
        "jsonrpc": "2.0",
        "id": "\ud83d",
        "error": {"code": INVALID_REQUEST, "message": "no"},
    }
    assert line.count(b"\n") == 1


def test_overlong() -> None:
    """An overlong line is refused under the id in its beginning."""
    (found,) = read(Overlong(b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"xxx'))
    assert found == Refusal(7, PARSE_ERROR, "the line is longer than this server reads")


def test_long_batch() -> None:
    """A batch is refused a hundred times at most."""
    assert len(read(json.dumps([{"id": n} for n in range(1000)]).encode())) == 100


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b'{"id":5,', 5),
        (b'{"id" : "a b\\"c" }', 'a b"c'),
        (b'{"params":{"id":6},"id":5,"x', 5),
        (b'{"params":{"id":6},', None),
        (b'{"params":"id","id":5}', 5),
        (b'{"id":', None),
        (b'{"id":12', None),
        (b'{"id":"cut', None),
        (b'{"id":{"a":1}}', None),
        (b'{"id":true}', None),
        (b'{"id":"\xff"}', None),
        (b"", None),
    ],
)
def test_readable_id(head: bytes, found: object) -> None:
    """The id counts where it is the message's own and whole."""
    assert readable_id(head) == found


@given(st.binary())
def test_any_line(line: bytes) -> None:
    """No line breaks the reader."""
    for found in read(line.replace(b"\n", b"")):
        assert isinstance(found, Message | Refusal)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["id", "method", "a"]), inner)
        ),
    )
)
def test_any_json(value: object) -> None:
    """No JSON breaks the reader, and every refusal can be sent."""
    for found in read(json.dumps(value).encode()):
        if isinstance(found, Refusal):
            json.loads(found.encode())
