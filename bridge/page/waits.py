"""Waits until a page shows something, or no longer does.

The waiting is done in the page, woken by its changes and its frames, so what comes is told at once.
It is asked again every second, of the frames there are then, so it outlives navigations.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import trio

from bridge import cdp
from bridge.errors import BridgeError, DeadlineExceeded
from bridge.page.frames import Frame, Frames
from bridge.page.worlds import Worlds
from bridge.session.events import Subscription
from bridge.session.session import Session

ROUND = 1.0
"""Seconds a page is waited in before it is asked again, new frames included."""

Kind = Literal["selector", "text"]


@dataclass(frozen=True, slots=True)
class Condition:
    """What is waited for: something a person sees, or (`gone`) does not see any more."""

    kind: Kind
    wanted: str
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """One look: `line` is how a snapshot tells of what is there, `hidden` counts unseen matches."""

    holds: bool
    line: str = ""
    hidden: int = 0


class Waits:
    """Waiting in one tab."""

    def __init__(self, session: Session, frames: Frames, worlds: Worlds) -> None:
        self._session = session
        self._frames = frames
        self._worlds = worlds

    async def until(
        self,
        condition: Condition,
        seconds: float,
        readable: Callable[[Frame], bool],
        each_round: Callable[[], Awaitable[None]],
    ) -> str:
        """The line of what was found; TIMEOUT says what was there instead."""
        sights: dict[Frame, Sight] = {}
        end = trio.current_time() + seconds
        # The page gives up by itself, and then says what it shows; a busy one may not.
        with trio.move_on_after(seconds + self._session.connection.timeouts.look_again):
            left = seconds
            while True:  # at least one look: what is there already needs no time
                now = await self._round(condition, min(left, ROUND), readable, sights)
                sights = now or sights
                if _holds(condition, [*now.values()]):
                    return next(sight.line for sight in now.values() if sight.holds)
                await each_round()
                if (left := end - trio.current_time()) <= 0:
                    break
        raise _too_long(condition, seconds, [*sights.values()])

    async def _round(
        self,
        condition: Condition,
        seconds: float,
        readable: Callable[[Frame], bool],
        before: Mapping[Frame, Sight],
    ) -> dict[Frame, Sight]:
        """Wait in all frames at once; ends early when one sees it, or moves on."""
        sights: dict[Frame, Sight] = {}
        failures: list[BridgeError] = []
        silent = {frame for frame in self._frames if frame.parent is None or readable(frame)}
        with self._session.events(cdp.page.LifecycleEvent, keep=1) as news:
            async with trio.open_nursery() as nursery:

                async def look(frame: Frame) -> None:
                    try:
                        sight = sights[frame] = await self._look(frame, condition, seconds)
                    except BridgeError as error:
                        sights.pop(frame, None)
                        sights.update(_shown_yet(frame, before, condition, error))
                        if frame.parent is None or error.code in _FATAL:
                            failures.append(error)
                            nursery.cancel_scope.cancel()
                    else:
                        if sight.holds and not condition.gone:
                            nursery.cancel_scope.cancel()
                    silent.discard(frame)

                async def keep_looking(frame: Frame) -> None:
                    """Go on while another has yet to answer: one that hangs must not blind all."""
                    await look(frame)
                    while silent and frame in sights and not condition.gone:
                        await look(frame)

                for frame in list(silent):
                    nursery.start_soon(keep_looking, frame)
            if failures:
                await self._pass_over(failures[0], news)
                return {}
        return sights

    async def _pass_over(
        self, error: BridgeError, news: Subscription[cdp.page.LifecycleEvent]
    ) -> None:
        """A page that has just gone will be followed by another; anything else is an error."""
        if not _moves(error):
            raise error
        with trio.move_on_after(self._session.connection.timeouts.look_again):
            await news.receive()

    async def _look(self, frame: Frame, condition: Condition, seconds: float) -> Sight:
        answer = await self._worlds.call(
            frame, "waitFor", condition.kind, condition.wanted, condition.gone, seconds * 1000
        )
        return Sight(answer["holds"], answer["line"], answer["hidden"])


def _shown_yet(
    frame: Frame, before: Mapping[Frame, Sight], condition: Condition, error: BridgeError
) -> dict[Frame, Sight]:
    """What it has shown is not gone because it hangs."""
    hangs = condition.gone and frame in before and not _moves(error)
    return {frame: before[frame]} if hangs else {}


def _moves(error: BridgeError) -> bool:
    return bool(error.facts.get("navigated") or error.facts.get("going"))


_FATAL = frozenset({"BAD_ARGS", "DIALOG_OPEN"})


def _holds(condition: Condition, sights: list[Sight]) -> bool:
    """Something has to be seen in one frame, or be gone from all."""
    holding = [sight.holds for sight in sights]
    return all(holding) and bool(holding) if condition.gone else any(holding)


def _too_long(condition: Condition, seconds: float, sights: list[Sight]) -> DeadlineExceeded:
    what = f"{condition.kind} {condition.wanted[:200]!r}"
    end = "be gone" if condition.gone else "appear"
    hidden = sum(sight.hidden for sight in sights)
    instead = f"; {hidden} on the page match, but nobody sees them" if hidden else ""
    if condition.gone:
        line = next((sight.line for sight in sights if sight.line), "")
        instead = "; it is still there" if line else ""
    return DeadlineExceeded(
        "TIMEOUT",
        f"waited {seconds:g} s for {what} to {end}{instead}",
        hint="Take a snapshot to see what the page shows now.",
        retryable=True,
        facts={"operation": "wait_for", "timeout": "timeoutMs", "seconds": seconds},
    )
