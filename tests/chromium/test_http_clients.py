"""Several agents at one server over HTTP: each works in tabs of its own."""

import pytest
import trio

from fixtures.site import Site
from tests.support.agent import Agent, open_server
from tests.support.ground import Ground, ground

__all__ = ["ground"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning"),
]
FLAGS = ("--unsafe-all-domains", "--enable-mutations")


async def _fill(agent: Agent, site: Site, name: str) -> None:
    """A visit of several steps, none of which names a tab."""
    await agent.does("navigate", url=site.url(f"/form?{name}"))
    await agent.does("type", selector="#name", text=name)
    await agent.does("click", selector="#news")
    assert f": {name}" in await agent.does("snapshot")


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_side_by_side(ground: Ground, site: Site, era: str) -> None:
    """Agents that fill in the same form at the same time do not meet."""
    names = [f"Ada{number}" for number in range(4)]
    async with open_server(ground, FLAGS) as server, trio.open_nursery() as nursery:

        async def visit(name: str) -> None:
            async with server.agent(name, era) as agent:
                for _ in range(3):
                    await _fill(agent, site, name)
                listed = await agent.does("tabs_list")
                mine = [line for line in listed.splitlines() if "not yours" not in line]
                assert len(mine) == 1
                assert name in mine[0]

        for name in names:
            nursery.start_soon(visit, name)


async def test_ends_with_its_session(ground: Ground, site: Site) -> None:
    """What an agent opened is closed when it says that it goes, and nothing of the others."""
    async with open_server(ground, FLAGS) as server, server.agent("stays") as stays:
        await stays.does("navigate", url=site.url("/form?stays"))
        async with server.agent("goes") as goes:
            await goes.does("navigate", url=site.url("/form?goes"))
            await goes.does("tab_new", url=site.url("/links"))
            assert (await stays.does("tabs_list")).count("[not yours]") == 2
        with trio.fail_after(5):  # noqa: TID251 -- a limit of the test
            while "not yours" in await stays.does("tabs_list"):
                await trio.lowlevel.checkpoint()
        assert "Editor" in await stays.does("snapshot")


async def test_taken_over(ground: Ground, site: Site) -> None:
    """One agent hands a page to another, by its id."""
    async with open_server(ground, FLAGS) as server, server.agent("one") as one:
        await one.does("navigate", url=site.url("/form"))
        await one.does("type", selector="#name", text="Ada")
        async with server.agent("other") as other:
            tab = (await one.does("tabs_list")).split()[1]
            await other.does("tab_select", tabId=tab)
            assert ": Ada" in await other.does("snapshot")
            told = await one.refused("snapshot")
            assert told.startswith(f"STALE_TAB: the current tab {tab} was taken over by another")


async def test_opened_with_a_dialog(ground: Ground, site: Site) -> None:
    """A tab whose page asks something before it is there belongs to whoever opened it."""
    async with open_server(ground, FLAGS) as server, server.agent("one") as one:
        await one.does("navigate", url=site.url("/links"))
        page = "data:text/html,<script>alert(1)</script>"
        told = await one.refused("tab_new", url=page, active=False)
        tab = told.partition("in the new tab, ")[2].partition(":")[0]
        assert told.startswith("DIALOG_OPEN")
        await one.does("handle_dialog", action="accept", tabId=tab)
        await one.does("tab_close", tabId=tab)
