"""Calls: sent once, matched by id, bounded in time, and gone without a trace."""

from dataclasses import replace
from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from bridge import cdp
from bridge.errors import ChromeError
from bridge.session.connection import Connection, open_connection
from bridge.session.session import Session
from bridge.timeouts import Timeouts
from tests.support.calling import call_in
from tests.support.fake_chrome import FakeChrome

NAVIGATE = cdp.page.navigate("https://example.com/")
EVALUATE = cdp.runtime.evaluate("1")


async def test_call(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """A call sends one command with its session, and returns the typed result."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, NAVIGATE))
        asked = await chrome.asked("Page.navigate")
        assert (asked.session, asked.params) == ("P", {"url": "https://example.com/"})
        chrome.answer(asked, {"frameId": "F", "future": 1})
        result = await calling.result()
    assert result == cdp.page.NavigateResult(frame_id=cdp.page.FrameId("F"))
    assert chrome.asked_nowait() == []
    assert connection.statistics().pending == 0


async def test_root_names_no_session(chrome: FakeChrome, connection: Connection) -> None:
    """A command to the browser itself carries no sessionId."""
    async with trio.open_nursery() as nursery:
        call_in(nursery, partial(connection.root.execute, cdp.target.get_targets()))
        asked = await chrome.asked("Target.getTargets")
        assert b"sessionId" not in asked.raw
        chrome.answer(asked, {"targetInfos": []})


async def test_any_order(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """Fifty calls answered backwards each get their own result."""
    async with trio.open_nursery() as nursery:
        callings = [
            call_in(nursery, partial(page.execute, cdp.runtime.evaluate(str(number))))
            for number in range(50)
        ]
        await wait_all_tasks_blocked()
        asked = chrome.asked_nowait()
        assert len({command.id for command in asked}) == connection.statistics().pending == 50
        for command in reversed(asked):
            value = command.params["expression"]
            chrome.answer(command, {"result": {"type": "string", "value": value}})
        results = [(await calling.result()).result.value for calling in callings]
    assert results == [str(number) for number in range(50)]


async def test_refused(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """An error of Chrome fails its caller with Chrome's own words."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, NAVIGATE))
        other = call_in(nursery, partial(page.execute, EVALUATE))
        first, second = await chrome.asked(), await chrome.asked()
        if first.method != "Page.navigate":
            first, second = second, first
        chrome.refuse(first, -32000, "half an emoji \ud83d", data="more")
        error = await calling.error()
        assert not other.ended
        chrome.answer(second, {"result": {"type": "undefined"}})
        await other.result()
    assert error.code == "CDP_ERROR"
    assert error.message == "Chrome refused Page.navigate: half an emoji \ufffd"
    assert error.facts["cdp_code"] == -32000


async def test_malformed_error(
    chrome: FakeChrome, connection: Connection, page: Session, autojump_clock: MockClock
) -> None:
    """A reply whose error has another shape fails its caller at once, not at the deadline."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, NAVIGATE))
        asked = await chrome.asked("Page.navigate")
        began = trio.current_time()
        chrome.say(b'{"id":%d,"error":"boom","sessionId":"P"}' % asked.id)
        error = await calling.error()
        assert trio.current_time() == began
    assert error.code == "CDP_ERROR"
    assert "malformed" in error.message
    statistics = connection.statistics()
    assert (statistics.pending, statistics.noise) == (0, 0)


async def test_wrong_shape(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """A result of another shape fails its caller, and nobody else."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, NAVIGATE))
        chrome.answer(await chrome.asked(), {"frameId": 5})
        error = await calling.error()
        again = call_in(nursery, partial(page.execute, NAVIGATE))
        chrome.answer(await chrome.asked(), {"frameId": "F"})
        await again.result()
    assert error.code == "CDP_ERROR"
    assert error.facts["method"] == "Page.navigate"


async def test_noise(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """Noise, unknown ids and foreign sessions end nothing; noise is counted."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, NAVIGATE))
        asked = await chrome.asked()
        chrome.say(b"garbage", b"", b"[]", b'{"id":999999,"result":{}}', b'{"id":"x"}')
        chrome.event("Page.loadEventFired", {"timestamp": 1}, "nobody")
        chrome.answer(asked, {"frameId": "F"})
        await calling.result()
    assert connection.statistics().noise == 5


async def test_slow_caller_gets_what_came(chrome: FakeChrome, page: Session) -> None:
    """A reply that is repeated, or followed by a late error, changes nothing for its caller."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, NAVIGATE))
        asked = await chrome.asked()
        chrome.answer(asked, {"frameId": "F"})
        chrome.answer(asked, {"frameId": "F"})
        chrome.detached("P")
        assert (await calling.result()).frame_id == "F"


async def test_cancelled_call(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """A cancelled caller leaves nothing behind, and the late reply goes to nobody."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, NAVIGATE))
        asked = await chrome.asked()
        assert connection.statistics().pending == 1
        calling.scope.cancel()
        await wait_all_tasks_blocked()
        assert connection.statistics().pending == 0
        chrome.answer(asked, {"frameId": "late"})
        again = call_in(nursery, partial(page.execute, NAVIGATE))
        chrome.answer(await chrome.asked(), {"frameId": "own"})
        assert (await again.result()).frame_id == "own"
    assert connection.statistics().noise == 0


async def test_back_pressure(
    chrome: FakeChrome, connection: Connection, page: Session, autojump_clock: MockClock
) -> None:
    """A call that finds no room to send fails by its deadline like any other, and is not sent."""
    chrome.stop_reading()
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, NAVIGATE, timeout="new_tab"))
        error = await calling.error()
        chrome.read_again()
        await wait_all_tasks_blocked()
    assert (error.code, error.facts["timeout"]) == ("TIMEOUT", "new_tab")
    assert trio.current_time() - begun == pytest.approx(connection.timeouts.new_tab)
    assert chrome.asked_nowait() == []
    assert connection.statistics().pending == 0


async def test_own_timeouts(chrome: FakeChrome, autojump_clock: MockClock) -> None:
    """The seconds come from the named field of the connection's own Timeouts."""
    timeouts = replace(Timeouts(), close=1.25, probe=3.0)
    async with open_connection(chrome, timeouts) as connection:
        begun = trio.current_time()
        async with trio.open_nursery() as nursery:
            act = partial(connection.root.execute, cdp.browser.close(), timeout="close")
            error = await call_in(nursery, act).error()
        assert trio.current_time() - begun == pytest.approx(1.25)
    assert (error.code, error.facts["seconds"]) == ("TIMEOUT", 1.25)


async def test_transport_closed(chrome: FakeChrome) -> None:
    """The transport is closed at the end of the block, also of one that is cancelled."""
    with trio.CancelScope() as scope:
        async with open_connection(chrome):
            assert not chrome.closed
            scope.cancel()
            await trio.sleep_forever()
    assert chrome.closed


async def test_error_of_block(chrome: FakeChrome) -> None:
    """An error of the block leaves as itself."""

    async def run() -> None:
        async with open_connection(chrome):
            raise ChromeError("CDP_ERROR", "mine")

    with pytest.raises(ChromeError, match="mine"):
        await run()
    assert chrome.closed


async def test_statistics(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """The figures tell calls on their way, live sessions, noise, unheard events and transport."""
    before = connection.statistics()
    assert (before.pending, before.sessions, before.transport) == (0, 2, "memory")
    chrome.event("Page.loadEventFired", {"timestamp": 1}, "P")
    chrome.event("Page.loadEventFired", "unreadable, and nobody reads it", "P")
    chrome.say(b"noise")
    await wait_all_tasks_blocked()
    after = connection.statistics()
    assert (after.unheard - before.unheard, after.noise - before.noise) == (2, 1)
