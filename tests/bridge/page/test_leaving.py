"""Leaving a page over its dialogs, with a page played by hand."""

from typing import Any

import pytest

from bridge.errors import PageError
from bridge.page.leaving import Dismissed
from bridge.timeouts import Timeouts
from tests.support.acting import open_acting, tell
from tests.support.played_page import PAGE, SESSION, PlayedPage


async def _open(page: PlayedPage, kind: str, *, more: int = 0) -> None:
    """Open a dialog; each answer opens the next, so many times."""
    told = {"url": "", "frameId": PAGE, "message": "?", "type": kind, "hasBrowserHandler": False}
    await tell(page, "Page.javascriptDialogOpening", **told)
    left = [more]

    def answer(asked: Any) -> dict[str, Any]:
        assert not asked.params["accept"]
        closed = {"frameId": PAGE, "result": False, "userInput": ""}
        page.chrome.fake.event("Page.javascriptDialogClosed", closed, SESSION)
        if left[0]:
            left[0] -= 1
            page.chrome.fake.event("Page.javascriptDialogOpening", told, SESSION)
        elif page.chrome.held:
            page.chrome.fake.answer(page.chrome.held.pop(), {"result": {"type": "undefined"}})
        return {}

    page.chrome.answers["Page.handleJavaScriptDialog"] = answer
    page.chrome.hold.add("Runtime.evaluate")  # no script gets its turn before the last of them


async def _refused(page: PlayedPage) -> PageError:
    with pytest.raises(PageError) as refused:
        async with page.tab.leaving.way_out():
            await page.tab.leaving.clear(Dismissed())
    return refused.value


async def test_second_time() -> None:
    """The first time a dialog is in the way it stays open; the second time it is dismissed."""
    async with open_acting() as page:
        await _open(page, "confirm")
        refused = await _refused(page)
        assert (refused.code, refused.facts["leaves"]) == ("DIALOG_OPEN", True)
        assert page.tab.dialogs.current is not None
        dismissed = Dismissed()
        await page.tab.leaving.clear(dismissed)
        assert dismissed.count == 1
        assert "Runtime.terminateExecution" not in page.chrome.methods(SESSION)


async def test_endless() -> None:
    """A script that goes on opening dialogs is ended, and all of them are counted."""
    async with open_acting() as page:
        page.chrome.answers["Runtime.terminateExecution"] = lambda _: {}
        await _open(page, "alert", more=19)
        await _refused(page)
        dismissed = Dismissed()
        await page.tab.leaving.clear(dismissed)
        assert dismissed.count == 20
        assert dismissed.last is not None
        assert "Runtime.terminateExecution" in page.chrome.methods(SESSION)


async def test_question_to_stay() -> None:
    """Whether to stay is never answered by going."""
    async with open_acting() as page:
        await _open(page, "beforeunload")
        for _ in range(2):
            assert (await _refused(page)).facts["leaves"] is False


async def test_nothing_in_the_way() -> None:
    """Without a dialog the page is left alone."""
    async with open_acting() as page:
        before = len(page.chrome.seen)
        dismissed = Dismissed()
        await page.tab.leaving.clear(dismissed)
        assert dismissed.count == 0
        assert len(page.chrome.seen) == before


async def test_too_many() -> None:
    """Where they still come when the time is over, nothing goes elsewhere behind them."""
    async with open_acting(Timeouts(read=0.2)) as page:
        await _open(page, "alert", more=10**9)
        await _refused(page)
        assert (await _refused(page)).facts["leaves"] is True
        assert page.tab.dialogs.current is not None
