"""All tools."""

import json

from bridge.tools.catalogue import TOOLS
from bridge.tools.toolsets import Toolsets


def test_small() -> None:
    """Names, summaries and schemas stay under 11 KB for the tools on offer at first, 28 for all."""

    def size(names: list[str]) -> int:
        cards = map(Toolsets(names).card, Toolsets(names).enabled())
        return sum(len(json.dumps([c.name, c.description, c.schema])) for c in cards)

    assert size([]) < 11_000
    assert size(["all"]) < 28_000


def test_navigation_names_its_destination() -> None:
    """Every tool with an address among its arguments has the policy asked about it."""
    for tool in TOOLS.values():
        assert ("url" in tool.arguments.fields) == (tool.destination == "url"), tool.name
