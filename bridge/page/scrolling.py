"""Scrolls a page or a box in it.

By script, so that it is done when the call returns; where nothing scrolls that way (maps, drawings,
lists of their own making) the wheel is turned there instead, as a person would.
"""

from dataclasses import dataclass

import trio

from bridge.page import mouse
from bridge.page.activity import Recording
from bridge.page.frames import Frames
from bridge.page.pointing import Pointing
from bridge.page.settling import Aftermath, Settling, Told
from bridge.page.target import Target
from bridge.page.worlds import Worlds


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """To a place (`left`, `top`), by so much (`right`, `down`); neither: to the element."""

    left: float | None = None
    top: float | None = None
    right: float | None = None
    down: float | None = None


def _wants_wheel(way: Way, told: Told) -> bool:
    """Nothing has moved, and what is there never does so that way, or is held still."""
    if told["moved"] or not (way.right or way.down):
        return False
    goes = (way.right and told["mostLeft"]) or (way.down and told["mostTop"])
    return bool(told["held"] or not goes)


class Scrolling:
    """Of one tab."""

    def __init__(
        self, frames: Frames, worlds: Worlds, pointing: Pointing, settling: Settling
    ) -> None:
        self._frames = frames
        self._worlds = worlds
        self._pointing = pointing
        self._settling = settling

    async def scroll(self, target: Target | None, way: Way) -> Aftermath:
        """Scroll to an element, or what is around it, or the page; `told` says where it is now."""
        frame = target.frame if target is not None else self._frames.main
        until = trio.current_time() + frame.session.connection.timeouts.action

        async def deed(seen: Recording) -> Told:
            options = {
                "ms": self._pointing.left(until),
                "left": way.left,
                "top": way.top,
                "right": way.right,
                "down": way.down,
            }
            if target is None:
                told: Told = await self._worlds.call(frame, "scroll", None, options, acting=True)
            else:
                with target.named():
                    told = await self._worlds.call(
                        frame, "scroll", target.wanted, options, acting=True
                    )
            seen.delivered = True
            turned = frame is self._frames.main and _wants_wheel(way, told)
            if turned:
                await self._pointing.check_at(told["x"], told["y"])
                turn = mouse.wheel(told["x"], told["y"], way.right or 0, way.down or 0)
                await self._settling.deliver(frame, seen, turn)
            return {**told, "wheel": turned, **await self._worlds.call(frame, "scrolled")}

        return await self._settling.after(frame, deed)
