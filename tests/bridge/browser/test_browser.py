"""What becomes a tab of ours, and what is left of it: with a browser played by hand."""

import json
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.errors import BridgeError, ChromeError, DeadlineExceeded, UsageError
from tests.support.scripted_chrome import ScriptedChrome, open_scripted, settle

A, B, C = "A" * 32, "B" * 32, "C" * 32


def creates(chrome: ScriptedChrome, target: str) -> None:
    """Let createTarget make this page."""

    def create(_: object) -> dict[str, str]:
        chrome.say_page(target)
        return {"targetId": target}

    chrome.answers["Target.createTarget"] = create


async def test_others_are_not_touched() -> None:
    """Pages of others are known, listed if they are pages to read, and attached to never."""
    async with open_scripted() as (chrome, browser):
        chrome.say_page(A, "https://example.com/")
        chrome.say_page(B, "chrome://settings/")
        chrome.say_page(C, "about:blank")
        await settle()
        assert [info.id for info in browser.list_tabs()] == ["taaaaaaaa"]
        assert len(browser.targets.pages()) == 3
        assert "Target.attachToTarget" not in chrome.methods()
        with pytest.raises(UsageError) as foreign:
            browser.tab("taaaaaaaa")
        assert foreign.value.code == "TAB_NOT_FOUND"


async def test_new_tab_asks_for_the_background() -> None:
    """A new tab is asked for blank, in the background, and activated by nobody."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        tab = await browser.new_tab()
        [asked] = [a for a in chrome.seen if a.method == "Target.createTarget"]
        assert asked.params == {"url": "about:blank", "background": True}
        assert (browser.tabs, browser.tab(tab.id)) == ([tab], tab)
        assert "Target.activateTarget" not in chrome.methods()


async def test_shared_attempt() -> None:
    """Callers who want the same tab at the same time get the same object, attached once."""
    async with open_scripted() as (chrome, browser):
        chrome.say_page(A, "https://example.com/")
        await settle()
        got: list[Tab] = []

        async def take() -> None:
            got.append(await browser.take_over("taaaaaaaa"))

        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(take)
        assert len({id(tab) for tab in got}) == 1
        assert chrome.methods().count("Target.attachToTarget") == 1


async def test_cancelled_creation(autojump_clock: MockClock) -> None:
    """A page that comes after its caller has gone is closed again."""
    async with open_scripted() as (chrome, browser):
        chrome.hold.add("Target.createTarget")
        with trio.move_on_after(1):
            await browser.new_tab()
        [asked] = chrome.held
        chrome.fake.answer(asked, {"targetId": A})
        await settle()
        assert [a.params["targetId"] for a in chrome.seen if a.method == "Target.closeTarget"] == [
            A
        ]


async def test_failed_set_up(autojump_clock: MockClock) -> None:
    """A tab that does not get ready in time is closed, and the error names the deadline."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        chrome.hold.add("Page.getFrameTree")
        with pytest.raises(DeadlineExceeded) as late:
            await browser.new_tab()
        assert late.value.facts["timeout"] == "new_tab"
        await settle()
        assert "Target.closeTarget" in chrome.methods()


async def test_gone_while_it_comes() -> None:
    """A page that goes while it is set up fails everybody who waits for it."""
    async with open_scripted() as (chrome, browser):
        chrome.say_page(A, "https://example.com/")
        chrome.hold.add("Page.getFrameTree")
        async with trio.open_nursery() as nursery:

            async def take() -> None:
                with pytest.raises(ChromeError) as gone:
                    await browser.take_over("taaaaaaaa")
                assert gone.value.code == "TARGET_GONE"

            await settle()
            for _ in range(2):
                nursery.start_soon(take)
            await settle()
            chrome.fake.detached(f"S-{A}")
        assert browser.tabs == []


async def test_left_while_it_comes() -> None:
    """Whoever waits for a tab that is cut off while it comes is told at once, not at a deadline."""
    caught: list[BridgeError] = []
    async with trio.open_nursery() as outside:
        async with open_scripted() as (chrome, browser):
            chrome.say_page(A, "https://example.com/")
            chrome.hold.add("Page.getFrameTree")

            async def take() -> None:
                with pytest.raises(BridgeError) as gone:
                    await browser.take_over("taaaaaaaa")
                caught.append(gone.value)

            await settle()
            outside.start_soon(take)
            await settle()
        await settle()
        assert [error.code for error in caught] == ["BROWSER_GONE"]
        with pytest.raises(BridgeError, match="gone"):
            await browser.new_tab()


async def test_shared_popups() -> None:
    """Among others, what our tabs open is ours, what theirs open is not, at any depth."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        await browser.new_tab()
        chrome.say_page(B, "https://b.example/", openerId=A)
        chrome.say_page(C, "https://c.example/", openerId=B)
        chrome.say_page("D" * 32, "https://d.example/", openerId="E" * 32)
        await settle()
        assert {tab.target_id for tab in browser.tabs} == {A, B, C}
        chrome.fake.event("Target.targetDestroyed", {"targetId": B})
        await settle()
        assert {tab.target_id for tab in browser.tabs} == {A, C}


async def test_alone_pages_are_paused_for_us() -> None:
    """Alone, a new page is set up with the prelude before it is let go, all in one breath."""
    async with open_scripted(exclusive=True) as (chrome, browser):
        browser.add_prelude(cdp.page.add_script_to_evaluate_on_new_document("1"))
        chrome.answers["Page.addScriptToEvaluateOnNewDocument"] = lambda _: {"identifier": "1"}
        came: list[Tab] = []
        browser.on_tab(came.append)
        chrome.attach_page(A)
        await settle()
        assert [tab.target_id for tab in came] == [A]
        methods = chrome.methods(f"S-{A}")
        prelude = methods.index("Page.addScriptToEvaluateOnNewDocument")
        assert prelude < methods.index("Runtime.runIfWaitingForDebugger")


@pytest.mark.parametrize(
    "more", [{"type": "service_worker"}, {"subtype": "prerender"}, {"type": "other"}]
)
async def test_alone_what_is_no_tab_runs(more: dict[str, Any]) -> None:
    """What Chrome pauses and is no tab is let go, and nothing else."""
    async with open_scripted(exclusive=True) as (chrome, browser):
        chrome.attach_page(A, **more)
        await settle()
        assert (browser.tabs, browser.targets.pages()) == ([], [])
        assert chrome.methods(f"S-{A}") == ["Runtime.runIfWaitingForDebugger"]


async def test_leaving() -> None:
    """At the end own tabs are closed, those taken over and what they opened are not."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        await browser.new_tab()
        chrome.say_page(B, "https://b.example/")
        await settle()
        await browser.take_over("tbbbbbbbb")
        chrome.say_page(C, "https://c.example/", openerId=B)
        await settle()
        assert len(browser.tabs) == 3
    closed = [a.params["targetId"] for a in chrome.seen if a.method == "Target.closeTarget"]
    assert closed == [A]


async def test_the_last_tab_is_blanked() -> None:
    """The only tab of a browser that goes on is left behind blank, so that a window stays."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        chrome.answers["Page.navigate"] = lambda _: {"frameId": A}
        await browser.new_tab()
    assert "Target.closeTarget" not in chrome.methods()
    [left] = [a for a in chrome.seen if a.method == "Page.navigate"]
    assert (left.session, left.params["url"]) == (f"S-{A}", "about:blank")


async def test_a_private_tab_is_no_last_one() -> None:
    """A private tab goes with us in any case, so another one is left for the window to stay."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        chrome.answers["Page.navigate"] = lambda _: {"frameId": A}
        chrome.answers["Target.createBrowserContext"] = lambda _: {"browserContextId": "X"}
        await browser.new_tab()
        creates(chrome, B)
        await browser.new_tab(context_id=await browser.contexts.make())
        chrome.say_page(B, browserContextId="X")
        await settle()
    closed = [a.params["targetId"] for a in chrome.seen if a.method == "Target.closeTarget"]
    assert closed == [B]
    [left] = [a for a in chrome.seen if a.method == "Page.navigate"]
    assert left.session == f"S-{A}"


async def test_events_after_leaving() -> None:
    """What Chrome still tells when we have left is heard in peace."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        chrome.answers["Page.navigate"] = lambda _: {"frameId": A}
        await browser.new_tab()
        connection = browser.connection
        await browser.leave(close_tabs=False)
        chrome.say_page(B, "https://b.example/", openerId=A)
        await settle()
        assert chrome.methods().count("Target.attachToTarget") == 1
        assert connection.end is None


async def test_close_of_a_target_already_gone() -> None:
    """Closing a tab that went by itself is no error, whichever of both is noticed first."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        tab = await browser.new_tab()
        chrome.answers.pop("Target.closeTarget")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(tab.close)
            asked = await chrome.asked.receive()
            chrome.fake.event("Target.targetDestroyed", {"targetId": A})
            chrome.fake.refuse(asked, -32602, "No target with given id found")
        assert json.loads(asked.raw)["params"] == {"targetId": A}
        await tab.close()


async def test_prepared_before_the_first_page() -> None:
    """What is arranged beforehand holds for the very tab a browser comes with."""

    def prepare(browser: Browser) -> None:
        browser.add_prelude(cdp.runtime.enable())

    async with open_scripted(exclusive=True, fresh=True, prepare=prepare) as (chrome, browser):
        chrome.answers["Runtime.enable"] = lambda _: {}
        chrome.attach_page(A)
        tab = await browser.new_tab()
        assert tab.target_id == A
        assert "Runtime.enable" in chrome.methods(f"S-{A}")


async def test_prelude_that_comes_late() -> None:
    """A prelude that the browser's first tab has missed means another tab."""
    async with open_scripted(exclusive=True, fresh=True) as (chrome, browser):
        chrome.answers["Runtime.enable"] = lambda _: {}
        chrome.attach_page(A)
        await settle()
        browser.add_prelude(cdp.runtime.enable())
        creates(chrome, B)
        with trio.move_on_after(1):
            tab = await browser.new_tab()
            assert tab.target_id != A
        assert "Target.createTarget" in chrome.methods()
