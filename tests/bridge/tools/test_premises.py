"""Clients of one server: each with tabs of its own, which no other one touches by accident."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from bridge.browser.browser import Browser
from bridge.tools.premises import NOBODY, Premises
from tests.bridge.tools.test_desk import A, B, C, creates
from tests.support.door import Client, OpenDoor, open_door
from tests.support.scripted_chrome import ScriptedChrome, open_scripted, settle, target_info

_ONE, _OTHER = Client(id="one"), Client(id="other")
_FIRST, _SECOND = "taaaaaaaa", "tbbbbbbbb"


@dataclass
class Shared:
    """A server with two clients, and its Chrome."""

    chrome: ScriptedChrome
    browser: Browser
    door: OpenDoor

    async def said(self, name: str, by: Client, /, **arguments: object) -> str:
        answer = await self.door.call(name, by=by, **arguments)
        return answer.text

    def lists(self, *targets: str, url: str = "about:blank") -> None:
        """What Chrome has when it is asked for a list."""
        infos = [target_info(each, url) for each in targets]
        self.chrome.answers["Target.getTargets"] = lambda _: {"targetInfos": infos}

    def closed(self) -> list[str]:
        """Targets that Chrome was asked to close."""
        asked = [each for each in self.chrome.seen if each.method == "Target.closeTarget"]
        return [str(each.params["targetId"]) for each in asked]


@pytest.fixture
async def shared() -> AsyncIterator[Shared]:
    """Each of two clients has opened a tab."""
    async with open_scripted() as (chrome, browser), open_door(browser) as door:
        creates(chrome, A, B, C)
        both = Shared(chrome, browser, door)
        looks = SimpleNamespace(headless=False, ownership="launched")
        door.lifecycle.live = SimpleNamespace(browser=browser, chrome=looks)
        both.lists(A, B)
        await both.said("tab_new", _ONE)
        await both.said("tab_new", _OTHER)
        yield both


async def test_current(shared: Shared) -> None:
    """What one makes current is not the other's."""
    assert _FIRST in await shared.said("status", _ONE)
    assert _SECOND in await shared.said("status", _OTHER)
    assert "tabs: 1 of yours" in await shared.said("status", _ONE)


async def test_listed(shared: Shared) -> None:
    """The other's tab is listed as that."""
    first, second = (await shared.said("tabs_list", _ONE)).splitlines()
    assert _FIRST in first
    assert first.endswith("[current]")
    assert _SECOND in second
    assert second.endswith("[not yours]")


@pytest.mark.parametrize("tool", ["console_messages", "tab_close", "reload"])
async def test_named(shared: Shared, tool: str) -> None:
    """The other's tab is refused by its id, and stays as it is."""
    said = await shared.said(tool, _ONE, tabId=_SECOND)
    assert said.startswith(f"TAB_NOT_FOUND: the tab {_SECOND} belongs to somebody else")
    assert shared.closed() == []


async def test_taken_over(shared: Shared) -> None:
    """Who selects the other's tab has it from then on; whose it was is told, once."""
    assert "Current tab: tbbbbbbbb" in await shared.said("tab_select", _ONE, tabId=_SECOND)
    told = await shared.said("console_messages", _OTHER)
    assert told.startswith(
        f"STALE_TAB: the current tab {_SECOND} was taken over by another client of this server"
    )
    assert not (await shared.door.call("tab_new", by=_OTHER)).is_error
    assert not (await shared.door.call("console_messages", by=_OTHER)).is_error


async def test_notes(shared: Shared) -> None:
    """What there is to be said first is said to whom it concerns."""
    shared.door.office.desk("one").notes.append("Note: yours.")
    assert "Note: yours." not in await shared.said("status", _OTHER)
    assert "Note: yours." in await shared.said("console_messages", _ONE)


async def test_opened_by_its_page(shared: Shared) -> None:
    """What a page opens belongs to the client whose tab it is."""
    shared.chrome.say_page(C, openerId=B)
    await settle()
    assert "tabs: 1 of yours" in await shared.said("status", _ONE)
    assert "tabs: 2 of yours" in await shared.said("status", _OTHER)


async def test_leaving(shared: Shared) -> None:
    """The tabs of a client that has gone are closed, and nobody else's."""
    await shared.door.tools.leave("one")
    assert shared.closed() == [A]
    await shared.door.tools.leave("one")
    await shared.door.tools.leave("nobody we know")
    assert shared.closed() == [A]


async def test_leaving_what_was_taken_over(shared: Shared) -> None:
    """A tab that was a person's stays open, and is nobody's."""
    shared.chrome.say_page(C, "https://c.test/")
    await settle()
    assert "Current tab: tcccccccc" in await shared.said("tab_select", _ONE, tabId="tcccccccc")
    await shared.door.tools.leave("one")
    assert shared.closed() == [A]
    shared.lists(C, url="https://c.test/")
    assert "tcccccccc https://c.test/ [not yours]" in await shared.said("tabs_list", _OTHER)


async def test_back_after_a_loss(shared: Shared) -> None:
    """In a browser that had to come back, each client gets its own tabs back."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, "D" * 32, "E" * 32)
        shared.door.lifecycle.now = browser
        said = await shared.said("console_messages", _OTHER)
        assert f"{_SECOND} is now tdddddddd" in said
        assert _FIRST not in said
        assert f"{_FIRST} is now teeeeeeee" in await shared.said("console_messages", _ONE)


async def test_many_tabs() -> None:
    """What is remembered of tabs is bounded."""
    premises = Premises()
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        tab = await browser.new_tab()
        for number in range(12_000):
            tab.id = f"t{number:08x}"
            premises.give(tab, "one")
    assert premises.owner("t00000000") == NOBODY
    assert premises.owner(f"t{11_999:08x}") == "one"
    assert len(premises._owners) == 10_000
