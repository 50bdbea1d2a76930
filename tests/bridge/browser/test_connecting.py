"""From a browser that was started to one that can be driven, where it does not come so far."""

import os
from typing import Any, cast

import pytest
import trio

from bridge.browser.connecting import connect
from bridge.errors import BridgeError, ChromeError, LaunchError
from bridge.timeouts import Timeouts
from launcher.chrome import Chrome
from launcher.errand import Errand


class PlayedErrand:
    """A launch whose browser is still there, and has said what is in the way."""

    def __init__(self, *, lives: bool) -> None:
        self._lives = lives
        self.cancelled = 0

    async def end(self) -> None:
        if self._lives:
            await trio.sleep_forever()
        await trio.lowlevel.checkpoint()

    async def cancel(self) -> None:
        self.cancelled += 1
        await trio.lowlevel.checkpoint()

    def failure(self) -> LaunchError:
        return LaunchError("LAUNCH_FAILED", "it has ended")

    def overdue(self, seconds: float) -> LaunchError:
        return LaunchError("LAUNCH_FAILED", f"not up after {seconds:.3g} s")


async def refused(chrome: Chrome, timeouts: Timeouts) -> BridgeError:
    """What a caller gets to hear of it."""
    with pytest.raises((ChromeError, LaunchError)) as caught:
        async with connect(chrome, timeouts, trio.current_time(), close_tabs=True, prepare=None):
            raise AssertionError("there is no browser")
    return caught.value


def deaf() -> tuple[tuple[int, int], list[int]]:
    """Two descriptors as of a browser that says nothing, and its ends of them."""
    our_read, their_write = os.pipe()
    their_read, our_write = os.pipe()
    return (our_read, our_write), [their_read, their_write]


def piped(pipe: tuple[int, int], errand: PlayedErrand | None) -> Chrome:
    launched: dict[str, Any] = {"ownership": "launched", "pipe": pipe}
    return Chrome(**launched, errand=cast(Errand | None, errand))


async def test_gone(autojump_clock: trio.testing.MockClock) -> None:
    """A browser that closes its pipe at once has ended, and its watchdog knows why."""
    pipe, theirs = deaf()
    for fd in theirs:
        os.close(fd)
    error = await refused(piped(pipe, PlayedErrand(lives=False)), Timeouts())
    assert (error.code, error.message) == ("LAUNCH_FAILED", "it has ended")


async def test_given_up(autojump_clock: trio.testing.MockClock) -> None:
    """One of our own that never says anything is ended, and what it said on the way is told."""
    pipe, theirs = deaf()
    errand = PlayedErrand(lives=True)
    error = await refused(piped(pipe, errand), Timeouts())
    assert (error.code, errand.cancelled) == ("LAUNCH_FAILED", 1)
    assert error.message == "not up after 21 s"
    for fd in theirs:
        os.close(fd)


async def test_somebody_elses(autojump_clock: trio.testing.MockClock) -> None:
    """Without a watchdog there is only what the connection has to say."""
    pipe, theirs = deaf()
    for fd in theirs:
        os.close(fd)
    error = await refused(piped(pipe, None), Timeouts())
    assert error.code == "BROWSER_GONE"


async def test_nobody_listens() -> None:
    """A port nobody listens at is told as that."""
    error = await refused(Chrome(ownership="attached", url="ws://127.0.0.1:1/x"), Timeouts())
    assert error.code == "NO_BACKEND"
