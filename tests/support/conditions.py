"""Waiting for what other processes do, under a limit that fails the test."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import trio

from launcher.process import is_frozen

_TURN = 0.005


async def until(condition: Callable[[], object], within: float = 10.0) -> None:
    """Return once the condition holds."""
    with trio.move_on_after(within):
        while not condition():  # noqa: ASYNC110 -- another process has no event for us
            await trio.sleep(_TURN)
    assert condition(), f"not within {within:g} s"


async def halt(pid: int) -> None:
    """Stop this one process; the signal is sent long before a busy machine obeys it."""
    if sys.platform == "win32":
        raise NotImplementedError("there is no such signal")
    os.kill(pid, signal.SIGSTOP)
    await until(lambda: is_frozen(pid))


@contextmanager
def limit(seconds: float = 15.0) -> Iterator[None]:
    """Fail unless the block ends by itself in that time."""
    with trio.move_on_after(seconds) as scope:
        yield
    assert not scope.cancelled_caught, f"not within {seconds:g} s"
