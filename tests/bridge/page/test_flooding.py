"""A page that floods its console is heard now and then, and nothing twice."""

from collections.abc import AsyncIterator, Iterable

import pytest
import trio
from trio.testing import MockClock

from bridge.page.console import Console
from bridge.page.flooding import CHROME_KEEPS
from bridge.session.connection import open_connection
from tests.support.fake_chrome import FakeChrome
from tests.support.scripted_chrome import settle, target_info


class Page:
    """A page whose browser the test plays."""

    def __init__(self, chrome: FakeChrome, console: Console) -> None:
        self.chrome = chrome
        self.console = console

    def say(self, numbers: Iterable[int], session: str = "") -> None:
        """Tell of lines; each was said at the time of its number."""
        for number in numbers:
            said = {"type": "string", "value": f'line {number} {{"timestamp":1}}'}
            params = {"type": "log", "args": [said], "executionContextId": 1, "timestamp": number}
            self.chrome.event("Runtime.consoleAPICalled", params, session)

    def attach(self, session: str) -> None:
        """Tell of a frame in a process of its own."""
        info = target_info("T", type="iframe")
        attached = {"sessionId": session, "targetInfo": info, "waitingForDebugger": False}
        self.chrome.event("Target.attachedToTarget", attached)

    async def expect(self, method: str) -> None:
        """Wait for this command and answer it."""
        self.chrome.answer(await self.chrome.asked(method))
        await settle()

    @property
    def numbers(self) -> list[int]:
        return [int(said.remark.text.split()[1]) for said in self.console.said()]


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """A page that has said nothing yet."""
    chrome = FakeChrome()
    async with open_connection(chrome) as connection, trio.open_nursery() as nursery:
        yield Page(chrome, Console(connection.root, nursery.start_soon))
        nursery.cancel_scope.cancel()


async def test_a_flood(autojump_clock: MockClock, page: Page) -> None:
    """Nothing is heard for a while, then the newest lines of the meantime, until it is over."""
    page.say(range(1, CHROME_KEEPS + 1))
    await page.expect("Runtime.disable")
    start = trio.current_time()
    enable = await page.chrome.asked("Runtime.enable")
    assert 1 < trio.current_time() - start < 5
    page.say(range(CHROME_KEEPS + 501, 2 * CHROME_KEEPS + 501))  # 500 nobody knows any more
    page.chrome.answer(enable)
    await page.expect("Runtime.disable")
    assert page.console.uncounted == page.console.count == 2 * CHROME_KEEPS
    enable = await page.chrome.asked("Runtime.enable")
    page.say(range(CHROME_KEEPS + 521, 2 * CHROME_KEEPS + 521))  # of them 20 new ones
    page.chrome.answer(enable)
    await settle()
    assert page.chrome.asked_nowait() == []
    assert page.numbers == list(range(CHROME_KEEPS + 521, 2 * CHROME_KEEPS + 521))
    assert page.console.count == 2 * CHROME_KEEPS + 20
    page.say([1])  # a clock may go back
    await settle()
    assert page.numbers[-1] == 1


async def test_no_flood(autojump_clock: MockClock, page: Page) -> None:
    """Many lines are heard as they come, where they take their time."""
    for number in range(1, 3 * CHROME_KEEPS):
        page.say([number])
        if number % 100 == 0:
            await trio.sleep(0.06)
    await settle()
    assert page.chrome.asked_nowait() == []
    assert page.console.count == 3 * CHROME_KEEPS - 1


async def test_lines_under_way(autojump_clock: MockClock, page: Page) -> None:
    """What comes until Chrome has heard is told, and not again by what it tells afterwards."""
    page.say(range(1, CHROME_KEEPS + 1))
    disable = await page.chrome.asked("Runtime.disable")
    page.say(range(CHROME_KEEPS + 1, CHROME_KEEPS + 301))
    page.chrome.answer(disable)
    enable = await page.chrome.asked("Runtime.enable")
    page.say(range(301, CHROME_KEEPS + 301))
    page.chrome.answer(enable)
    await settle()
    assert page.console.count == CHROME_KEEPS + 300
    assert page.numbers == list(range(301, CHROME_KEEPS + 301))
    assert page.console.uncounted == 0


async def test_not_all_of_it(autojump_clock: MockClock, page: Page) -> None:
    """Lines may be missing where the last that was heard does not come again, however few come.

    What Chrome keeps ends with the page, and is fewer where lines are long.
    """
    page.say(range(1, CHROME_KEEPS + 1))
    await page.expect("Runtime.disable")
    enable = await page.chrome.asked("Runtime.enable")
    page.say([CHROME_KEEPS + 41])
    page.chrome.answer(enable)
    await settle()
    assert page.console.uncounted == page.console.count == CHROME_KEEPS + 1
    page.say([CHROME_KEEPS + 42])
    await settle()
    assert page.console.uncounted == CHROME_KEEPS + 1


async def test_frame_before_another(autojump_clock: MockClock, page: Page) -> None:
    """That a frame left some out is known still when it has gone and another has come."""
    page.attach("F")
    page.say(range(1, CHROME_KEEPS + 1), "F")
    await page.expect("Runtime.disable")
    await page.expect("Runtime.enable")
    page.chrome.event("Target.detachedFromTarget", {"sessionId": "F"})
    page.attach("G")
    await settle()
    assert page.console.uncounted == CHROME_KEEPS


async def test_who_wants_to_read(autojump_clock: MockClock, page: Page) -> None:
    """A reader gets what has been said by now, without the pause."""
    page.say(range(1, CHROME_KEEPS + 1))
    await page.expect("Runtime.disable")
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(page.console.catch_up)
        enable = await page.chrome.asked("Runtime.enable")
        page.say([CHROME_KEEPS + 7])
        page.chrome.answer(enable)
    assert trio.current_time() == start
    assert page.numbers[-1] == CHROME_KEEPS + 7
    await page.console.catch_up()
    assert trio.current_time() == start


async def test_busy_page(autojump_clock: MockClock, page: Page) -> None:
    """A page that does not answer keeps its reader waiting for a moment only, who is told so."""
    page.say(range(1, CHROME_KEEPS + 1))
    await page.expect("Runtime.disable")
    start = trio.current_time()
    assert not await page.console.catch_up()
    assert trio.current_time() - start == pytest.approx(1)
    await page.expect("Runtime.enable")
    assert await page.console.catch_up()


async def test_reader_beside_the_command(autojump_clock: MockClock, page: Page) -> None:
    """Until Chrome stops telling there is nothing to catch up with."""
    page.say(range(1, CHROME_KEEPS + 1))
    disable = await page.chrome.asked("Runtime.disable")
    start = trio.current_time()
    assert await page.console.catch_up()
    assert trio.current_time() == start
    page.chrome.answer(disable)


async def test_asked_until_it_hears(autojump_clock: MockClock, page: Page) -> None:
    """A page that could not be told is told again: it would never be heard any more."""
    page.say(range(1, CHROME_KEEPS + 1))
    page.chrome.refuse(await page.chrome.asked("Runtime.disable"), -32000, "not now")
    await page.expect("Runtime.disable")
    page.chrome.refuse(await page.chrome.asked("Runtime.enable"), -32000, "not now")
    await page.expect("Runtime.enable")
    page.say([CHROME_KEEPS + 1])
    await settle()
    assert page.numbers[-1] == CHROME_KEEPS + 1


async def test_frame_that_goes(autojump_clock: MockClock, page: Page) -> None:
    """Of a frame that has gone nobody asks anything more."""
    page.attach("F")
    page.say(range(1, CHROME_KEEPS + 1), "F")
    await page.expect("Runtime.disable")
    page.chrome.event("Target.detachedFromTarget", {"sessionId": "F"})
    await trio.sleep(60)
    assert page.chrome.asked_nowait() == []
    await page.console.catch_up()
