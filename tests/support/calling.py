"""A call in a task of its own, so that a test can play the other side meanwhile."""

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import trio

from bridge.errors import BridgeError

R = TypeVar("R")


class Calling(Generic[R]):
    """Made by `call_in`; what became of it is asked for with `result` or `error`."""

    def __init__(self) -> None:
        self.scope = trio.CancelScope()
        self._ended = trio.Event()
        self._results: list[R] = []
        self._error: BridgeError | None = None

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    async def run(self, function: Callable[[], Awaitable[R]]) -> None:
        with self.scope:
            try:
                self._results.append(await function())
            except BridgeError as error:
                self._error = error
        self._ended.set()

    async def result(self) -> R:
        """What it returned."""
        await self._ended.wait()
        assert self._error is None, self._error.report()
        return self._results[0]

    async def error(self) -> BridgeError:
        """What it raised."""
        await self._ended.wait()
        assert self._error is not None, f"it returned {self._results}"
        return self._error


def call_in(nursery: trio.Nursery, function: Callable[[], Awaitable[R]]) -> Calling[R]:
    """Start it; an error of ours is kept for the test instead of ending the nursery."""
    calling: Calling[R] = Calling()
    nursery.start_soon(calling.run, function)
    return calling
