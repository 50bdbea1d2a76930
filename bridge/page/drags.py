"""Drags something from one place to another, as a mouse does.

Pages do it in two ways. Most follow the pointer; the browser's own drag and drop (`draggable`,
`dragstart` … `drop`) takes the mouse away from the page and would end in the system, so it is
intercepted and played to the page with drag events, which are as trusted as its own. Which one it
is shows only once the drag has begun. Each move is sent by itself: moves sent together reach a page
as one, and pages tell a drag from a click by several. Before it lets go the pointer rests, as a
hand does: many a page finds out late what it is over.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import trio

from bridge import cdp
from bridge.errors import BridgeError, PageError, PolicyDenied
from bridge.page import mouse
from bridge.page.activity import Recording
from bridge.page.frames import Frame, Frames
from bridge.page.pointing import Admit, Pointing
from bridge.page.settling import Aftermath, Settling, Told, not_actionable
from bridge.page.target import Target
from bridge.page.worlds import Worlds
from bridge.session.events import Subscription
from bridge.session.session import Session

_NUDGE = 6  # pixels; a drag begins beyond 3 or 4
_NOWHERE = -5  # beside the page: an event there goes to the widget it is sent to


@dataclass(frozen=True, slots=True)
class Point:
    """A place in the viewport, in CSS pixels."""

    x: float
    y: float


Place = Target | Point


class _Hand:
    """What holds something while it is dragged."""

    def __init__(
        self,
        frame: Frame,
        widget: Session,
        seen: Recording,
        caught: Subscription[cdp.input.DragIntercepted],
    ) -> None:
        self.frame = frame
        self.widget = widget
        self.seen = seen
        self.crossed = False  # dropped into another widget
        self._caught = caught
        self._data: cdp.input.DragData | None = None

    @property
    def data(self) -> cdp.input.DragData | None:
        """Of the browser's own drag, if one has begun."""
        if self._data is None:
            with suppress(IndexError):
                self._data = self._caught.receive_nowait().data
        return self._data

    async def wait_data(self) -> cdp.input.DragData:
        """The same once it is there."""
        self._data = (await self._caught.receive()).data
        return self._data


class Drags:
    """Of one tab."""

    def __init__(
        self,
        session: Session,
        frames: Frames,
        worlds: Worlds,
        pointing: Pointing,
        settling: Settling,
    ) -> None:
        self._session = session
        self._frames = frames
        self._worlds = worlds
        self._pointing = pointing
        self._settling = settling

    async def drag(
        self, source: Place, destination: Place, *, admit: Admit | None = None
    ) -> Aftermath:
        """Press on the one, move to the other, let go; `admit` as for a click.

        `told` says whether it was `unfinished`: a dialog or another page came before the end.
        """
        frame = source.frame if isinstance(source, Target) else self._frames.main
        let_go = trio.Event()

        async def deed(seen: Recording) -> Told:
            until = trio.current_time() + self._session.connection.timeouts.action
            start = await self._place(source, until, admit, guarded=True)
            widget = await self._widget_at(start)
            sessions = {widget, frame.session, self._session}
            try:
                await self._intercept(sessions, enabled=True)
                with self._session.events(cdp.input.DragIntercepted) as caught:
                    hand = _Hand(frame, widget, seen, caught)
                    while not (taken := await self._take(hand, source, start, until)):
                        start = await self._place(source, until, admit, guarded=True)
                    async with self._put_back(hand, start):
                        end = await self._place(destination, until, admit, guarded=False)
                        await self._move(frame, seen, start, end)
                        if taken["begun"] or hand.data is not None:
                            await self._drop(hand, end, let_go)
                    let_go.set()
                    await self._settling.deliver(frame, seen, mouse.let_go(end.x, end.y))
            finally:
                with trio.move_on_after(self._session.connection.timeouts.close, shield=True):
                    await self._intercept(sessions, enabled=False)
            told = self._judged(source, await self._pointing.pressed(frame))
            return {**told, "drop": None} if hand.crossed else told  # its start was not told how

        after = await self._settling.after(frame, deed)
        after.told["unfinished"] = not let_go.is_set()
        return after

    async def _place(
        self, place: Place, until: float, admit: Admit | None, *, guarded: bool
    ) -> Point:
        if isinstance(place, Point):
            await self._pointing.check_at(place.x, place.y)
            if guarded:
                await self._pointing.stand_down()
                await self._worlds.call(self._frames.main, "at", place.x, place.y)
            return place
        spot = await self._pointing.aim(
            place, until, enabled=guarded, guarded=guarded, dropping=not guarded, admit=admit
        )
        return Point(spot.x, spot.y)

    async def _widget_at(self, place: Point) -> Session:
        """Who gets the input there: the page, or a frame of another site in it."""
        if all(frame.session is self._session for frame in self._frames):
            return self._session
        below = await self._pointing.frames_at(place.x, place.y)
        return below[-1].session if below else self._session

    @asynccontextmanager
    async def _put_back(self, hand: _Hand, start: Point) -> AsyncIterator[None]:
        """What cannot be carried to its end is let go where it was, and not held for ever."""
        try:
            yield
        except BaseException:
            back = mouse.move(start.x, start.y, held="left")
            halt = self._session.connection.timeouts.halt
            # It is sent, though a dialog holds it up; one that may only be read gets nothing.
            with trio.move_on_after(halt, shield=True), suppress(PolicyDenied):
                await self._settling.deliver(hand.frame, hand.seen, back)
            with trio.move_on_after(halt, shield=True):
                await self._let_go(hand, start)
                await self._pointing.stand_down()
            raise

    async def _let_go(self, hand: _Hand, start: Point) -> None:
        """End a drag of the browser's own wherever it is, and let the button come up."""
        release = mouse.let_go(start.x, start.y)
        async with trio.open_nursery() as nursery:  # a dialog may hold up either
            if (data := hand.data) is not None:
                nursery.start_soon(self._end, hand, data)
            with suppress(BridgeError):  # why it came to this is told, not what came of it
                await self._settling.deliver(hand.frame, hand.seen, release)

    async def _end(self, hand: _Hand, data: cdp.input.DragData) -> None:
        """Tell the widget where it began that it is over: else no press gets to it any more.

        What shows at the start by now may be another widget. Gone, it is not in the way either.
        """
        with suppress(BridgeError):
            await hand.widget.execute(
                cdp.input.dispatch_drag_event("dragCancel", _NOWHERE, _NOWHERE, data)
            )

    async def _take(self, hand: _Hand, source: Place, start: Point, until: float) -> Told | None:
        """Press, and begin to move; None if the press missed and was kept from the page."""
        frame, seen = hand.frame, hand.seen
        async with self._put_back(hand, start):
            await self._begin(frame, seen, start)
            if not isinstance(source, Target):
                return {"begun": False}  # if it has, that shows when it is moved
            taken: Told = await self._worlds.call(frame, "taken")
        if not taken["missed"]:
            return taken
        await self._settling.deliver(frame, seen, mouse.let_go(start.x, start.y))
        seen.delivered = False
        if trio.current_time() >= until:
            raise _slipped(source, taken["missed"])
        return None

    async def _begin(self, frame: Frame, seen: Recording, start: Point) -> None:
        """Press, and move far enough for the page to see a drag in it."""
        await self._settling.deliver(
            frame, seen, mouse.move(start.x, start.y), mouse.press(start.x, start.y)
        )
        for step in (_NUDGE / 2, _NUDGE):
            nudge = mouse.move(start.x + step, start.y + step, held="left")
            await self._settling.deliver(frame, seen, nudge)

    async def _move(self, frame: Frame, seen: Recording, start: Point, end: Point) -> None:
        middle = Point((start.x + end.x) / 2, (start.y + end.y) / 2)
        near = Point(end.x - (1 if end.x > start.x else -1), end.y)
        for place in (middle, near):
            await self._settling.deliver(frame, seen, mouse.move(place.x, place.y, held="left"))
        await self._worlds.call(frame, "rest")
        await self._settling.deliver(frame, seen, mouse.move(end.x, end.y, held="left"))
        await self._worlds.call(frame, "rest")

    async def _drop(self, hand: _Hand, end: Point, let_go: trio.Event) -> None:
        data = hand.data or await hand.wait_data()
        widget = await self._widget_at(end)
        for kind in ("dragEnter", "dragOver", "dragOver", "drop"):
            if kind == "drop":
                let_go.set()
            event = cdp.input.dispatch_drag_event(kind, end.x, end.y, data)
            await self._settling.deliver(hand.frame, hand.seen, event)
            if kind == "dragOver":
                await self._worlds.call(hand.frame, "rest")
        if widget is not hand.widget:  # Chrome ends it itself only where it began
            hand.crossed = True
            await self._end(hand, data)

    async def _intercept(self, sessions: set[Session], *, enabled: bool) -> None:
        for session in sessions:
            try:
                await session.execute(cdp.input.set_intercept_drags(enabled=enabled))
            except BridgeError:
                if enabled:
                    raise

    def _judged(self, source: Place, told: Told) -> Told:
        if isinstance(source, Target) and told["presses"] == 0:
            raise _slipped(source, told["missed"] or "something")
        return told


def _slipped(source: Target, missed: str) -> PageError:
    return not_actionable(f"{source.name}: {missed} came over it before it could be taken hold of")
