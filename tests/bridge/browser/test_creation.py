"""Blank pages are asked for without leaving any behind."""

from collections.abc import AsyncIterator

import pytest
import trio
from trio.testing import MockClock

from bridge.browser.creation import Window, create_page, tolerate
from bridge.errors import ChromeError, UsageError
from bridge.session.connection import Connection, open_connection
from tests.support.fake_chrome import FakeChrome
from tests.support.scripted_chrome import settle


@pytest.fixture
def chrome() -> FakeChrome:
    """The browser's side."""
    return FakeChrome()


@pytest.fixture
async def connection(chrome: FakeChrome) -> AsyncIterator[Connection]:
    """Ours."""
    async with open_connection(chrome) as opened:
        yield opened


async def test_created(chrome: FakeChrome, connection: Connection, nursery: trio.Nursery) -> None:
    """The page asked for is the one that is made, in its context, in front if wanted."""

    async def answer() -> None:
        asked = await chrome.asked("Target.createTarget")
        assert asked.params == {
            "url": "about:blank",
            "background": False,
            "focus": True,
            "browserContextId": "X",
            "newWindow": True,
            "width": 300,
        }
        chrome.answer(asked, {"targetId": "A"})

    nursery.start_soon(answer)
    made = await create_page(
        connection.root,
        nursery.start_soon,
        False,
        "X",  # type: ignore[arg-type]
        Window(width=300),
    )
    assert made == "A"


async def test_refused(chrome: FakeChrome, connection: Connection, nursery: trio.Nursery) -> None:
    """What Chrome refuses is raised where it was asked for."""

    async def refuse() -> None:
        chrome.refuse(await chrome.asked(), -32000, "Failed to find browser context")

    nursery.start_soon(refuse)
    with pytest.raises(ChromeError, match="browser context"):
        await create_page(connection.root, nursery.start_soon, True, None, None)


async def test_abandoned(
    chrome: FakeChrome, connection: Connection, nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    """A page that comes when nobody waits any more is closed; a refusal then is nobody's."""
    for refuses in (False, True):
        with trio.move_on_after(1):
            await create_page(connection.root, nursery.start_soon, True, None, None)
        asked = await chrome.asked("Target.createTarget")
        if refuses:
            chrome.refuse(asked, -32000, "no")
        else:
            chrome.answer(asked, {"targetId": "A"})
            closing = await chrome.asked("Target.closeTarget")
            assert closing.params == {"targetId": "A"}
            chrome.refuse(closing, -32602, "No target with given id found")
        await settle()
    assert chrome.asked_nowait() == []


async def test_tolerance_has_a_limit() -> None:
    """Only failures of the browser and its pages are tolerated."""

    async def fail(error: Exception) -> None:
        raise error

    await tolerate(fail, UsageError("BAD_ARGS", "no"))
    with pytest.raises(ZeroDivisionError):
        await tolerate(fail, ZeroDivisionError())
