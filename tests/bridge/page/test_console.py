"""The console of a tab keeps the newest, and nothing for ever."""

import gc
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from weakref import ref

import pytest
import trio

from bridge.page.console import KEEP, KEEP_BYTES, Console
from bridge.session.connection import open_connection
from tests.support.fake_chrome import FakeChrome
from tests.support.scripted_chrome import settle, target_info


@dataclass
class Page:
    """A page whose browser the test plays."""

    chrome: FakeChrome
    console: Console

    def log(self, text: str, session: str = "", **more: Any) -> None:
        """Tell of one line."""
        params = {
            "type": "log",
            "args": [{"type": "string", "value": text, **more}],
            "executionContextId": 1,
            "timestamp": 1.0,
        }
        self.chrome.event("Runtime.consoleAPICalled", params, session)

    @property
    def texts(self) -> list[str]:
        return [said.remark.text for said in self.console.said()]


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """A page that has said nothing yet."""
    chrome = FakeChrome()
    async with open_connection(chrome) as connection, trio.open_nursery() as nursery:
        yield Page(chrome, Console(connection.root, nursery.start_soon))
        nursery.cancel_scope.cancel()


async def test_order_and_numbers(page: Page) -> None:
    """Lines of all frames come in their order, with numbers one can go on from."""
    info = target_info("T", type="iframe")
    attached = {"sessionId": "F", "targetInfo": info, "waitingForDebugger": False}
    page.chrome.event("Target.attachedToTarget", attached)
    page.log("one")
    page.log("two", "F")
    page.log("three")
    await settle()
    assert page.texts == ["one", "two", "three"]
    assert [(each.number, each.session.key) for each in page.console.said(after=1)] == [
        (2, "F"),
        (3, ""),
    ]
    assert list(page.console.said(after=3)) == []


async def test_keeps_the_newest(page: Page) -> None:
    """What is more than the ring holds pushes out the oldest, and is still counted."""
    for number in range(KEEP + 5):
        page.log(str(number))
    await settle()
    assert page.texts == [str(number) for number in range(5, KEEP + 5)]
    assert (page.console.count, page.console.first) == (KEEP + 5, 6)


async def test_bytes_are_bounded(page: Page) -> None:
    """Long lines are bounded by their size, however few they are."""
    for number in range(200):
        page.log(f"{number} {'x' * 60_000}")
    await settle()
    assert page.console.size <= KEEP_BYTES
    assert page.console.count == 200
    assert page.texts[-1].startswith("199 x")


async def test_huge_line(page: Page) -> None:
    """A line of 10 MB leaves its beginning, and the lines before it."""
    page.log("before")
    page.log("y" * 10_000_000)
    await settle()
    before, huge = page.texts
    assert before == "before"
    assert huge.startswith("yyy")
    assert page.console.size < 100_000


async def test_objects_are_released(page: Page) -> None:
    """After a hundred objects Chrome is told to let them go, once for all that come meanwhile."""
    for _ in range(250):
        page.log("", objectId="1.2.3")
    asked = await page.chrome.asked()
    assert asked.method == "Runtime.releaseObjectGroup"
    assert asked.params == {"objectGroup": "console"}
    page.chrome.answer(asked, {})
    await settle()
    assert page.chrome.asked_nowait() == []
    for _ in range(100):
        page.log("", objectId="1.2.3")
    assert (await page.chrome.asked()).method == "Runtime.releaseObjectGroup"


async def test_frames_that_are_gone(page: Page) -> None:
    """Nothing is kept of a frame that has gone with its few objects, once its lines are."""

    def attach(session: str) -> None:
        info = target_info(session, type="iframe")
        attached = {"sessionId": session, "targetInfo": info, "waitingForDebugger": False}
        page.chrome.event("Target.attachedToTarget", attached)

    attach("F")
    page.log("", "F", objectId="1.2.3")
    await settle()
    known = ref(next(page.console.said()).session)
    page.chrome.event("Target.detachedFromTarget", {"sessionId": "F"})
    attach("G")
    for _ in range(KEEP):
        page.log("", "G")
    await settle()
    gc.collect()
    assert known() is None


async def test_failed_release(page: Page) -> None:
    """A page that cannot release them any more ends nothing."""
    for _ in range(100):
        page.log("", objectId="1.2.3")
    page.chrome.refuse(await page.chrome.asked(), -32000, "gone")
    page.log("after")
    await settle()
    assert page.texts[-1] == "after"


async def test_unreadable_event(page: Page) -> None:
    """An event nobody can read is passed over and still counted."""
    page.chrome.event("Runtime.consoleAPICalled", {"type": 5})
    page.log("fine")
    await settle()
    assert [(each.number, each.remark.text) for each in page.console.said()] == [(2, "fine")]
