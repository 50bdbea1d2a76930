"""Readings that include what our scripts cannot see: closed shadow roots, and words of internals.

A reading says how much there is to ask the debugger about. If that brings something new to light,
the page is read again. So it is where it went elsewhere meanwhile: nothing has been done to it.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import trio

from bridge.errors import DeadlineExceeded, PageError
from bridge.page.closed_roots import ClosedRoots
from bridge.page.frames import Frame, Frames
from bridge.page.internals import Internals
from bridge.page.target import Target
from bridge.page.worlds import Worlds

T = TypeVar("T")


class Unseen:
    """Of one tab."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._roots = ClosedRoots(worlds)
        self._internals = Internals(worlds)

    async def call(self, frame: Frame, function: str, *args: object) -> Any:
        """What `lib.function(*args)` answers once there is nothing left to find out."""
        answer = await self._worlds.call(frame, function, *args)
        while await self._learn(frame, answer):
            answer = await self._worlds.call(frame, function, *args)
        return answer

    async def _learn(self, frame: Frame, answer: Any) -> bool:
        found = answer["suspects"] and await self._roots.find(frame)
        heard = answer["internals"] and await self._internals.hear(frame)
        return bool(found or heard)


async def at_rest(frames: Frames, target: Target | None, read: Callable[[], Awaitable[T]]) -> T:
    """Where the page left meanwhile the next one is read, if there is time between two."""
    with _leaving(target):
        return await read()
    patience = frames.main.session.connection.timeouts.settle
    with trio.move_on_after(patience):
        while True:
            with _leaving(target):
                return await read()
    raise DeadlineExceeded(
        "TIMEOUT",
        f"the page keeps navigating: for {patience:g} s it never stood still to be read",
        hint="Go elsewhere with navigate, or read it again once it rests.",
        retryable=True,
        facts={"operation": "reading the page", "timeout": "settle", "seconds": patience},
    )


@contextmanager
def _leaving(target: Target | None) -> Iterator[None]:
    """Pass over that the page went; a frame that went may never have a successor."""
    try:
        yield
    except PageError as error:
        within = target is not None and target.frame.parent is not None
        if within or not error.facts.get("navigated"):
            raise
