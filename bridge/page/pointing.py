"""Where on the screen an element is, in the coordinates input takes: those of the page's viewport.

Input for a frame of another site goes through the page's own session as well; Chrome finds the
frame below the point (Chrome 156, measured). So a point in a frame is carried outwards through all
documents around it, each of which has to show the frame there.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import trio

from bridge.errors import BridgeError, PageError
from bridge.page.bounds import check_bounds, has_bounds
from bridge.page.frames import Frame, Frames
from bridge.page.internals import Internals
from bridge.page.owners import Owners
from bridge.page.target import Target
from bridge.page.worlds import Handle, Worlds

Admit = Callable[[Frame], Awaitable[None]]
"""Raises where nothing may be done in this frame."""

_MS = 1000
_ROOM = 0.9  # of a call's time: the page gives up before the call does


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A point that an element gets."""

    x: float
    y: float
    frame: Frame
    matches: int  # of the selector
    holds_frame: bool  # what is pressed there goes to another document
    drags: bool  # pressing and moving there begins a drag of the browser's own
    checked: bool | None  # of a checkbox or radio button


class Pointing:
    """Of one tab."""

    def __init__(self, frames: Frames, worlds: Worlds) -> None:
        self._frames = frames
        self._worlds = worlds
        self._owners = Owners(frames, worlds)
        self._internals = Internals(worlds)
        self._guarded: set[Frame] = set()  # where a press is waited for, and was not asked about

    async def aim(
        self,
        target: Target,
        until: float,
        *,
        enabled: bool = True,
        guarded: bool = True,
        dropping: bool = False,
        admit: Admit | None = None,
    ) -> Spot:
        """Wait until the element gets what is done at a point, and where that is.

        `guarded`: what is pressed there and would hit something else is swallowed.
        `dropping`: something is being dragged, and what the page does for that is no hindrance.
        `admit` is asked about frames in the element that would get it instead; without it none of
        them may be out of bounds.
        """
        options = {"enabled": enabled, "guarded": guarded, "dropping": dropping}
        if guarded:
            await self.stand_down()
        while True:
            try:
                with target.named():
                    spot = await self._aim(target, until, options)
                if spot.holds_frame and admit is not None:
                    for frame in await self.frames_at(spot.x, spot.y):
                        await admit(frame)
                    admit = None  # aimed at once more: a user may have been asked meanwhile
                    continue
                if spot.holds_frame:
                    await self.check_at(spot.x, spot.y)
                return spot
            except BridgeError as error:
                if not error.facts.get("navigated"):
                    raise
                if trio.current_time() >= until:
                    raise _elsewhere(target) from error

    async def _aim(self, target: Target, until: float, options: dict[str, bool]) -> Spot:
        wish = {"ms": self.left(until), **options}
        if options["guarded"]:
            self._guarded |= set(_outwards(target.frame))
        found = await self._worlds.call(target.frame, "aim", target.wanted, wish, acting=True)
        spot = Spot(
            x=found["x"],
            y=found["y"],
            frame=target.frame,
            matches=found["matches"],
            holds_frame=found["holdsFrame"],
            drags=found["drags"],
            checked=found["checked"],
        )
        frame = target.frame
        while frame.parent is not None:
            around = {"ms": self.left(until), "guarded": options["guarded"]}
            handle = await self._owners.handle(frame)
            at = await self._worlds.call(
                frame.parent, "through", handle, spot.x, spot.y, around, acting=True
            )
            spot = replace(spot, x=at["x"], y=at["y"])
            frame = frame.parent
        return spot

    async def pressed(self, frame: Frame, *, patience: float = 0.0) -> dict[str, Any]:
        """What became of the press, in its frame and in those around it.

        `patience`: where the page shows nothing yet, it has so long to begin.
        """
        waits = [patience * _MS] if patience else []
        told: dict[str, Any] = await self._worlds.call(frame, "pressed", *waits)
        await self._internals.tell_news(frame, told)
        asked = set(_outwards(frame))
        while frame.parent is not None:
            frame = frame.parent
            around = await self._worlds.call(frame, "pressed")
            if around["missed"] and not told["presses"]:
                told["missed"] = told["missed"] or around["missed"]
            told["changes"] = "\n".join(filter(None, (told["changes"], around["changes"])))
            told["title"] = around["title"]
        self._guarded -= asked
        return told

    async def stand_down(self) -> None:
        """Keep nothing from the page any more for a press that was never told of.

        A dialog came, or the call was taken back: what is pressed next is another press.
        """
        for frame in [each for each in self._frames if each in self._guarded]:
            with suppress(BridgeError):
                await self._worlds.call(frame, "unguard")
                self._guarded.discard(frame)
        self._guarded &= set(self._frames)

    async def frames_at(self, x: float, y: float) -> list[Frame]:
        """The frames below a point of the viewport, outermost first."""
        found: list[Frame] = []
        frame = self._frames.main
        while True:
            hit = await self._worlds.call(frame, "at", x, y, False)  # nobody acts on it yet
            if not hit or not hit["ref"]:
                return found
            inner = await self.inner(frame, hit["ref"])
            if inner is None:
                return found
            found.append(inner)
            frame, x, y = inner, hit["inside"]["x"], hit["inside"]["y"]

    async def check_at(self, x: float, y: float) -> None:
        """Raise where a frame below the point is out of bounds: it gets what is done there."""
        if has_bounds() and len(self._frames) > 1:
            for frame in await self.frames_at(x, y):
                check_bounds(frame)

    async def owner(self, frame: Frame) -> Handle:
        """The element of a frame."""
        return await self._owners.handle(frame)

    async def inner(self, frame: Frame, ref: str) -> Frame | None:
        """The frame in an element."""
        return (await self._owners.children(frame)).get(ref)

    def left(self, until: float) -> float:
        """Milliseconds the page may wait; at least one look is always taken."""
        call = self._frames.main.session.connection.timeouts.read
        return max(min(until - trio.current_time(), call * _ROOM), 0.0) * _MS


def _outwards(frame: Frame | None) -> Iterator[Frame]:
    """A frame, and those around it."""
    while frame is not None:
        yield frame
        frame = frame.parent


def _elsewhere(target: Target) -> PageError:
    return PageError(
        "NOT_ACTIONABLE",
        f"{target.name}: the page went elsewhere before it could be used, as often as it was tried",
        hint="Nothing was done. Look at the page again, or navigate to where it rests.",
    )
