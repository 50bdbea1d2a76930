"""A server's browser and its tabs."""

from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest
import trio
from trio.testing import MockClock

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.errors import ChromeError, UsageError
from bridge.scope import open_scope
from bridge.tools.desk import host_of
from tests.support.door import OpenDoor, open_door
from tests.support.fake_chrome import Asked
from tests.support.scripted_chrome import ScriptedChrome, frame_of, open_scripted, settle

A, B, C = "A" * 32, "B" * 32, "C" * 32


def creates(chrome: ScriptedChrome, *targets: str) -> None:
    """The next pages it opens."""
    coming = iter(targets)

    def create(_: object) -> dict[str, str]:
        target = next(coming)
        chrome.say_page(target)
        return {"targetId": target}

    chrome.answers["Target.createTarget"] = create
    chrome.answers["Page.navigate"] = lambda _: {"frameId": targets[0]}


@pytest.fixture
async def scripted() -> AsyncIterator[tuple[ScriptedChrome, Browser]]:
    """A browser that opens three pages, if asked to."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A, B, C)
        yield chrome, browser


@pytest.fixture
async def door(scripted: tuple[ScriptedChrome, Browser]) -> AsyncIterator[OpenDoor]:
    """A door before it."""
    async with open_door(scripted[1]) as opened:
        yield opened


async def test_first_call_opens_a_tab(door: OpenDoor) -> None:
    """Who names no tab gets one, and the same one from then on."""
    assert door.desk.current is None
    tab = await door.desk.tab()
    assert await door.desk.tab() is tab is door.desk.current


async def test_named(door: OpenDoor) -> None:
    """A tab that is named is that one; the current one stays current."""
    first = await door.desk.tab()
    other = await door.lifecycle.now.new_tab()
    assert await door.desk.tab(other.id) is other
    assert door.desk.current is first
    with pytest.raises(UsageError):
        await door.desk.tab("tffffffff")


async def test_closed_by_somebody(door: OpenDoor, scripted: tuple[ScriptedChrome, Browser]) -> None:
    """A current tab that was closed is said once, with what is left; then that is current."""
    chrome, browser = scripted
    other = await browser.new_tab()
    current = await browser.new_tab()
    door.desk.select(current)
    chrome.fake.event("Target.targetDestroyed", {"targetId": current.target_id})
    await settle()
    with pytest.raises(UsageError) as gone:
        await door.desk.tab()
    assert gone.value.code == "STALE_TAB"
    assert other.id in gone.value.hint
    assert await door.desk.tab() is other


async def test_last_one_closed(door: OpenDoor, scripted: tuple[ScriptedChrome, Browser]) -> None:
    """Without any tab left the next step is named, and whoever navigates gets a fresh one."""
    current = await door.desk.tab()
    scripted[0].fake.event("Target.targetDestroyed", {"targetId": current.target_id})
    await settle()
    fresh = await door.desk.tab(fresh=True)
    assert fresh is not current
    assert door.desk.current is fresh


async def test_turns(door: OpenDoor) -> None:
    """Each tab has one turn, others have their own."""
    first = await door.desk.tab()
    other = await door.lifecycle.now.new_tab()
    assert door.desk.turn(first) is door.desk.turn(first)
    assert door.desk.turn(first) is not door.desk.turn(other)


async def test_a_browser_that_came_back(
    door: OpenDoor, scripted: tuple[ScriptedChrome, Browser]
) -> None:
    """Tabs of a lost browser are opened again in the next one, and the next answer says so."""
    tab = await door.desk.tab()
    door.desk.label(tab, "shop")
    main = frame_of(A, "https://example.com/", "L2")
    scripted[0].fake.event("Page.frameNavigated", {"frame": main, "type": "Navigation"}, f"S-{A}")
    await settle()
    async with open_scripted() as (chrome, browser):
        creates(chrome, B)
        chrome.answers["Page.createIsolatedWorld"] = lambda _: {"executionContextId": 1}
        told = {"type": "object", "value": ["https://example.com/", "Example", 200]}
        chrome.answers["Runtime.evaluate"] = lambda _: {"result": told}
        door.lifecycle.now = browser
        new = await door.desk.tab()
    assert (new.id, door.desk.current) == ("tbbbbbbbb", new)
    assert door.desk.id_of("shop") == new.id
    [note] = door.desk.notes
    assert f"{tab.id} is now {new.id}, loaded again: https://example.com/" in note


async def test_no_time_for_all_of_it(
    door: OpenDoor, scripted: tuple[ScriptedChrome, Browser], autojump_clock: MockClock
) -> None:
    """Where a deadline cuts off bringing tabs back, the next answer tells of it all the same."""
    tab = await door.desk.tab()
    main = frame_of(A, "https://example.com/", "L2")
    scripted[0].fake.event("Page.frameNavigated", {"frame": main, "type": "Navigation"}, f"S-{A}")
    await settle()
    async with open_scripted() as (chrome, browser):
        chrome.hold.add("Target.createTarget")
        door.lifecycle.now = browser
        with trio.move_on_after(1):
            await door.desk.tab()
    [note] = door.desk.take_notes()
    assert note.startswith("Note: the browser was lost")
    assert f"Tabs: {tab.id} is lost (there was no time for it)." in note


async def test_a_browser_that_hung(
    door: OpenDoor, scripted: tuple[ScriptedChrome, Browser], autojump_clock: MockClock
) -> None:
    """Of a browser that was given up for hanging that is said, and not how we have ended it."""
    chrome, before = scripted
    await door.desk.tab()
    chrome.hold |= {"Browser.getVersion", "Runtime.evaluate"}
    with pytest.raises(ChromeError):
        await before.connection.root.execute(cdp.runtime.evaluate("1"))
    async with open_scripted() as (other, browser):
        creates(other, B)
        chrome.fake.end("it closed its pipe")
        await settle()
        door.lifecycle.now = browser
        await door.desk.tab()
    [note] = door.desk.notes
    assert note.startswith("Note: the browser was lost (the browser has not answered for ")


async def test_a_connection_that_came_back(
    door: OpenDoor, scripted: tuple[ScriptedChrome, Browser]
) -> None:
    """Where only the connection was lost, the tab is taken up as it is."""
    await door.desk.tab()
    async with open_scripted() as (chrome, browser):
        chrome.say_page(A, "https://example.com/")
        await settle()
        door.lifecycle.now = browser
        same = await door.desk.tab()
    assert same.target_id == A
    assert "taaaaaaaa is as it was" in door.desk.notes[0]


def fronted_in(chrome: ScriptedChrome) -> list[object]:
    """Gets the targets that are brought to the front."""
    brought: list[object] = []

    def activate(asked: Asked) -> dict[str, object]:
        brought.append(asked.params["targetId"])
        return {}

    chrome.answers["Target.activateTarget"] = activate
    return brought


@pytest.mark.parametrize(
    ("headless", "beside", "fronted"), [(True, True, [B]), (True, False, []), (False, True, [])]
)
async def test_faced(
    door: OpenDoor,
    scripted: tuple[ScriptedChrome, Browser],
    headless: bool,
    beside: bool,
    fronted: list[str],
) -> None:
    """Without windows the tab that is acted on comes to the front of others; never before eyes."""
    chrome, browser = scripted
    brought = fronted_in(chrome)
    tab = await browser.new_tab()
    if beside:
        tab = await browser.new_tab()
    live = SimpleNamespace(chrome=SimpleNamespace(headless=headless), browser=browser)
    door.lifecycle.live = live
    async with door.desk.facing(tab):
        assert brought == fronted


async def test_faced_in_turns(door: OpenDoor, scripted: tuple[ScriptedChrome, Browser]) -> None:
    """The tab in front stays there while it is acted on, whatever is done in others meanwhile."""
    chrome, browser = scripted
    brought = fronted_in(chrome)
    one, two = await browser.new_tab(), await browser.new_tab()
    live = SimpleNamespace(chrome=SimpleNamespace(headless=True), browser=browser)
    door.lifecycle.live = live
    async with door.desk.facing(one):
        async with door.desk.facing(two), door.desk.facing(one):
            pass
        async with door.desk.facing(two):
            pass
    async with door.desk.facing(two):
        pass
    assert brought == [one.target_id, two.target_id]


async def test_another_way(door: OpenDoor) -> None:
    """In a browser reached in another way nothing is loaded again, and the note says where it is.

    Back in the first one, its tabs and the current one are as they were left.
    """
    tab = await door.desk.tab()
    first = door.lifecycle.now
    async with open_scripted() as (chrome, other):
        creates(chrome, C)
        other.kind = "extension"
        door.lifecycle.now, door.lifecycle.why = other, "it is asleep"
        assert (await door.desk.tab()).target_id == C
        told = "this is the person's own Chrome now (it is asleep)"
        assert [told in note for note in door.desk.notes] == [True]
        door.lifecycle.now = first
        assert await door.desk.tab() is tab


async def test_taken_away(door: OpenDoor, scripted: tuple[ScriptedChrome, Browser]) -> None:
    """A tab that was taken from us and is still there is taken up again by the next call."""
    chrome, _ = scripted
    tab = await door.desk.tab()
    chrome.fake.event("Inspector.detached", {"reason": "cancelled"}, f"S-{A}")
    gone = {"sessionId": f"S-{A}", "targetId": A}
    chrome.fake.event("Target.detachedFromTarget", gone)
    await settle()
    assert tab.session.end is not None
    again = await door.desk.tab()
    assert (again.id, again.session.end) == (tab.id, None)
    assert again is not tab
    assert ["cancelled" in note and "taken up again" in note for note in door.desk.notes] == [True]
    assert await door.desk.tab(tab.id) is again


async def test_taken_away_and_gone(
    door: OpenDoor, scripted: tuple[ScriptedChrome, Browser]
) -> None:
    """One that is gone by then is said to be, before the browser tells of it; others are left."""
    chrome, browser = scripted
    other, tab = await browser.new_tab(), await browser.new_tab()
    door.desk.select(tab)
    gone = {"sessionId": tab.session.key, "targetId": tab.target_id}
    chrome.fake.event("Target.detachedFromTarget", gone)
    await settle()
    del chrome.answers["Target.attachToTarget"]
    async with open_scope() as nursery:
        nursery.start_soon(refuse_attaching, chrome)
        with pytest.raises(UsageError) as caught:
            await door.desk.tab()
    assert caught.value.code == "STALE_TAB"
    assert await door.desk.tab() is other


async def refuse_attaching(chrome: ScriptedChrome) -> None:
    """As the extension does for a tab that is not shared any more."""
    asked = await chrome.asked.receive()
    chrome.fake.refuse(asked, -32000, "No target with given id found", {"reason": "notShared"})


@pytest.mark.parametrize(
    ("url", "host"),
    [("https://A.example:8/x", "a.example"), ("about:blank", ""), ("odd://[x", ""), ("", "")],
)
def test_hosts(url: str, host: str) -> None:
    """Whatever an address is, it has a host or none, and is no fault of ours."""
    assert host_of(url) == host
