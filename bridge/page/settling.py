"""Does something to a page and waits for exactly what that has started: never a fixed time.

What the page shows after the deed is asked for in the same breath; only if the deed has started
something (requests, a navigation) is it awaited and asked for again. A dialog ends everything at
once. What was delivered to the page is never repeated, and every error says so.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import trio

from bridge import cdp
from bridge.cdp.base import Command
from bridge.errors import BridgeError, DeadlineExceeded, PageError
from bridge.page.activity import Activity, Recording
from bridge.page.bounds import check_bounds
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frame, Frames
from bridge.page.navigation import Arrival, Navigation, WaitUntil
from bridge.page.rescue import free
from bridge.page.target import HINTS
from bridge.page.worlds import Worlds
from bridge.scope import open_scope
from bridge.session import faults
from bridge.session.session import Session
from bridge.timeouts import Timeouts

_GONE = ("TARGET_GONE", "DETACHED", "STALE_TAB")
_DELIVERED = "It was delivered, so look at the page before you do it again."
_MARGIN = 1.0  # seconds before the caller's own deadline: it gets an answer rather than a TIMEOUT

Told = dict[str, Any]
"""What our library says of the page after the deed; `changes` and whatever the deed is about."""

Deed = Callable[[Recording], Awaitable[Told]]

Windows = Callable[[], list[cdp.target.TargetID]]
"""The pages this one has opened so far."""


@dataclass(slots=True, kw_only=True)
class Aftermath:
    """What a deed did, as far as it can be known."""

    url: str  # where the page was
    told: Told = field(default_factory=dict)
    changes: str = ""  # lines of the page
    frame: Frame | None = None  # whose lines they are; None is the page itself
    now: str = ""  # where the page is, if that is another address
    title: str = ""  # of the page it is on now
    status: int = 0  # of the document that came
    arrived: bool = False  # the page is another one
    loading: bool = False  # it is still on its way
    turned: list[Frame] = field(default_factory=list)  # frames of it that show another page
    waiting: int = 0  # requests that were not answered in time
    downloads: list[cdp.page.DownloadWillBegin] = field(default_factory=list)
    windows: list[str] = field(default_factory=list)  # addresses of those it wanted to open
    opened: list[cdp.target.TargetID] = field(default_factory=list)  # those that are there
    coming: list[str] = field(default_factory=list)  # addresses of some that are not there yet
    programs: list[str] = field(default_factory=list)  # addresses it wanted others to open
    chooser: cdp.page.FileChooserOpened | None = None
    kept: list[str] = field(default_factory=list)  # from what Chrome has kept a sandboxed frame
    dialog: cdp.page.JavascriptDialogOpening | None = None
    closed: bool = False  # the tab closed itself


class Settling:
    """Of one tab."""

    def __init__(
        self,
        frames: Frames,
        worlds: Worlds,
        dialogs: Dialogs,
        navigation: Navigation,
        activity: Activity,
        windows: Windows,
    ) -> None:
        self._frames = frames
        self._worlds = worlds
        self._dialogs = dialogs
        self._navigation = navigation
        self._activity = activity
        self._windows = windows
        self._catching: WeakSet[Session] = WeakSet()

    @property
    def _timeouts(self) -> Timeouts:
        return self._frames.main.session.connection.timeouts

    @property
    def asking(self) -> bool:
        """Whether Chrome may have a question of its own open over the page."""
        return self._dialogs.asking

    async def after(self, frame: Frame, deed: Deed) -> Aftermath:
        """Do it, and tell what came of it; `frame` is where its changes are looked for."""
        after = Aftermath(url=self._frames.main.url, frame=frame)
        began = trio.current_time()
        before, loader = set(self._windows()), self._frames.main.loader
        documents = {each: each.loader for each in self._frames}
        with self._activity.recording() as seen:
            with self._unless_delivered(seen, after), self._dialogs.ending():
                after.told = await self._do(deed, seen)
                seen.course.open = False
                after.changes = after.told.get("changes", "")
                after.title = after.told.get("title", "")
                if after.told.get("closing"):
                    await self._closed()
                elif after.told.get("chooses") or after.told.get("choosing"):
                    async with self.while_there():
                        await self._chosen(seen, surely=after.told["chooses"])
                elif seen.course.busy or seen.course.arrived:
                    async with self.while_there():
                        await self._settle(frame, seen, after, loader, began)
            self._conclude(seen, after)
        if not after.arrived:
            after.turned = [each for each in self._frames if _is_another(each, documents.get(each))]
        after.opened = await self._opened(before, len(after.windows))
        there = max(0, len(after.opened) - len(after.windows))
        after.windows += seen.course.announced[:there]
        after.coming = seen.course.announced[there:]
        return after

    async def travel(
        self, entry: cdp.page.NavigationEntry, *, until: WaitUntil = "load"
    ) -> Arrival:
        """Go to an entry of the history; a page that stays and asks for what it had there has time.

        Routers hear of it behind Chrome's news that the address is another one, and show it when
        the answers are there.
        """
        began, main, loader = trio.current_time(), self._frames.main, self._frames.main.loader
        with self._activity.recording() as seen:
            arrival = await self._navigation.travel(entry, until=until)
            if main.loader != loader or until == "commit":
                return arrival
            with suppress(DeadlineExceeded), self._dialogs.ending():  # it is there, if it hangs
                after = Aftermath(url=main.url)
                await self._look_again(main, seen, after)
                if seen.course.busy:
                    await self._settle(main, seen, after, loader, began)
        return await self._navigation.here()

    async def _opened(
        self, before: set[cdp.target.TargetID], announced: int
    ) -> list[cdp.target.TargetID]:
        """The pages that are new; the extension tells of a tab a little after the page did."""

        def new() -> list[cdp.target.TargetID]:
            return [window for window in self._windows() if window not in before]

        connection = self._frames.main.session.connection
        if connection.kind == "extension" and len(new()) < announced:
            with (
                suppress(BridgeError),
                connection.root.events(cdp.target.TargetCreated) as created,
                trio.move_on_after(self._timeouts.opened),
            ):
                while len(new()) < announced:
                    await created.receive()
        return new()

    async def _do(self, deed: Deed, seen: Recording) -> Told:
        """The page may be another one before it could tell, or be about to be."""
        try:
            return await deed(seen)
        except BridgeError as error:
            if seen.delivered and _has_left(error):
                return {}
            raise

    @contextmanager
    def _unless_delivered(self, seen: Recording, after: Aftermath) -> Iterator[None]:
        """What happens to the page once the deed is done is its result, and no error."""
        try:
            yield
        except BridgeError as error:
            if not seen.delivered:
                raise
            if error.code == "DIALOG_OPEN":
                after.dialog = self._dialogs.current
            elif error.code in _GONE:
                after.closed = True
            elif not _has_left(error):
                if not error.facts.get("delivered"):
                    error.hint = f"{_DELIVERED} {error.hint}".rstrip()
                error.facts["delivered"], error.retryable = True, False
                raise

    async def _settle(
        self, frame: Frame, seen: Recording, after: Aftermath, loader: str, began: float
    ) -> None:
        """Until all is answered and loaded, as far as there is time for it.

        `loader` is that of the page it was done to: another may be there before we look.
        """
        course, latest = seen.course, self._latest(began)
        enough = trio.current_time() + self._timeouts.settle
        while course.busy and not course.arrived:
            with trio.move_on_at(latest if course.leaving else enough) as scope:
                await self._changed(seen, leaving=course.leaving)
            if scope.cancelled_caught:
                return
            if not course.arrived and not course.leaving:
                await self._look_again(frame, seen, after)
                if not (course.busy or after.changes):  # a busy page comes to its answer later
                    await self._look_again(frame, seen, after)
        with trio.move_on_at(latest):
            while course.leaving:
                await seen.change()
        if course.arrived and not course.leaving:
            await self._look_around(after, loader)

    @asynccontextmanager
    async def while_there(self) -> AsyncIterator[None]:
        """The block ends with the page, which tells nothing more of what has begun in it."""
        session = self._frames.main.session
        ends: list[BridgeError] = []

        async def watch() -> None:
            try:
                with session.events(cdp.inspector.TargetCrashed) as crashes:
                    await crashes.receive()
                ends.append(faults.crashed())
            except BridgeError as error:  # not raised: the block may meet the same in other words
                ends.append(error)
            scope.cancel()

        with trio.CancelScope() as scope:
            async with open_scope() as nursery:
                nursery.start_soon(watch)
                yield
        if scope.cancelled_caught:
            raise ends[0]

    async def _changed(self, seen: Recording, *, leaving: bool) -> None:
        """Until nothing is under way, the page begins to leave, or is not leaving any more."""
        while seen.course.busy and seen.course.leaving == leaving and not seen.course.arrived:
            await seen.change()

    async def _look_again(self, frame: Frame, seen: Recording, after: Aftermath) -> None:
        """What the answers changed; what they have fired in turn is awaited as well."""
        seen.course.open = True
        try:
            told = await self._worlds.call(frame, "changes")
        except BridgeError as error:
            if not _has_left(error):
                raise
            return
        finally:
            seen.course.open = False
        after.changes, after.title = told["changes"], told["title"]
        if after.told:  # else it is of another page, or none, than what was done
            after.told["led"] = told.get("led")

    async def _chosen(self, seen: Recording, *, surely: bool) -> None:
        """Chrome tells of a file chooser a little after the click that opens it."""
        with trio.move_on_after(self._timeouts.settle):
            while seen.course.chooser is None:
                patience = self._timeouts.settle if surely else self._timeouts.chooser
                with trio.move_on_after(patience) as scope:
                    await self._chooser(seen, busy=False)
                if scope.cancelled_caught:
                    return
                await self._chooser(seen, busy=True)

    async def _chooser(self, seen: Recording, *, busy: bool) -> None:
        """Until there is one, or something begins, or all of it has come to its end."""
        while seen.course.chooser is None and seen.course.busy == busy:
            await seen.change()

    async def catch_choosers(self, frame: Frame) -> None:
        """Before a first press or key: a chooser of the system would block, and tell nobody."""
        session = frame.session
        if session in self._catching:
            return
        self._dialogs.check()  # a page that waits for an answer gives none
        catch = cdp.page.set_intercept_file_chooser_dialog(enabled=True)
        try:
            await session.execute(catch, timeout="read")  # its page answers that
        except DeadlineExceeded:
            await free(session)
            raise
        self._catching.add(session)

    async def late_chooser(self, seen: Recording) -> cdp.page.FileChooserOpened | None:
        """One that comes when the click has been told of already; None if none comes."""
        with trio.move_on_after(self._timeouts.settle):
            while seen.course.chooser is None:
                await seen.change()
        return seen.course.chooser

    def recording(self) -> AbstractContextManager[Recording]:
        """What is set going until the block ends, by several deeds."""
        return self._activity.recording()

    async def _closed(self) -> None:
        """A page that closes itself is gone a little later."""
        session = self._frames.main.session
        with trio.move_on_after(self._timeouts.settle), session.events(cdp.inspector.Detached) as e:
            async for _ in e:
                pass

    async def _look_around(self, after: Aftermath, before: str) -> None:
        if self._frames.main.loader == before:
            return
        place = await self._navigation.here()
        after.changes, after.title, after.status = "", place.title, place.status

    def _latest(self, began: float) -> float:
        """When to stop waiting for a page to load."""
        whole = began + self._timeouts.navigation
        return min(whole, trio.current_effective_deadline() - _MARGIN)

    def _conclude(self, seen: Recording, after: Aftermath) -> None:
        course = seen.course
        if self._dialogs.current is not None:
            after.dialog = self._dialogs.current
        after.arrived = course.arrived
        after.loading = course.leaving
        after.waiting = len(course.requests)
        after.downloads, after.windows = course.downloads, course.windows
        after.programs = course.programs
        after.chooser, after.kept = course.chooser, course.kept
        url = self._frames.main.url
        after.now = url if url != after.url or course.arrived else ""

    async def deliver(self, frame: Frame, seen: Recording, *commands: Command[Any]) -> None:
        """Send input; from then on the page may have got it. A page that hangs over it is freed."""
        check_bounds(frame)
        seen.delivered = True
        session = self._frames.main.session
        try:
            await session.execute_all(*commands, timeout="read")
        except DeadlineExceeded:
            await free(frame.session)
            raise


def _has_left(error: BridgeError) -> bool:
    """The page could not be asked: it is another one, or is about to be (`departures`)."""
    return bool(error.facts.get("navigated") or error.facts.get("going"))


def _is_another(frame: Frame, before: str | None) -> bool:
    """Whether it shows another document than that one; "" is none yet, or none that was named."""
    return bool(before and frame.loader) and frame.loader != before


def not_actionable(message: str, hint: str = "", **facts: object) -> PageError:
    """The element does not take what was asked for."""
    return PageError(
        "NOT_ACTIONABLE",
        message,
        hint=hint or HINTS["NOT_ACTIONABLE"],
        facts=facts,
    )
