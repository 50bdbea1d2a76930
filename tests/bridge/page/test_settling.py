"""What is waited for after a deed, and what ends the wait, with a page played by hand."""

from dataclasses import replace

import pytest
import trio
from trio.testing import MockClock

from bridge.errors import DeadlineExceeded, PageError
from bridge.page.settling import Aftermath
from bridge.timeouts import Timeouts
from tests.support.acting import PRESSED, QUIET, open_acting, target, tell
from tests.support.played_page import PAGE, SESSION, PlayedPage
from tests.support.scripted_chrome import frame_of, settle

_DIALOG = {
    "url": "",
    "frameId": PAGE,
    "message": "Sure?",
    "type": "confirm",
    "hasBrowserHandler": False,
}
_REQUEST = {
    "requestId": "1",
    "loaderId": "L",
    "documentURL": "x",
    "request": {
        "url": "x",
        "method": "GET",
        "headers": {},
        "initialPriority": "High",
        "referrerPolicy": "origin",
    },
    "timestamp": 1.0,
    "wallTime": 1.0,
    "initiator": {"type": "script"},
    "redirectHasExtraInfo": False,
    "type": "Fetch",
}


class Clicking:
    """A click that is held when its input is sent, so that the test can tell what it caused."""

    def __init__(self, page: PlayedPage, nursery: trio.Nursery) -> None:
        self.page = page
        self.after: Aftermath | None = None
        self.error: Exception | None = None
        self.over = trio.Event()
        page.chrome.hold.add("Input.dispatchMouseEvent")
        nursery.start_soon(self._click)

    async def _click(self) -> None:
        try:
            self.after = await self.page.tab.actions.click(target(self.page))
        except (PageError, DeadlineExceeded) as error:
            self.error = error
        self.over.set()

    async def answer(self) -> None:
        """Chrome has carried the click out."""
        for asked in self.page.chrome.held:
            self.page.chrome.fake.answer(asked)
        self.page.chrome.held.clear()
        await settle()

    async def end(self) -> Aftermath:
        """Its result."""
        await self.over.wait()
        assert self.after is not None, self.error
        return self.after


async def test_nothing_started() -> None:
    """Where nothing was started nothing is waited for."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        click = Clicking(page, nursery)
        await settle()
        await click.answer()
        assert click.over.is_set()
        assert (await click.end()).now == ""


async def test_request() -> None:
    """A request is waited for; then the page is looked at again."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        page.says["changes"] = {**QUIET, "changes": "+ - text: Loaded"}
        click = Clicking(page, nursery)
        await settle()
        await tell(page, "Network.requestWillBeSent", **_REQUEST)
        await click.answer()
        assert not click.over.is_set()
        await tell(page, "Network.loadingFinished", requestId="1", timestamp=1, encodedDataLength=1)
        after = await click.end()
        assert (after.changes, after.waiting) == ("+ - text: Loaded", 0)


async def test_request_without_an_answer(autojump_clock: MockClock) -> None:
    """A request that stays unanswered is counted when the time for settling is over."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        click = Clicking(page, nursery)
        await settle()
        await tell(page, "Network.requestWillBeSent", **_REQUEST)
        began = trio.current_time()
        await click.answer()
        assert (await click.end()).waiting == 1
        assert trio.current_time() - began == pytest.approx(Timeouts().settle)


@pytest.mark.parametrize("to_come", ["request", "page"])
async def test_closed_meanwhile(autojump_clock: MockClock, to_come: str) -> None:
    """A tab that is closed while something is waited for is told of as closed, and at once."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        click = await _begin(page, nursery, to_come)
        began = trio.current_time()
        page.chrome.fake.event("Target.detachedFromTarget", {"sessionId": SESSION})
        assert (await click.end()).closed
        assert trio.current_time() == began


@pytest.mark.parametrize("to_come", ["request", "page"])
async def test_crash_meanwhile(autojump_clock: MockClock, to_come: str) -> None:
    """A page that crashes is told of at once, and that the deed was done."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        click = await _begin(page, nursery, to_come)
        began = trio.current_time()
        await tell(page, "Inspector.targetCrashed")
        await click.over.wait()
        assert isinstance(click.error, PageError)
        assert (click.error.code, click.error.facts["delivered"]) == ("PAGE_CRASHED", True)
        assert trio.current_time() == began


async def _begin(page: PlayedPage, nursery: trio.Nursery, to_come: str) -> Clicking:
    """A click that was carried out, and has set this going."""
    click = Clicking(page, nursery)
    await settle()
    if to_come == "request":
        await tell(page, "Network.requestWillBeSent", **_REQUEST)
    else:
        frame = frame_of(PAGE, "https://a.example/next", "L2")
        await tell(page, "Page.frameNavigated", frame=frame, type="Navigation")
    await click.answer()
    return click


async def test_navigation() -> None:
    """A navigation is waited for until the page is loaded, and told with its title."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        click = Clicking(page, nursery)
        await settle()
        await tell(
            page,
            "Page.frameRequestedNavigation",
            frameId=PAGE,
            reason="anchorClick",
            url="https://a.example/next",
            disposition="currentTab",
        )
        await click.answer()
        frame = frame_of(PAGE, "https://a.example/next", "L2")
        await tell(page, "Page.frameNavigated", frame=frame, type="Navigation")
        assert not click.over.is_set()
        facts = ["https://a.example/next", "Next", 404]
        told = {"result": {"type": "object", "value": facts}}
        page.chrome.answers["Runtime.evaluate"] = lambda _: told
        await tell(page, "Page.frameStoppedLoading", frameId=PAGE)
        after = await click.end()
        assert (after.now, after.title, after.status) == ("https://a.example/next", "Next", 404)
        assert (after.arrived, after.loading, after.changes) == (True, False, "")


async def test_navigation_that_is_over_at_once() -> None:
    """A page that is loaded before the click is answered has its own title, not the old one's."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        page.says["pressed"] = {**PRESSED, "title": "Before"}
        click = Clicking(page, nursery)
        await settle()
        frame = frame_of(PAGE, "https://a.example/next", "L2")
        await tell(page, "Page.frameNavigated", frame=frame, type="Navigation")
        await tell(page, "Page.frameStoppedLoading", frameId=PAGE)
        facts = ["https://a.example/next", "Next", 404]
        told = {"result": {"type": "object", "value": facts}}
        library = page.chrome.answers["Runtime.evaluate"]
        page.chrome.answers["Runtime.evaluate"] = lambda asked: (
            told if "location.href" in str(asked.params)[:90] else library(asked)
        )
        await click.answer()
        after = await click.end()
        assert (after.now, after.title, after.status) == ("https://a.example/next", "Next", 404)


async def test_page_that_never_comes(autojump_clock: MockClock) -> None:
    """A page that is still on its way before the caller's own deadline is told as that."""
    timeouts = replace(Timeouts(), navigation=30.0)
    async with open_acting(timeouts) as page, trio.open_nursery() as nursery:
        click = Clicking(page, nursery)
        await settle()
        await tell(
            page,
            "Page.frameStartedNavigating",
            frameId=PAGE,
            url="x",
            loaderId="L2",
            navigationType="differentDocument",
        )
        await click.answer()
        assert (await click.end()).loading is True


async def test_frames_of_the_page() -> None:
    """A frame that has another document after the deed is told; a new one is not."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        await page.add_frame("F1", "https://a.example/inner")
        await page.add_frame("F2", "https://a.example/other")
        click = Clicking(page, nursery)
        await settle()
        gone_on = frame_of("F1", "https://a.example/next", "L9", PAGE)
        await tell(page, "Page.frameNavigated", frame=gone_on, type="Navigation")
        await tell(page, "Page.frameStoppedLoading", frameId="F1")
        await page.add_frame("F3", "https://a.example/new")
        await tell(page, "Page.frameStoppedLoading", frameId="F3")
        await click.answer()
        after = await click.end()
        assert [frame.url for frame in after.turned] == ["https://a.example/next"]
        assert (after.now, after.arrived) == ("", False)


async def test_dialog() -> None:
    """A dialog ends the deed at once, as its result."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        click = Clicking(page, nursery)
        await settle()
        await tell(page, "Page.javascriptDialogOpening", **_DIALOG)
        after = await click.end()
        assert after.dialog is not None
        assert after.dialog.message == "Sure?"


async def test_dialog_before_it_was_delivered() -> None:
    """A dialog that came before anything was sent is an error, and nothing was done."""
    async with open_acting() as page:
        await tell(page, "Page.javascriptDialogOpening", **_DIALOG)
        with pytest.raises(PageError, match="waits for an answer") as refused:
            await page.tab.actions.click(target(page))
        assert "delivered" not in refused.value.facts


async def test_hanging_page(autojump_clock: MockClock) -> None:
    """A page that never takes the input is freed; the error says that it was delivered."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        click = Clicking(page, nursery)
        await click.over.wait()
        assert isinstance(click.error, DeadlineExceeded)
        assert click.error.facts["delivered"] is True
        assert click.error.hint.startswith("It was delivered, so look at the page before you do it")
        assert "Runtime.terminateExecution" in page.chrome.methods(f"S-{PAGE}")


async def test_tab_that_closes() -> None:
    """A tab that goes with the click is the click's result."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        click = Clicking(page, nursery)
        await settle()
        page.chrome.fake.event("Target.detachedFromTarget", {"sessionId": f"S-{PAGE}"})
        assert (await click.end()).closed is True


async def test_page_that_closes_itself() -> None:
    """A page that says it is closing is waited for until it is gone."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        page.says["pressed"] = {**PRESSED, "closing": True}
        click = Clicking(page, nursery)
        await settle()
        await click.answer()
        assert not click.over.is_set(), (click.after, click.error)
        page.chrome.fake.event("Target.detachedFromTarget", {"sessionId": f"S-{PAGE}"})
        assert (await click.end()).closed is True


async def test_windows() -> None:
    """Pages that the deed opened are told; those that were there before are not."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        page.chrome.say_page("B" * 32, openerId=PAGE)
        await settle()
        click = Clicking(page, nursery)
        await settle()
        page.chrome.say_page("C" * 32, openerId=PAGE)
        await click.answer()
        assert (await click.end()).opened == ["C" * 32]
