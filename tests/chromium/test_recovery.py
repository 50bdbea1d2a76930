"""A browser that is lost comes back at the next call, and whoever was in a call is told."""

import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import pytest
import trio

from bridge.browser.lifecycle import Lifecycle, State, open_lifecycle
from bridge.browser.tab import Tab
from bridge.errors import ChromeError, LaunchError
from bridge.timeouts import Timeouts, deadline
from tests.support.allowances import allowed
from tests.support.by_hand import executable
from tests.support.conditions import halt
from tests.support.ground import Ground, ground
from tests.support.processes import until, wait_gone

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

__all__ = ["ground"]
pytestmark = pytest.mark.chromium

TRANSPORTS = pytest.mark.parametrize("isolated", [False, True], ids=["port", "pipe"])


@asynccontextmanager
async def open_call(tab: Tab, lifecycle: Lifecycle) -> AsyncIterator[list[ChromeError]]:
    """A call that is under way when the block begins; it has failed when the block is over."""
    errors: list[ChromeError] = []

    async def call() -> None:
        with pytest.raises(ChromeError) as caught:
            await tab.evaluate("new Promise(() => {})")
        errors.append(caught.value)

    assert lifecycle.live is not None
    connection = lifecycle.live.browser.connection
    async with trio.open_nursery() as nursery:
        nursery.start_soon(call)
        await until(lambda: connection.statistics().pending == 1, 5.0, "the call is sent")
        yield errors


@contextmanager
def in_time(ground: Ground, what: str) -> Iterator[None]:
    """Within ten seconds, which is the promise; how long it took is noted."""
    begun = trio.current_time()
    with deadline(Timeouts(command=10.0), "command", what):
        yield
    ground.note(what, round(trio.current_time() - begun, 1))


async def processes_gone(ground: Ground) -> None:
    await until(lambda: not ground.browsers + ground.watchdogs, 10.0, "all processes are gone")


def forget_nameless(ground: Ground) -> None:
    """Allow for what nobody can know to be ours.

    Killed from outside between its lock and its socket, Chrome leaves an empty folder among the
    temporary files whose name is written nowhere. It might be that of another Chrome that is just
    starting, so we leave it alone.
    """
    for path in (ground.root / "t").iterdir():
        with suppress(OSError):
            path.rmdir()


def chrome_pid(lifecycle: Lifecycle) -> int:
    assert lifecycle.live is not None
    return lifecycle.live.chrome.pid


async def assert_works(lifecycle: Lifecycle) -> Tab:
    """One whole call: browser, tab, script."""
    tab = await (await lifecycle.browser()).new_tab()
    assert await tab.evaluate("6 * 7") == 42
    return tab


@TRANSPORTS
async def test_killed_idle(ground: Ground, isolated: bool) -> None:
    """A browser killed between two calls is replaced at the next one, and counted."""
    async with open_lifecycle(ground.options(isolated=isolated)) as lifecycle:
        await assert_works(lifecycle)
        first = chrome_pid(lifecycle)
        os.kill(first, signal.SIGKILL)
        await until(lambda: lifecycle.state is State.DEGRADED, 2.0, "the loss is seen")
        assert lifecycle.lost is not None
        assert lifecycle.lost.code == "BROWSER_GONE"
        await assert_works(lifecycle)
        assert chrome_pid(lifecycle) != first
        assert (lifecycle.state, lifecycle.recoveries) == (State.CONNECTED, 1)
    await ground.assert_clean()


@TRANSPORTS
async def test_killed_unnoticed(ground: Ground, isolated: bool) -> None:
    """A browser killed in the very moment of the next call is replaced within that call or told."""
    async with open_lifecycle(ground.options(isolated=isolated)) as lifecycle:
        await assert_works(lifecycle)
        os.kill(chrome_pid(lifecycle), signal.SIGKILL)
        with allowed("BROWSER_GONE"):
            await assert_works(lifecycle)
        await assert_works(lifecycle)
        assert (lifecycle.state, lifecycle.recoveries) == (State.CONNECTED, 1)
    await ground.assert_clean()


@TRANSPORTS
async def test_killed_mid_call(ground: Ground, isolated: bool) -> None:
    """A call under way fails within two seconds, says that its outcome is unknown, and no more."""
    async with open_lifecycle(ground.options(isolated=isolated)) as lifecycle:
        tab = await assert_works(lifecycle)
        with deadline(Timeouts(command=2.0), "command", "telling the caller"):
            async with open_call(tab, lifecycle) as errors:
                os.kill(chrome_pid(lifecycle), signal.SIGKILL)
        assert [error.code for error in errors] == ["BROWSER_GONE"]
        assert errors[0].facts["outcome"] == "unknown"
        assert not errors[0].retryable
        with pytest.raises(ChromeError, match="gone"):
            await tab.evaluate("1")
        await assert_works(lifecycle)
    await ground.assert_clean()


@TRANSPORTS
@pytest.mark.parametrize("stage", ["spawned", "locked", "listening"])
async def test_killed_while_starting(ground: Ground, isolated: bool, stage: str) -> None:
    """A browser killed while it starts is an error of the launch; the next call works."""
    profiles = ground.data / ("isolated" if isolated else "profiles")
    signs = {
        "spawned": lambda: ground.browsers,
        "locked": lambda: any(os.path.islink(p / "SingletonLock") for p in profiles.glob("*")),
        "listening": lambda: [*profiles.glob("*/Default")],
    }

    async def kill() -> None:
        await until(signs[stage], 10.0, f"the browser is {stage}")
        for pid in ground.browsers:
            os.kill(pid, signal.SIGKILL)

    async with open_lifecycle(ground.options(isolated=isolated)) as lifecycle:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(kill)
            with allowed("LAUNCH_FAILED", "BROWSER_GONE") as met:
                await lifecycle.browser()
            assert lifecycle.state is (State.DEGRADED if met else State.CONNECTED)
        with allowed("BROWSER_GONE"):  # it was killed after it had come up
            await assert_works(lifecycle)
        await assert_works(lifecycle)
    await processes_gone(ground)
    forget_nameless(ground)
    await ground.assert_clean()


@pytest.mark.parametrize(
    "isolated",
    [pytest.param(False, marks=pytest.mark.slow, id="port"), pytest.param(True, id="pipe")],
)
async def test_frozen(ground: Ground, isolated: bool) -> None:
    """A call to a browser that freezes ends within ten seconds, and the very next one works."""
    # Once with the default patience is enough.
    timeouts = Timeouts(probe=1.0) if isolated else Timeouts()
    async with open_lifecycle(ground.options(isolated=isolated), timeouts) as lifecycle:
        tab = await assert_works(lifecycle)
        frozen = chrome_pid(lifecycle)
        with in_time(ground, "told"):
            async with open_call(tab, lifecycle) as errors:
                await halt(frozen)
        assert [error.code for error in errors] == ["BROWSER_HUNG"]
        with in_time(ground, "replaced"):
            await assert_works(lifecycle)
        await wait_gone(frozen, 5.0)
        assert lifecycle.recoveries == 1
    await ground.assert_clean()


@TRANSPORTS
async def test_frozen_idle(ground: Ground, isolated: bool) -> None:
    """A browser that froze while nobody asked anything is replaced within the next call."""
    timeouts = Timeouts(probe=1.0) if isolated else Timeouts()
    async with open_lifecycle(ground.options(isolated=isolated), timeouts) as lifecycle:
        await assert_works(lifecycle)
        frozen = chrome_pid(lifecycle)
        lifecycle._used_at -= 60.0  # as if nothing had been asked for a minute
        await halt(frozen)
        with in_time(ground, "replaced"):
            await assert_works(lifecycle)
        assert lifecycle.lost is not None
        assert lifecycle.lost.code == "BROWSER_HUNG"
        assert lifecycle.recoveries == 1
        await wait_gone(frozen, 5.0)
    await ground.assert_clean()


async def test_thawed(ground: Ground) -> None:
    """A browser that only paused is kept, with its tabs, and nothing is recovered."""
    async with open_lifecycle(ground.options()) as lifecycle:
        tab = await assert_works(lifecycle)
        pid = chrome_pid(lifecycle)
        lifecycle._used_at -= 60.0
        await halt(pid)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lifecycle.browser)
            connection = lifecycle.live.browser.connection if lifecycle.live else None
            assert connection is not None
            await until(lambda: connection.statistics().pending == 1, 3.0, "the probe is sent")
            os.kill(pid, signal.SIGCONT)
        assert await tab.evaluate("1") == 1
        assert (chrome_pid(lifecycle), lifecycle.recoveries) == (pid, 0)
    await ground.assert_clean()


async def test_states(ground: Ground, caplog: pytest.LogCaptureFixture) -> None:
    """The stages of a browser's life are on the lifecycle and in the log, under fixed names."""
    caplog.set_level(logging.INFO, "chrome_bridge")
    async with open_lifecycle(ground.options()) as lifecycle:
        assert str(lifecycle.state) == "State.IDLE"
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lifecycle.browser)
            await until(lambda: lifecycle.state is State.STARTING, 1.0, "starting")
        assert str(lifecycle.state) == "State.CONNECTED"
        os.kill(chrome_pid(lifecycle), signal.SIGKILL)
        await until(lambda: lifecycle.state is State.DEGRADED, 2.0, "degraded")
        await lifecycle.browser()
    assert str(lifecycle.state) == "State.CLOSING"
    states = [
        word
        for record in caplog.records
        for word in record.getMessage().split()
        if word.startswith(("runtimeState=", "recovery"))
    ]
    assert states == [
        "runtimeState=starting",
        "runtimeState=connected",
        "runtimeState=degraded",
        "runtimeState=starting",
        "recoveryAttempt=1",
        "runtimeState=connected",
        "recoveryResult=ok",
        "runtimeState=closing",
    ]
    launched = [r.getMessage() for r in caplog.records if "ownership=" in r.getMessage()]
    assert len(launched) == 2
    assert all("ownership=launched transportMode=port" in line for line in launched)
    assert all(f"profile={ground.profile}" in line for line in launched)
    await ground.assert_clean()


async def test_cancelled_start(ground: Ground) -> None:
    """A caller who gives up while the browser starts leaves nothing, and the next one gets it."""
    async with open_lifecycle(ground.options()) as lifecycle:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lifecycle.browser)
            await until(lambda: ground.browsers, 10.0, "Chrome is spawned")
            nursery.cancel_scope.cancel()
        assert ground.browsers == []
        await assert_works(lifecycle)
    await ground.assert_clean()


async def test_recovery_fails(ground: Ground) -> None:
    """A recovery that fails says why, stays degraded, and is tried again at the next call."""
    link = ground.root / "chrome"
    link.symlink_to(executable())
    async with open_lifecycle(ground.options(executable=link)) as lifecycle:
        await assert_works(lifecycle)
        os.kill(chrome_pid(lifecycle), signal.SIGKILL)
        await until(lambda: lifecycle.state is State.DEGRADED, 2.0, "degraded")
        link.unlink()
        with pytest.raises(LaunchError) as caught:
            await lifecycle.browser()
        assert caught.value.code == "LAUNCH_FAILED"
        assert lifecycle.state is State.DEGRADED
        link.symlink_to(executable())
        await assert_works(lifecycle)
        assert lifecycle.recoveries == 1
    await ground.assert_clean()
