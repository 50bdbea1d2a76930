"""Waiting for what other processes do, under a limit that fails the test."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import trio

_TURN = 0.005


async def until(condition: Callable[[], object], within: float = 10.0) -> None:
    """Return once the condition holds."""
    with trio.move_on_after(within):
        while not condition():  # noqa: ASYNC110 -- another process has no event for us
            await trio.sleep(_TURN)
    assert condition(), f"not within {within:g} s"


@contextmanager
def limit(seconds: float = 15.0) -> Iterator[None]:
    """Fail unless the block ends by itself in that time."""
    with trio.move_on_after(seconds) as scope:
        yield
    assert not scope.cancelled_caught, f"not within {seconds:g} s"
