"""A browser that comes back, with launches played by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest
import trio
from trio.testing import MockClock

from bridge import cdp
from bridge.browser import lifecycle as module
from bridge.browser.browser import Browser
from bridge.browser.lifecycle import Lifecycle, State, open_lifecycle
from bridge.errors import ChromeError, LaunchError, LinkError
from bridge.timeouts import Timeouts
from launcher.chrome import Chrome
from launcher.options import LaunchOptions
from tests.support.scripted_chrome import ScriptedChrome, open_scripted, settle


class Launches:
    """Every browser that was started, and what the next start comes to."""

    def __init__(self) -> None:
        self.started: list[ScriptedChrome] = []
        self.begun = 0
        self.ended = 0
        self.failure: Exception | None = None
        self.brief = False  # the next one goes as soon as it has come
        self.delay = 0.0

    @asynccontextmanager
    async def open_session(
        self, options: LaunchOptions, timeouts: Timeouts, **_: object
    ) -> AsyncIterator[tuple[Chrome, Browser]]:
        await trio.lowlevel.checkpoint()
        self.begun += 1
        await trio.sleep(self.delay)
        if self.failure is not None:
            for _turn in range(5):  # others come meanwhile
                await trio.lowlevel.checkpoint()
            raise self.failure
        async with open_scripted(timeouts=timeouts) as (scripted, browser):
            self.started.append(scripted)
            if self.brief:
                scripted.fake.end()
                await browser.connection.ended.wait()
            try:
                yield Chrome(ownership="attached"), browser
            finally:
                self.ended += 1


@pytest.fixture
def launches(monkeypatch: pytest.MonkeyPatch) -> Launches:
    """Starts are played."""
    played = Launches()
    monkeypatch.setattr(module, "open_session", played.open_session)
    return played


@pytest.fixture
async def lifecycle(launches: Launches) -> AsyncIterator[Lifecycle]:
    """Not touched yet."""
    async with open_lifecycle(LaunchOptions()) as opened:
        yield opened


async def test_nothing_until_it_is_needed(lifecycle: Lifecycle, launches: Launches) -> None:
    """The first call starts the browser, and calls at the same time share that start."""
    assert (lifecycle.state, lifecycle.live, launches.started) == (State.IDLE, None, [])
    got: set[Browser] = set()

    async def call() -> None:
        got.add(await lifecycle.browser())

    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(call)
    assert (len(got), len(launches.started)) == (1, 1)
    assert (lifecycle.state, lifecycle.recoveries) == (State.CONNECTED, 0)


async def test_comes_back(lifecycle: Lifecycle, launches: Launches) -> None:
    """A browser that is lost is noted at once and started again by the next call only."""
    first = await lifecycle.browser()
    launches.started[0].fake.end()
    await settle()
    assert (lifecycle.state, lifecycle.live, len(launches.started)) == (State.DEGRADED, None, 1)
    assert lifecycle.lost is not None
    assert lifecycle.lost.code == "BROWSER_GONE"
    second = await lifecycle.browser()
    assert second is not first
    assert (lifecycle.state, lifecycle.recoveries, launches.ended) == (State.CONNECTED, 1, 1)


async def test_brief(lifecycle: Lifecycle, launches: Launches) -> None:
    """A browser that goes as soon as it has come is a lost one, whoever hears of that first."""
    launches.brief = True
    for times in range(20):
        with suppress(ChromeError):
            await lifecycle.browser()
        await settle()
        assert (lifecycle.state, lifecycle.live) == (State.DEGRADED, None)
        assert lifecycle.recoveries == times


async def test_called_off(launches: Launches, autojump_clock: MockClock) -> None:
    """What a person has to allow is waited for beyond the call that asked; a launch is not."""
    launches.delay = 60
    for own, state, begun in ((True, State.STARTING, 1), (False, State.IDLE, 2)):
        launches.begun = 0
        async with open_lifecycle(LaunchOptions(auto_connect=own)) as lifecycle:
            since = trio.current_time()
            with trio.move_on_after(34) as limit:
                await lifecycle.browser()
            assert limit.cancelled_caught
            assert lifecycle.state is state
            await lifecycle.browser()
            assert trio.current_time() - since == pytest.approx(60 if own else 94)
            assert (launches.begun, lifecycle.state) == (begun, State.CONNECTED)


async def test_failed_start(lifecycle: Lifecycle, launches: Launches) -> None:
    """A start that fails is its caller's error; the next call tries again."""
    launches.failure = LaunchError("LAUNCH_FAILED", "no browser here")
    with pytest.raises(LaunchError):
        await lifecycle.browser()
    assert lifecycle.live is None
    launches.failure = None
    await lifecycle.browser()
    assert lifecycle.state is State.CONNECTED


async def test_idle_browser_is_asked(
    lifecycle: Lifecycle, launches: Launches, autojump_clock: MockClock
) -> None:
    """One used a moment ago is taken at its word; an idle one is asked for a sign of life."""
    browser = await lifecycle.browser()
    asked = len(launches.started[0].methods())
    assert await lifecycle.browser() is browser
    assert len(launches.started[0].methods()) == asked
    await trio.sleep(60)
    assert await lifecycle.browser() is browser
    assert launches.started[0].methods()[asked:] == ["Browser.getVersion"]


async def test_silent_browser_is_asked(
    lifecycle: Lifecycle, launches: Launches, autojump_clock: MockClock
) -> None:
    """Calls in quick succession are no sign of life: one that has said nothing since is asked."""
    await lifecycle.browser()
    asked = len(launches.started[0].methods())
    for _ in range(2):
        await trio.sleep(1.5)
        await lifecycle.browser()
    assert launches.started[0].methods()[asked:] == ["Browser.getVersion"]


async def test_hung_browser_is_given_up(
    lifecycle: Lifecycle, launches: Launches, autojump_clock: MockClock
) -> None:
    """An idle browser that no longer answers is replaced by the call that finds out."""
    first = await lifecycle.browser()
    launches.started[0].hold.add("Browser.getVersion")
    await trio.sleep(60)
    second = await lifecycle.browser()
    assert second is not first
    assert lifecycle.lost is not None
    assert (lifecycle.lost.code, lifecycle.recoveries) == ("BROWSER_HUNG", 1)


async def test_hung_browser_is_no_connected_one(
    lifecycle: Lifecycle, launches: Launches, autojump_clock: MockClock
) -> None:
    """From the call that fails because it hangs, the browser counts as lost; not if it goes on."""
    browser = await lifecycle.browser()
    launches.started[0].hold |= {"Browser.getVersion", "Runtime.evaluate"}
    with pytest.raises(ChromeError, match="has not answered"):
        await browser.connection.root.execute(cdp.runtime.evaluate("1"))
    assert lifecycle.lost is not None
    assert (lifecycle.state, lifecycle.lost.code) == (State.DEGRADED, "BROWSER_HUNG")
    browser.kind = "extension"
    assert _said(lifecycle) == (State.CONNECTED, None)
    browser.kind = "cdp"
    launches.started[0].fake.event("Target.targetDestroyed", {"targetId": "none"})
    await settle()
    assert _said(lifecycle) == (State.CONNECTED, None)


def _said(lifecycle: Lifecycle) -> tuple[State, object]:
    return lifecycle.state, lifecycle.lost


async def test_slow_extension_keeps_our_tabs(
    lifecycle: Lifecycle, launches: Launches, autojump_clock: MockClock
) -> None:
    """A person's browser that does not answer in time is not given up, and is asked again."""
    first = await lifecycle.browser()
    first.kind = "extension"
    launches.started[0].hold.add("Browser.getVersion")
    await trio.sleep(60)
    with pytest.raises(LinkError) as caught:
        await lifecycle.browser()
    assert (caught.value.code, caught.value.retryable) == ("EXTENSION_DISCONNECTED", True)
    assert (lifecycle.state, first.connection.end) == (State.CONNECTED, None)
    launches.started[0].hold.clear()
    assert await lifecycle.browser() is first


async def test_end_of_the_block(launches: Launches) -> None:
    """With the block the browser ends too, and the state says so."""
    async with open_lifecycle(LaunchOptions()) as lifecycle:
        browser = await lifecycle.browser()
    assert (lifecycle.state, launches.ended) == (State.CLOSING, 1)
    with pytest.raises(ChromeError):
        await browser.new_tab()


async def test_expected(lifecycle: Lifecycle, launches: Launches) -> None:
    """A browser that is expected starts before the first call, which then finds it."""
    lifecycle.expect()
    await settle()
    assert lifecycle.state is State.CONNECTED
    await lifecycle.browser()
    assert len(launches.started) == 1


async def test_expected_in_vain(lifecycle: Lifecycle, launches: Launches) -> None:
    """A start that fails before it is needed is tried again, and told, where it is."""
    launches.failure = LaunchError("LAUNCH_FAILED", "no")
    lifecycle.expect()
    await settle()
    assert lifecycle.state is State.DEGRADED
    with pytest.raises(LaunchError):
        await lifecycle.browser()


FULL = OSError(28, "full")


@pytest.mark.parametrize("failure", [FULL, ExceptionGroup("", [FULL])])
async def test_expected_and_broken(
    lifecycle: Lifecycle, launches: Launches, failure: Exception
) -> None:
    """A fault of ours in a start that nobody waits for is logged, and ends nothing."""
    launches.failure = failure
    lifecycle.expect()
    await settle()
    launches.failure = None
    await lifecycle.browser()
    assert launches.begun == 2


async def test_failure_is_shared(lifecycle: Lifecycle, launches: Launches) -> None:
    """Whoever waited for an attempt that fails is told so, and does not begin it anew."""
    launches.failure = LaunchError("LAUNCH_FAILED", "no")
    told: list[LaunchError] = []

    async def call() -> None:
        with pytest.raises(LaunchError) as caught:
            await lifecycle.browser()
        told.append(caught.value)

    async with trio.open_nursery() as nursery:
        lifecycle.expect()
        nursery.start_soon(call)
        nursery.start_soon(call)
    assert (len(told), launches.begun) == (2, 1)
    assert told[0] is not told[1]
    launches.failure = None
    await lifecycle.browser()
    assert launches.begun == 2
