"""Work in a page does not wait behind a dialog."""

from collections.abc import AsyncIterator

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from bridge.errors import PageError
from bridge.page.dialogs import Dialogs
from bridge.session.connection import open_connection
from tests.support.fake_chrome import FakeChrome
from tests.support.scripted_chrome import frame_of, settle

_OPENING = {
    "url": "",
    "frameId": "F",
    "message": "x" * 5000,
    "type": "confirm",
    "hasBrowserHandler": False,
}


@pytest.fixture
def chrome() -> FakeChrome:
    """The browser's side."""
    return FakeChrome()


@pytest.fixture
async def dialogs(chrome: FakeChrome) -> AsyncIterator[Dialogs]:
    """Dialogs of a page, none open yet."""
    async with open_connection(chrome) as connection:
        yield Dialogs(connection.root)


async def test_opening_ends_what_is_under_way(chrome: FakeChrome, dialogs: Dialogs) -> None:
    """A dialog ends all that runs, and refuses what begins, until it is closed."""
    ended: list[PageError] = []

    async def work() -> None:
        with pytest.raises(PageError) as stopped, dialogs.ending():
            await trio.sleep_forever()
        ended.append(stopped.value)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(work)
        nursery.start_soon(work)
        await wait_all_tasks_blocked()
        dialogs.check()
        chrome.event("Page.javascriptDialogOpening", _OPENING)
    assert [error.code for error in ended] == ["DIALOG_OPEN", "DIALOG_OPEN"]
    assert ended[0].facts == {"type": "confirm", "message": "x" * 1000, "url": "", "frame": "F"}
    with pytest.raises(PageError, match="confirm"):
        dialogs.check()
    chrome.event("Page.javascriptDialogClosed", {"frameId": "F", "result": True, "userInput": ""})
    await settle()
    dialogs.check()


async def test_crash_takes_the_dialog(chrome: FakeChrome, dialogs: Dialogs) -> None:
    """The dialog of a page that crashed is open no longer."""
    chrome.event("Page.javascriptDialogOpening", _OPENING)
    chrome.event("Inspector.targetCrashed")
    await settle()
    dialogs.check()


async def test_a_cancel_stays_a_cancel(chrome: FakeChrome, dialogs: Dialogs) -> None:
    """Work that is cancelled from outside is not said to have met a dialog."""
    with trio.move_on_after(0) as outside, dialogs.ending():
        await trio.sleep_forever()
    assert outside.cancelled_caught


async def test_answer(chrome: FakeChrome, dialogs: Dialogs, nursery: trio.Nursery) -> None:
    """An answer is handed on as it is."""

    async def reply() -> None:
        asked = await chrome.asked("Page.handleJavaScriptDialog")
        assert asked.params == {"accept": True, "promptText": "me"}
        chrome.answer(asked)

    nursery.start_soon(reply)
    await dialogs.answer(accept=True, text="me")


async def test_question_of_chrome(chrome: FakeChrome, dialogs: Dialogs) -> None:
    """Chrome's question about another program may be open until the page is of another host."""

    async def goes(url: str, frame: str = "M", parent: str | None = None) -> bool:
        told = {"frame": frame_of(frame, url, "L", parent), "type": "Navigation"}
        chrome.event("Page.frameNavigated", told)
        await settle()
        return dialogs.asking

    await goes("https://a.example/")
    chrome.event(
        "Page.frameRequestedNavigation",
        {"frameId": "M", "reason": "anchorClick", "url": "tel:1", "disposition": "currentTab"},
    )
    assert await goes("https://a.example/other")
    assert await goes("https://b.example/", "F", "M")
    assert not await goes("about:blank")
