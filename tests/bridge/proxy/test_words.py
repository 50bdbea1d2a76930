"""CDP, read no further than it has to be."""

import json

import pytest

from bridge.proxy import words
from bridge.proxy.words import Message, read_message


@pytest.mark.parametrize(
    "said",
    [
        {"id": 1, "method": "A.b", "params": {"deep": [1, {"x": None}]}, "sessionId": "t1"},
        {"id": 1, "result": {}},
        {"id": 1, "error": {"code": 1, "message": "no"}, "sessionId": ""},
        {"method": "A.b", "params": {}},
    ],
)
def test_as_it_came(said: dict[str, object]) -> None:
    """A message is written as it was read."""
    message = read_message(json.dumps(said).encode())
    assert message is not None
    assert json.loads(words.encode(message)) == said


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"[]",
        b"{",
        b'{"id":1.5}',
        b'{"id":"1"}',
        b'{"method":7}',
        b"\xff",
        b'{"id":1e300}',
        b'{"id":9007199254740992}',
        b"[" * 100_000,
    ],
)
def test_no_message(said: bytes) -> None:
    """What is none is told apart, and raises nothing."""
    assert read_message(said) is None


@pytest.mark.parametrize("params", [None, [], 7, "x"])
def test_params_that_are_no_table(params: object) -> None:
    """Parameters of another kind count as none."""
    message = read_message(json.dumps({"id": 1, "params": params}).encode())
    assert message is not None
    assert words.params_of(message) == {}


def test_answers() -> None:
    """An answer goes to the session the call came from."""
    call = Message(id=3, method="A.b", session_id="t1")
    assert json.loads(words.answer(call, {"x": 1})) == {
        "id": 3,
        "result": {"x": 1},
        "sessionId": "t1",
    }
    assert json.loads(words.refusal(call, -1, "no"))["error"] == {"code": -1, "message": "no"}
