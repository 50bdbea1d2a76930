"""Sets of tools."""

import pytest

from bridge.errors import UsageError
from bridge.tools.catalogue import TOOLS
from bridge.tools.toolsets import Toolsets


def test_core_from_the_start() -> None:
    """Without a choice the core tools are on offer."""
    offer = Toolsets()
    assert "core" in offer.on
    assert offer.find("navigate") is TOOLS["navigate"]


def test_more_on_demand() -> None:
    """Switching sets on changes the offer once; all means all."""
    offer = Toolsets(["core"])
    assert not offer.enable(["core"])
    offer.enable(["all"])
    assert offer.on == offer.known()
    assert offer.enabled() == list(TOOLS.values())


def test_unknown_set() -> None:
    """A set that does not exist is refused, and those that do are named."""
    with pytest.raises(UsageError) as refused:
        Toolsets(["cor"])
    assert "Sets: core" in refused.value.hint


def test_prefix() -> None:
    """With a prefix tools have it in the list, and answer to both names."""
    offer = Toolsets(prefix="browser_")
    assert offer.card(TOOLS["navigate"]).name == "browser_navigate"
    assert offer.find("browser_navigate") is offer.find("navigate") is TOOLS["navigate"]


def test_card() -> None:
    """A card carries what clients show and what they decide by."""
    card = Toolsets().card(TOOLS["tabs_list"])
    assert (card.title, card.read_only, card.destructive) == ("Tabs list", True, False)
    assert card.description == TOOLS["tabs_list"].summary
