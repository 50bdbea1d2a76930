"""Declaring tools."""

import pytest

from bridge.policy.rules import Effect
from bridge.tools import registry
from bridge.tools.catalogue import TOOLS
from bridge.tools.registry import tool
from bridge.tools.reply import Reply


@pytest.fixture(autouse=True)
def own_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test declares is nobody else's."""
    monkeypatch.setattr(registry, "TOOLS", {})


def test_from_the_function() -> None:
    """Name, summary and arguments of a tool are those of its function."""

    @tool(effect=Effect.ACT)
    async def poke(ctx: object, ref: str) -> Reply:
        """Poke
        it."""
        return Reply()

    made = registry.TOOLS["poke"]
    assert (made.summary, list(made.arguments.fields)) == ("Poke it.", ["ref", "tabId"])
    assert (made.read_only, made.destructive, made.idempotent) == (False, True, False)


def test_reading_harms_nothing() -> None:
    """A tool that only reads is marked as such, and may be repeated."""

    @tool(effect=Effect.READ)
    async def look(ctx: object) -> Reply:
        """Look."""
        return Reply()

    made = registry.TOOLS["look"]
    assert (made.read_only, made.destructive, made.idempotent) == (True, False, True)


def test_no_two_of_a_name() -> None:
    """A second tool of a name is a mistake in the code."""

    async def look(ctx: object) -> Reply:
        """Look."""
        return Reply()

    tool(effect=Effect.READ)(look)
    with pytest.raises(AssertionError, match="two tools are called look"):
        tool(effect=Effect.READ)(look)


def test_every_tool_says_what_it_does() -> None:
    """Each declared tool has a summary of one or two sentences, and a plain name."""
    for made in TOOLS.values():
        assert 10 < len(made.summary) < 200, made.name
        assert made.summary.endswith("."), made.name
        assert made.name.replace("_", "").isalpha(), made.name


def test_where_a_call_goes() -> None:
    """The addresses of a call are those that the policy is asked about, one or several, or none."""
    one, several, none = (
        {"url": "example.com"},
        {"url": ["a.test/x", "http://b.test/"]},
        {"url": None},
    )
    assert TOOLS["navigate"].destinations(one) == ["https://example.com"]
    assert one == {"url": "https://example.com"}
    assert TOOLS["create_window"].destinations(several) == ["https://a.test/x", "http://b.test/"]
    assert several == {"url": ["https://a.test/x", "http://b.test/"]}
    assert (TOOLS["tab_new"].destinations(none), none) == ([], {"url": None})
    assert TOOLS["click"].destinations({}) == []
