"""Readings that include what our scripts cannot see: closed shadow roots, and words of internals.

A reading says how much there is to ask the debugger about. If that brings something new to light,
the page is read again.
"""

from typing import Any

from bridge.page.closed_roots import ClosedRoots
from bridge.page.frames import Frame
from bridge.page.internals import Internals
from bridge.page.worlds import Worlds


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
