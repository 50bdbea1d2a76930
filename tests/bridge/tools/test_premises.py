"""Clients of one server: each with tabs of its own, which no other one touches by accident."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

import pytest
import trio

from bridge.browser.browser import Browser
from bridge.tools.desk import Desk
from bridge.tools.premises import NOBODY, Premises
from tests.bridge.tools.test_desk import A, B, C, creates
from tests.support.door import Client, OpenDoor, open_door
from tests.support.scripted_chrome import ScriptedChrome, open_scripted, settle, target_info

_ONE, _OTHER = Client(id="one"), Client(id="other")
_FIRST, _SECOND, _THIRD = "taaaaaaaa", "tbbbbbbbb", "tcccccccc"
D = "D" * 32


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

    def here(self) -> None:
        """It is the browser that the server has now."""
        looks = SimpleNamespace(headless=False, ownership="launched")
        self.door.lifecycle.now = self.browser
        self.door.lifecycle.live = SimpleNamespace(browser=self.browser, chrome=looks)

    def owner(self, tab_id: str) -> str:
        return self.door.office.desk("one")._premises.owner(tab_id)

    def let_go(self) -> None:
        """Answer what was held back."""
        self.chrome.hold.clear()
        for each in self.chrome.held:
            self.chrome.fake.answer(each, self.chrome.answers[each.method](each))

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
        both.here()
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


async def test_news_for_its_client(shared: Shared) -> None:
    """What a client's page has opened is news to that client, whoever else has listed it before."""
    shared.chrome.say_page(C, openerId=B)
    await settle()
    shared.lists(A, B, C)
    assert _THIRD in await shared.said("tabs_list", _ONE)
    news = f"Note: {_SECOND} has opened a tab: {_THIRD} about:blank"
    assert news in await shared.said("status", _OTHER)
    assert "Note" not in await shared.said("status", _OTHER)


async def test_news_of_what_is_still_coming(shared: Shared) -> None:
    """A tab that cannot be used yet is told by the first answer after it can."""
    shared.chrome.hold.add("Page.getFrameTree")
    shared.chrome.say_page(C, "", openerId=A)
    await settle()
    assert "Note" not in await shared.said("status", _ONE)
    shared.let_go()
    await settle()
    assert f"{_FIRST} has opened a tab: {_THIRD}" in await shared.said("status", _ONE)


async def test_opened_by_a_page_that_closes(shared: Shared) -> None:
    """It is the client's from the moment it is there, whatever becomes of its opener."""
    shared.chrome.hold.add("Page.getFrameTree")
    shared.chrome.say_page(C, openerId=A)
    await settle()
    shared.chrome.fake.event("Target.targetDestroyed", {"targetId": A})
    await settle()
    shared.let_go()
    await settle()
    assert "tabs: 1 of yours" in await shared.said("status", _ONE)


async def test_opened_while_it_loads(shared: Shared) -> None:
    """A tab is its client's before it has loaded, and so is what its page opens meanwhile."""
    del shared.chrome.answers["Page.navigate"]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            partial(shared.said, "tab_new", _ONE, active=False, url="https://c.test/")
        )
        await settle()
        shared.chrome.say_page(D, openerId=C)
        await settle()
        assert shared.owner("tdddddddd") == shared.owner(_THIRD) == "one"
        nursery.cancel_scope.cancel()


async def test_taken_over_and_lost(shared: Shared) -> None:
    """A pop-up that was taken over stays so when it has to be attached again."""
    shared.chrome.say_page(C, openerId=B)
    await settle()
    await shared.said("tab_select", _ONE, tabId=_THIRD)
    shared.chrome.fake.event("Target.detachedFromTarget", {"sessionId": f"S-{C}"})
    await settle()
    assert "taken up again" in await shared.said("console_messages", _ONE)
    assert "STALE_TAB" not in await shared.said("console_messages", _ONE)


async def test_taken_over_while_waiting(shared: Shared) -> None:
    """A call that waited for its turn does nothing to a tab that is another client's by then."""
    tab = shared.door.office.desk("other").current
    assert tab is not None
    answers: list[str] = []

    async def reload() -> None:
        answers.append(await shared.said("reload", _OTHER))

    async with trio.open_nursery() as nursery, shared.door.office.desk("other").turn(tab):
        nursery.start_soon(reload)
        await settle()
        await shared.said("tab_select", _ONE, tabId=_SECOND)
    assert answers[0].startswith(f"TAB_NOT_FOUND: the tab {_SECOND} belongs to somebody else")
    assert "Page.reload" not in shared.chrome.methods(f"S-{B}")


async def test_leaving(shared: Shared) -> None:
    """The tabs of a client that has gone are closed, and nobody else's."""
    await shared.door.tools.leave("one")
    assert shared.closed() == [A]
    await shared.door.tools.leave("one")
    await shared.door.tools.leave("nobody we know")
    assert shared.closed() == [A]


async def test_leaving_that_fails(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes wrong when a client leaves is told to nobody: the others are still served."""

    async def fail(desk: Desk) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr(Desk, "leave", fail)
    await shared.door.tools.leave("one")
    assert "tabs: 1 of yours" in await shared.said("status", _OTHER)


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


def test_many_tabs() -> None:
    """What is remembered of tabs is bounded."""
    premises = Premises()
    for number in range(12_000):
        premises.give(f"t{number:08x}", "one")
    assert premises.owner("t00000000") == NOBODY
    assert premises.owner(f"t{11_999:08x}") == "one"
    assert len(premises._owners) == 10_000


async def test_leaving_with_the_last_tab() -> None:
    """The last tab stays, blank, in a browser that is ours alone as well: a window would quit."""
    async with open_scripted(exclusive=True) as (chrome, browser), open_door(browser) as door:
        creates(chrome, A)
        alone = Shared(chrome, browser, door)
        alone.here()
        chrome.answers["Page.navigate"] = lambda _: {"frameId": A}
        await alone.said("tab_new", _ONE)
        await door.tools.leave("one")
        assert alone.closed() == []
        (blanked,) = [each for each in chrome.seen if each.method == "Page.navigate"]
    assert blanked.params["url"] == "about:blank"


async def test_leaving_with_one_on_its_way(shared: Shared) -> None:
    """A pop-up that is not there yet goes with its client."""
    shared.chrome.hold.add("Target.attachToTarget")
    shared.chrome.say_page(C, openerId=A)
    await settle()
    await shared.door.tools.leave("one")
    assert sorted(shared.closed()) == [A, C]


async def test_back_while_leaving(shared: Shared) -> None:
    """Who comes back while its tabs are being closed keeps what it opens then."""
    shared.chrome.hold.add("Target.closeTarget")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(shared.door.tools.leave, "one")
        await settle()
        await shared.said("tab_new", _ONE)
        shared.let_go()
    assert shared.owner(_THIRD) == "one"
    assert "STALE_TAB" not in await shared.said("console_messages", _ONE)


async def test_leaving_a_desk_that_made_room(shared: Shared) -> None:
    """Of thousands of clients each one's tabs are closed when it goes."""
    for number in range(1_000):
        shared.door.office.desk(str(number))
    await shared.door.tools.leave("one")
    assert shared.closed() == [A]


async def test_leaving_after_a_lost_connection(shared: Shared) -> None:
    """What a client opened is closed when it goes, also where only the connection was lost once."""
    async with open_scripted() as (chrome, browser):
        for target in (A, B):
            chrome.say_page(target, f"https://{target[0].lower()}.test/")
        await settle()
        again = Shared(chrome, browser, shared.door)
        again.here()
        assert f"{_FIRST} is as it was" in await again.said("console_messages", _ONE)
        await shared.door.tools.leave("one")
        assert again.closed() == [A]
