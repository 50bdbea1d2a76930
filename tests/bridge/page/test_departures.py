"""Pages that are about to be left, with a page played by hand."""

from dataclasses import replace
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from bridge.errors import DeadlineExceeded
from bridge.timeouts import Timeouts
from tests.support.acting import open_acting, target, tell
from tests.support.fake_chrome import Asked
from tests.support.played_page import PAGE, PlayedPage
from tests.support.scripted_chrome import frame_of, settle

_NEXT = "https://a.example/next"


async def _leaves(page: PlayedPage, frame: str = PAGE) -> None:
    """Chrome has begun to go there, and holds back what is asked of the page."""
    page.chrome.hold |= {"Runtime.evaluate", "Runtime.callFunctionOn"}
    told = {"frameId": frame, "url": _NEXT, "loaderId": "L2"}
    await tell(page, "Page.frameStartedNavigating", **told, navigationType="differentDocument")


def _hold_when_pressed(page: PlayedPage) -> None:
    def pressed(_: Asked) -> dict[str, Any]:
        page.chrome.hold.add("Runtime.callFunctionOn")
        return {}

    page.chrome.answers["Input.dispatchMouseEvent"] = pressed


async def _stays(page: PlayedPage) -> None:
    """Nothing came of it: Chrome carries out what it held."""
    await tell(page, "Page.frameStoppedLoading", frameId=PAGE)
    page.chrome.hold.clear()
    for asked in page.chrome.held:
        page.chrome.fake.answer(asked, page.chrome.answers[asked.method](asked))
    page.chrome.held.clear()


async def test_asked_of_a_page_that_is_left(autojump_clock: MockClock) -> None:
    """What nothing comes for is said as that, with the address, and no script is ended for it."""
    async with open_acting() as page:
        await page.tab.worlds.call(page.tab.frames.main, "rest")
        await _leaves(page)
        began = trio.current_time()
        with pytest.raises(DeadlineExceeded, match=f"on its way to {_NEXT}, .* for 10 s") as late:
            await page.tab.worlds.call(page.tab.frames.main, "rest")
        assert late.value.retryable
        assert trio.current_time() - began == pytest.approx(Timeouts().read)
        for _ in range(2):  # from then on it is said soon
            began = trio.current_time()
            with pytest.raises(DeadlineExceeded, match="on its way"):
                await page.tab.evaluate("1")
            assert trio.current_time() - began == pytest.approx(Timeouts().held)
        assert "Runtime.terminateExecution" not in page.chrome.methods(f"S-{PAGE}")
        assert [asked.params.get("expression") for asked in page.chrome.held] == ["0"] * 3


async def test_page_that_stays_after_all() -> None:
    """Where nothing comes of it, the page is asked as if nothing had been."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        await _leaves(page)
        nursery.start_soon(page.tab.worlds.call, page.tab.frames.main, "rest")
        await settle()
        assert page.calls == []
        await _stays(page)
        await settle()
        assert [name for name, _ in page.calls] == ["rest"]


async def test_end_nobody_told() -> None:
    """A page that answers is not being left, whatever was told of it."""
    async with open_acting() as page:
        await _leaves(page)
        page.chrome.hold.clear()
        await page.tab.worlds.call(page.tab.frames.main, "rest")
        before = len(page.chrome.seen)
        await page.tab.worlds.call(page.tab.frames.main, "rest")
        assert len(page.chrome.seen) == before + 1


async def test_frame_of_the_same_process() -> None:
    """A frame that goes elsewhere holds nobody up, unless it has a process of its own."""
    async with open_acting() as page:
        await page.add_frame("F1", "https://a.example/inner")
        await _leaves(page, "F1")
        page.chrome.hold.clear()
        await page.tab.worlds.call(page.tab.frames.main, "rest")
        assert "0" not in [asked.params.get("expression") for asked in page.chrome.seen]


async def test_left_while_it_is_asked(autojump_clock: MockClock) -> None:
    """A page that begins to leave while it is asked costs no more than one that had begun."""
    async with open_acting(replace(Timeouts(), read=4.0)) as page, trio.open_nursery() as nursery:
        page.chrome.hold.add("Runtime.callFunctionOn")
        late: list[DeadlineExceeded] = []

        async def ask() -> None:
            with pytest.raises(DeadlineExceeded) as caught:
                await page.tab.worlds.call(page.tab.frames.main, "rest")
            late.append(caught.value)

        nursery.start_soon(ask)
        await settle()
        await _leaves(page)
        await trio.sleep(Timeouts().read)
        assert "on its way" in late[0].message
        assert not late[0].retryable


async def test_script_that_has_sent_the_page_elsewhere(autojump_clock: MockClock) -> None:
    """A script whose time is over while the page is being left is told so; it may have run."""
    timeouts = replace(Timeouts(), evaluate=3.0)
    async with open_acting(timeouts) as page, trio.open_nursery() as nursery:
        page.chrome.hold.add("Runtime.evaluate")

        async def run() -> None:
            with pytest.raises(DeadlineExceeded, match="on its way") as late:
                await page.tab.evaluate("go()")
            assert not late.value.retryable

        nursery.start_soon(run)
        await settle()
        await _leaves(page)


async def test_click_that_leaves_for_long(autojump_clock: MockClock) -> None:
    """A click whose page is left before it could tell of it is delivered, and waits for the next.

    What the next page is, if it comes, is the click's result.
    """
    async with open_acting() as page, trio.open_nursery() as nursery:
        _hold_when_pressed(page)
        results = []

        async def click() -> None:
            results.append(await page.tab.actions.click(target(page)))

        nursery.start_soon(click)
        await settle()
        await _leaves(page)
        await trio.sleep(Timeouts().read + 4)
        assert results == []
        page.chrome.hold.clear()
        frame = frame_of(PAGE, _NEXT, "L2")
        await tell(page, "Page.frameNavigated", frame=frame, type="Navigation")
        facts = {"result": {"type": "object", "value": [_NEXT, "Next", 200]}}
        page.chrome.answers["Runtime.evaluate"] = lambda _: facts
        await tell(page, "Page.frameStoppedLoading", frameId=PAGE)
        await settle()
        assert [(after.now, after.title, after.told) for after in results] == [(_NEXT, "Next", {})]


async def test_click_whose_page_never_comes(autojump_clock: MockClock) -> None:
    """Where nothing comes in the time of a navigation, the click says that it is still going."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        _hold_when_pressed(page)
        began = trio.current_time()
        nursery.start_soon(_leaves_soon, page)
        after = await page.tab.actions.click(target(page))
        assert (after.loading, after.told, after.now) == (True, {}, "")
        assert trio.current_time() - began == pytest.approx(Timeouts().navigation)


async def _leaves_soon(page: PlayedPage) -> None:
    await settle()
    await _leaves(page)


async def test_comes_in_the_moment_it_is_given_up(autojump_clock: MockClock) -> None:
    """A page that comes when the wait for it has just ended changes nothing about that."""
    async with open_acting() as page:
        session, departures = page.tab.session, page.tab.frames.departures

        async def wait() -> None:
            with departures.ending(session):
                departures.begin(session, _NEXT)
                try:
                    await trio.sleep_forever()
                finally:
                    departures.end(session)

        with pytest.raises(DeadlineExceeded, match=f"on its way to {_NEXT}"):
            await wait()
