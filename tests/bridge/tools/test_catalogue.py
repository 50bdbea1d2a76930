"""All tools."""

import json

from bridge.mcp.cards import describe
from bridge.tools.catalogue import TOOLS
from bridge.tools.toolsets import Toolsets


def test_small() -> None:
    """A client's list stays under 12 KB for the tools on offer at first, under 22 for all."""

    def size(names: list[str]) -> int:
        cards = map(Toolsets(names).card, Toolsets(names).enabled())
        return sum(len(json.dumps(describe(card), separators=(",", ":"))) + 1 for card in cards)

    assert size([]) < 12_000 - len('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}')
    assert size(["all"]) < 22_000


def test_navigation_names_its_destination() -> None:
    """Every tool with an address among its arguments has the policy asked about it."""
    for tool in TOOLS.values():
        assert ("url" in tool.arguments.fields) == (tool.destination == "url"), tool.name
