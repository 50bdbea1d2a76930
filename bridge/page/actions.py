"""What a person does with a mouse: click, hover, scroll. Told is what came of it.

A press that would not have hit the element was kept from the page by our guard there: such a one,
and only such a one, is tried again within the action's time.
"""

from contextlib import suppress
from typing import Any

import trio

from bridge.cdp.base import Command
from bridge.errors import PageError, PolicyDenied
from bridge.page import mouse
from bridge.page.activity import Recording
from bridge.page.dialogs import QUESTION_HINT
from bridge.page.frames import Frame, Frames
from bridge.page.mouse import Button
from bridge.page.pointing import Admit, Pointing, Spot
from bridge.page.quoting import quoted
from bridge.page.settling import Aftermath, Settling, Told, not_actionable
from bridge.page.target import Target
from bridge.page.worlds import Worlds
from bridge.timeouts import Timeouts


class Actions:
    """Of one tab."""

    def __init__(
        self, frames: Frames, worlds: Worlds, pointing: Pointing, settling: Settling
    ) -> None:
        self._frames = frames
        self._worlds = worlds
        self._pointing = pointing
        self._settling = settling

    async def click(
        self,
        target: Target,
        button: Button = "left",
        *,
        count: int = 1,
        modifiers: int = 0,
        hold: float = 0.0,
        choosing: bool = False,
        admit: Admit | None = None,
    ) -> Aftermath:
        """Press and release on the element; NOT_ACTIONABLE says why it would not get it.

        `hold`: seconds from the last press to its release.
        `choosing`: it may open a file chooser, which is waited for a while.
        `admit` is asked about frames in the element that would get the press.
        """
        until = self._until()

        async def deed(seen: Recording) -> Told:
            await self._settling.catch_choosers(target.frame)
            while True:
                spot = await self._pointing.aim(target, until, admit=admit)
                clicks = mouse.click(spot.x, spot.y, button, count=count, modifiers=modifiers)
                await self._press(spot.frame, seen, clicks, hold)
                told = await self._pointing.pressed(spot.frame)
                if not (told["missed"] and not told["presses"]):
                    told["choosing"] = choosing
                    if told["presses"] == 0 and not spot.holds_frame:
                        line = await self._line_at(spot.x, spot.y)
                        raise _astray(target, line, asking=self._settling.asking)
                    return _judged(spot, told, count)
                seen.delivered = False  # the guard kept it from the page
                if trio.current_time() >= until:
                    raise not_actionable(f"{target.name}: it is covered by {told['missed']}")

        return await self._settling.after(target.frame, deed)

    async def click_at(
        self,
        x: float,
        y: float,
        button: Button = "left",
        *,
        count: int = 1,
        modifiers: int = 0,
        hold: float = 0.0,
    ) -> Aftermath:
        """Click a point of the viewport, whatever is there; `hold` as for a click."""
        main = self._frames.main

        async def deed(seen: Recording) -> Told:
            await self._settling.catch_choosers(main)
            await self._pointing.stand_down()
            await self._pointing.check_at(x, y)
            line = await self._line_at(x, y)
            clicks = mouse.click(x, y, button, count=count, modifiers=modifiers)
            await self._press(main, seen, clicks, hold)
            told = await self._pointing.pressed(main)
            return {**told, "line": line}

        return await self._settling.after(main, deed)

    async def _press(
        self, frame: Frame, seen: Recording, clicks: list[Command[Any]], hold: float
    ) -> None:
        if not hold:
            await self._settling.deliver(frame, seen, *clicks)
            return
        *before, release = clicks
        try:
            await self._settling.deliver(frame, seen, *before)
            await trio.sleep(hold)
        finally:  # a button is not held for ever, whatever happens, also before its page has heard
            with trio.move_on_after(self._timeouts.halt, shield=True), suppress(PolicyDenied):
                # What was pressed has gone with its page; one that may only be read gets nothing.
                await self._settling.deliver(frame, seen, release)

    async def frames_at(self, x: float, y: float) -> list[Frame]:
        """The frames below a point of the viewport, outermost first."""
        return await self._pointing.frames_at(x, y)

    async def hover(self, target: Target, *, admit: Admit | None = None) -> Aftermath:
        """Move the mouse over the element; `admit` as for a click."""
        until = self._until()

        async def deed(seen: Recording) -> Told:
            spot = await self._pointing.aim(
                target, until, enabled=False, guarded=False, admit=admit
            )
            await self._settling.deliver(spot.frame, seen, mouse.move(spot.x, spot.y))
            told = await self._pointing.pressed(spot.frame, patience=self._timeouts.hover)
            return {**told, "matches": spot.matches}

        return await self._settling.after(target.frame, deed)

    async def hover_at(self, x: float, y: float) -> Aftermath:
        """Move the mouse to a point of the viewport."""
        main = self._frames.main

        async def deed(seen: Recording) -> Told:
            await self._pointing.check_at(x, y)
            line = await self._line_at(x, y)
            await self._settling.deliver(main, seen, mouse.move(x, y))
            told = await self._pointing.pressed(main, patience=self._timeouts.hover)
            return {**told, "line": line}

        return await self._settling.after(main, deed)

    async def _line_at(self, x: float, y: float) -> str:
        found = await self._worlds.call(self._frames.main, "at", x, y)
        if found is None:
            raise not_actionable(
                f"the point ({x:g}, {y:g}) is outside of the viewport",
                "Scroll, or give a point as it is in a screenshot of the viewport.",
            )
        return str(found["line"])

    @property
    def _timeouts(self) -> Timeouts:
        return self._frames.main.session.connection.timeouts

    def _until(self) -> float:
        return trio.current_time() + self._timeouts.action


def _judged(spot: Spot, told: Told, count: int) -> Told:
    """The facts about a press."""
    told["matches"] = spot.matches
    told["was_checked"] = spot.checked
    told["wanted"] = count
    told["in_frame"] = spot.holds_frame
    return told


def _astray(target: Target, line: str, *, asking: bool) -> PageError:
    if asking:
        return not_actionable(
            f"{target.name}: no press reaches the page: Chrome asks a person whether another "
            "program may open an address, and takes all presses and keys of this tab until then",
            QUESTION_HINT,
            delivered=True,
        )
    there = quoted(line.removeprefix("- "))
    return not_actionable(
        f"{target.name}: the press went elsewhere, into something that came over it; "
        f"there is now {there}",
        "It was delivered, so look at the page before you click again.",
        delivered=True,
    )
