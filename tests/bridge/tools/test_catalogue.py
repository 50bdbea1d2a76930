"""All tools."""

import json

from bridge.mcp.cards import describe
from bridge.policy.rules import Effect
from bridge.tools.catalogue import TOOLS
from bridge.tools.toolsets import Toolsets


def test_small() -> None:
    """A client's list stays under 12 KB for what is on offer at first, under 22 for all."""

    def size(names: list[str], *without: Effect) -> int:
        sets = Toolsets(names)
        cards = [sets.card(tool) for tool in sets.enabled() if tool.effect not in without]
        return sum(len(json.dumps(describe(card), separators=(",", ":"))) + 1 for card in cards)

    assert size([], Effect.UPLOAD, Effect.DOWNLOAD) < 11_950  # and the frame of the answer
    assert size(["all"]) < 22_000


def test_navigation_names_its_destination() -> None:
    """Every tool with an address among its arguments has the policy asked about it."""
    for tool in TOOLS.values():
        assert ("url" in tool.arguments.fields) == (tool.destination == "url"), tool.name
