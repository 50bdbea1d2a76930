"""A card in the words of the protocol."""

import json

import pytest

from bridge.mcp.cards import describe
from bridge.tools.answer import Card


def card(**hints: bool) -> Card:
    given = {"read_only": False, "destructive": True, "idempotent": False, "open_world": True}
    return Card(
        name="look",
        title="Look",
        description="Look at it.",
        schema={"type": "object"},
        **{**given, **hints},
    )


@pytest.mark.parametrize(
    ("hints", "said"),
    [
        ({}, {}),
        (
            {"read_only": True, "destructive": False},
            {"readOnlyHint": True},
        ),
        ({"destructive": False}, {"destructiveHint": False}),
        ({"idempotent": True}, {"idempotentHint": True}),
        (
            {"read_only": True, "idempotent": True, "destructive": False},
            {"readOnlyHint": True},
        ),
        ({"open_world": False}, {"openWorldHint": False}),
    ],
)
def test_hints(hints: dict[str, bool], said: dict[str, bool]) -> None:
    """A hint is given where it differs from what the protocol takes for granted."""
    assert describe(card(**hints)).get("annotations", {}) == said


def test_whole() -> None:
    """Name, title, description and schema are the card's, and all of it is JSON."""
    found = describe(card())
    assert found == {
        "name": "look",
        "title": "Look",
        "description": "Look at it.",
        "inputSchema": {"type": "object"},
    }
    assert json.loads(json.dumps(found)) == found
