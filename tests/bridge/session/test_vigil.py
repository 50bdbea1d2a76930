"""Slow is not hung: a browser is given up only when it says nothing at all.

Times are exact here because the clock is not the machine's.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from bridge import cdp
from bridge.errors import BridgeError, ChromeError, DeadlineExceeded, LinkError
from bridge.session.connection import Connection, open_connection
from bridge.timeouts import Timeouts
from bridge.transport.base import browser_gone
from tests.support.calling import call_in
from tests.support.fake_chrome import FakeChrome

EVALUATE = cdp.runtime.evaluate("1")
VALUE = {"result": {"type": "undefined"}}
PROBE = Timeouts().probe


Elapsed = Callable[[], float]


@pytest.fixture
async def elapsed() -> Elapsed:
    """Seconds since the test began."""
    begun = trio.current_time()
    return lambda: trio.current_time() - begun


async def test_silent_chrome(
    chrome: FakeChrome, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """A command Chrome never answers fails with a deadline by its field and leaves nothing."""
    timeouts = replace(Timeouts(), command=2.5)
    async with open_connection(chrome, timeouts) as connection:
        with pytest.raises(DeadlineExceeded) as caught:
            await connection.root.execute(EVALUATE)
        assert elapsed() == pytest.approx(2.5)
        assert caught.value.facts == {
            "operation": "Runtime.evaluate",
            "timeout": "command",
            "seconds": 2.5,
        }
        assert connection.statistics().pending == 0
    assert [command.method for command in chrome.asked_nowait()] == ["Runtime.evaluate"]


@pytest.mark.parametrize("idle", [0.0, 1.0, 3600.0])
async def test_hung(
    chrome: FakeChrome,
    connection: Connection,
    idle: float,
    elapsed: Elapsed,
    autojump_clock: MockClock,
) -> None:
    """A browser that says nothing is given up after two probe periods, however long it was idle."""
    await trio.sleep(idle)
    with pytest.raises(ChromeError) as caught:
        await connection.root.execute(EVALUATE)
    assert elapsed() == pytest.approx(idle + 2 * PROBE)
    assert caught.value.code == "BROWSER_HUNG"
    assert caught.value.facts == {"method": "Runtime.evaluate", "outcome": "unknown"}
    assert connection.statistics().pending == 0
    methods = [command.method for command in chrome.asked_nowait()]
    assert methods == ["Runtime.evaluate", "Browser.getVersion"]


async def test_starting(chrome: FakeChrome, elapsed: Elapsed, autojump_clock: MockClock) -> None:
    """A browser that was just spawned has all the time of a launch for its first word."""
    timeouts = Timeouts()
    async with open_connection(chrome, timeouts, starting=True) as connection:
        with pytest.raises(ChromeError) as caught:
            await connection.root.execute(EVALUATE)
    assert elapsed() == pytest.approx(timeouts.launch)
    assert caught.value.code == "BROWSER_HUNG"


async def test_started(chrome: FakeChrome, elapsed: Elapsed, autojump_clock: MockClock) -> None:
    """Once it has said something its silence counts as that of any other."""
    async with open_connection(chrome, Timeouts(), starting=True) as connection:
        async with trio.open_nursery() as nursery:
            calling = call_in(nursery, partial(connection.root.execute, EVALUATE))
            await trio.sleep(2 * PROBE + 1)
            chrome.answer(await chrome.asked("Runtime.evaluate"), VALUE)
            await calling.result()
        begun = elapsed()
        with pytest.raises(ChromeError) as caught:
            await connection.root.execute(EVALUATE)
    assert elapsed() - begun == pytest.approx(2 * PROBE)
    assert caught.value.code == "BROWSER_HUNG"


async def test_last_sign_of_life(
    chrome: FakeChrome, connection: Connection, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """The periods are counted from the last that was heard, not from a fixed beat."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(connection.root.execute, EVALUATE))
        await trio.sleep(PROBE - 0.5)
        chrome.event("Target.targetDestroyed", {"targetId": "T"})
        assert (await calling.error()).code == "BROWSER_HUNG"
    assert elapsed() == pytest.approx(PROBE - 0.5 + 2 * PROBE)


async def test_hung_with_many_calls(
    chrome: FakeChrome, connection: Connection, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """All calls under way are told."""
    async with trio.open_nursery() as nursery:
        callings = [call_in(nursery, partial(connection.root.execute, EVALUATE)) for _ in range(10)]
        assert {(await calling.error()).code for calling in callings} == {"BROWSER_HUNG"}
    assert elapsed() == pytest.approx(2 * PROBE)
    assert connection.statistics().pending == 0


async def test_slow_page(
    chrome: FakeChrome, connection: Connection, autojump_clock: MockClock
) -> None:
    """While the browser answers for itself a call may take all its time, and then get its reply."""

    async def answer_for_itself() -> None:
        while True:
            command = await chrome.asked("Browser.getVersion")
            chrome.answer(command)

    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(connection.root.execute, EVALUATE))
        asked = await chrome.asked("Runtime.evaluate")
        nursery.start_soon(answer_for_itself)
        await trio.sleep(29.0)
        assert not calling.ended
        chrome.answer(asked, VALUE)
        await calling.result()
        nursery.cancel_scope.cancel()
    assert connection.statistics().noise == 0


async def test_slow_page_has_a_deadline(
    chrome: FakeChrome, connection: Connection, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """A call in a hung page of a live browser is TIMEOUT, not the browser's fault."""

    async def answer_for_itself() -> None:
        while True:
            chrome.answer(await chrome.asked("Browser.getVersion"))

    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(connection.root.execute, EVALUATE))
        await chrome.asked("Runtime.evaluate")
        nursery.start_soon(answer_for_itself)
        error = await calling.error()
        nursery.cancel_scope.cancel()
    assert error.code == "TIMEOUT"
    assert elapsed() == pytest.approx(connection.timeouts.command)


@pytest.mark.parametrize("pause", [PROBE / 4, PROBE * 1.5])
async def test_events_are_life(
    chrome: FakeChrome, connection: Connection, pause: float, autojump_clock: MockClock
) -> None:
    """A browser that answers nothing but sends events, or even noise, is only slow."""

    async def babble() -> None:
        while True:
            await trio.sleep(pause)
            chrome.say(b"noise")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(babble)
        error = await call_in(nursery, partial(connection.root.execute, EVALUATE)).error()
        nursery.cancel_scope.cancel()
    assert error.code == "TIMEOUT"


async def test_ended_while_doubted(
    chrome: FakeChrome, connection: Connection, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """A call that ends while the browser is being asked is told at once, and its own end."""
    chrome.attached("P")
    await wait_all_tasks_blocked()
    page = connection.session("P")
    assert page is not None
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, EVALUATE))
        await chrome.asked("Runtime.evaluate")
        await chrome.asked("Browser.getVersion")
        chrome.detached("P")
        error = await calling.error()
    assert elapsed() == pytest.approx(PROBE)
    assert (error.code, error.facts["method"]) == ("TARGET_GONE", "Runtime.evaluate")


class Punctual(FakeChrome):
    """Answers the first command after exactly this long."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    async def receive(self) -> list[bytes]:
        await trio.sleep(self._seconds)
        for asked in self.asked_nowait():
            self.answer(asked, VALUE)
        return await super().receive()


async def test_reply_with_the_doubt(autojump_clock: MockClock) -> None:
    """A reply that comes in the same instant as the doubt is taken, whichever runs first."""
    for _ in range(20):
        async with open_connection(Punctual(PROBE)) as connection:
            await connection.root.execute(EVALUATE)


async def test_reply_with_the_cancel(autojump_clock: MockClock) -> None:
    """A reply that comes in the same instant as its caller's cancellation disturbs nobody."""
    for _ in range(20):
        async with open_connection(Punctual(1.0)) as connection:
            with trio.move_on_after(1.0):
                await connection.root.execute(EVALUATE)
            await wait_all_tasks_blocked()
            assert connection.statistics().pending == 0


async def test_short_call_after_long(
    chrome: FakeChrome, connection: Connection, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """A call with a short time ends in time, though an earlier one has a long time."""
    async with trio.open_nursery() as nursery:
        long = call_in(nursery, partial(connection.root.execute, EVALUATE))
        await wait_all_tasks_blocked()
        short = call_in(nursery, partial(connection.root.execute, EVALUATE, timeout="close"))
        assert (await short.error()).facts["timeout"] == "close"
        assert elapsed() == pytest.approx(connection.timeouts.close)
        assert not long.ended
        nursery.cancel_scope.cancel()


async def test_endless_patience(
    chrome: FakeChrome, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """A call that may take for ever still notices a hung browser."""
    async with open_connection(chrome, replace(Timeouts(), command=float("inf"))) as connection:
        await wait_all_tasks_blocked()  # so that somebody has to be roused
        with pytest.raises(ChromeError) as caught:
            await connection.root.execute(EVALUATE)
    assert caught.value.code == "BROWSER_HUNG"
    assert elapsed() == pytest.approx(2 * PROBE)


async def test_old_doubt(chrome: FakeChrome, elapsed: Elapsed, autojump_clock: MockClock) -> None:
    """A doubt that was never settled, because its call timed out, does not fail a later call."""
    async with open_connection(chrome, replace(Timeouts(), command=PROBE + 1.0)) as connection:
        with pytest.raises(DeadlineExceeded):
            await connection.root.execute(EVALUATE)
        await trio.sleep(100.0)
        async with trio.open_nursery() as nursery:
            calling = call_in(nursery, partial(connection.root.execute, EVALUATE))
            await trio.sleep(PROBE / 2)
            for asked in chrome.asked_nowait():
                chrome.answer(asked, VALUE)
            await calling.result()


async def test_gone_while_doubted(
    chrome: FakeChrome, connection: Connection, autojump_clock: MockClock
) -> None:
    """A browser that goes while it is being asked fails the call under the call's own name."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(connection.root.execute, EVALUATE))
        await chrome.asked("Runtime.evaluate")
        await chrome.asked("Browser.getVersion")
        chrome.end()
        error = await calling.error()
    assert (error.code, error.facts["method"]) == ("BROWSER_GONE", "Runtime.evaluate")


async def test_hung_and_not_reading(
    chrome: FakeChrome, connection: Connection, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """A browser that takes nothing any more is found hung although it cannot be asked."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(connection.root.execute, EVALUATE))
        await chrome.asked("Runtime.evaluate")
        chrome.stop_reading()
        assert (await calling.error()).code == "BROWSER_HUNG"
    assert elapsed() == pytest.approx(2 * PROBE)


async def test_blocked_sender_of_hung(
    chrome: FakeChrome, connection: Connection, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """A call that could not even be sent is told as soon as one that waits for its reply."""
    chrome.stop_reading()
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(connection.root.execute, EVALUATE))
        assert (await calling.error()).code == "BROWSER_HUNG"
    assert elapsed() == pytest.approx(2 * PROBE)


class Mute(FakeChrome):
    """Takes one command, and breaks at the next without its reader noticing."""

    async def send(self, message: bytes) -> None:
        if b"Browser.getVersion" in message:
            raise browser_gone("broken")
        await super().send(message)


async def test_asking_fails(autojump_clock: MockClock) -> None:
    """A browser that cannot even be asked is hung: the block of its connection goes on."""
    async with open_connection(Mute()) as connection:
        with pytest.raises(ChromeError) as caught:
            await connection.root.execute(EVALUATE)
        assert caught.value.code == "BROWSER_HUNG"


async def test_probe_answered(
    chrome: FakeChrome, connection: Connection, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """A probe that is answered returns at once."""
    async with trio.open_nursery() as nursery:
        probing = call_in(nursery, connection.probe)
        chrome.refuse(await chrome.asked("Browser.getVersion"), -32601, "not here")
        await probing.result()
    assert elapsed() == 0


async def test_probe_unanswered(
    chrome: FakeChrome, connection: Connection, elapsed: Elapsed, autojump_clock: MockClock
) -> None:
    """A probe that nothing answers is BROWSER_HUNG after its own time."""
    with pytest.raises(ChromeError) as caught:
        await connection.probe()
    assert caught.value.code == "BROWSER_HUNG"
    assert elapsed() == pytest.approx(PROBE)
    assert connection.statistics().pending == 0


async def test_probe_and_events(
    chrome: FakeChrome, connection: Connection, autojump_clock: MockClock
) -> None:
    """Anything heard while a probe waits proves life as well."""
    async with trio.open_nursery() as nursery:
        probing = call_in(nursery, connection.probe)
        await trio.sleep(1.0)
        chrome.event("Target.targetDestroyed", {"targetId": "T"})
        await probing.result()


@pytest.mark.parametrize(
    "error", [browser_gone("it closed its pipe"), LinkError("EXTENSION_DISCONNECTED", "it is off")]
)
async def test_probe_at_end(
    chrome: FakeChrome, connection: Connection, autojump_clock: MockClock, error: BridgeError
) -> None:
    """A probe of a browser that goes, or whose link does, says so."""
    async with trio.open_nursery() as nursery:
        probing = call_in(nursery, connection.probe)
        await chrome.asked()
        chrome.end_with(error)
        assert (await probing.error()).code == error.code
