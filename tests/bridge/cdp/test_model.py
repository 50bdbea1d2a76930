"""The protocol description as typed values."""

import msgspec
import pytest

from bridge.cdp.model import Protocol, find_member, parse_protocol


def test_unknown_key() -> None:
    """A key nobody has thought about is refused by name."""
    text = b'{"version":{"major":"1","minor":"3"},"domains":[{"domain":"A","novelty":1}]}'
    with pytest.raises(msgspec.ValidationError, match="novelty"):
        parse_protocol(text)


def test_find(mini: Protocol) -> None:
    """Types, events and members are found by their full names."""
    assert mini.find_type("MiniPage.FrameId").type == "string"
    assert mini.find_event("MiniDOM.cleared").experimental
    node = mini.find_type("MiniDOM.Node")
    assert find_member(node.properties, "level").ref == "Level"


def test_find_nothing(mini: Protocol) -> None:
    """What is not there is a KeyError, so that a stale patch is noticed."""
    with pytest.raises(KeyError):
        mini.find_type("MiniDOM.FrameId")
    with pytest.raises(KeyError):
        mini.find_event("MiniPage.cleared")
    with pytest.raises(KeyError):
        find_member([], "level")
