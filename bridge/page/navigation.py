"""Goes to an address and returns when the page is there.

What a navigation reached is told by the loader of the document, so the `load` of a page that was
still there never counts for the new one, and a page that sends us on while it loads is followed.
Where nothing loads any more without ever having been complete (a body cut off half-way), that is
the end too. A dialog, a crash or a download ends the wait at once; a deadline stops the loading,
or the page would be replaced under the hands of whoever goes on with it.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Literal

import trio

from bridge import cdp
from bridge.cdp.base import Event
from bridge.errors import BridgeError, ChromeError, DeadlineExceeded, PageError
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frames, is_restored
from bridge.page.quoting import cut
from bridge.page.rescue import free
from bridge.page.scripts import Scripts
from bridge.session import faults
from bridge.session.events import Loss, Subscription
from bridge.session.session import Session
from bridge.timeouts import deadline

WaitUntil = Literal["commit", "domcontentloaded", "load", "networkidle"]

_MILESTONES: dict[WaitUntil, frozenset[str]] = {
    "commit": frozenset({"init", "DOMContentLoaded", "load"}),
    "domcontentloaded": frozenset({"DOMContentLoaded", "load"}),
    "load": frozenset({"load"}),
    "networkidle": frozenset({"load"}),  # and then a quiet network, for as long as we care to wait
}
_LONGEST = 500  # characters of an address
_NO_ADDRESS = "it is not an address"
_EMPTY = "net::ERR_HTTP_RESPONSE_CODE_FAILURE"  # a status of an error, and no page to it
_DOWNLOAD = "it is a download"
_UNLOADED = "nothing could be loaded from there"
_SCRIPT = "it is a script, not an address"
_INSTEAD = {
    _NO_ADDRESS: "Give a full address such as https://example.com/",
    _DOWNLOAD: "Download it instead",
    _SCRIPT: "Evaluate it instead",
}
_KEEP = 10_000  # events while Chrome makes up its mind; a page of 1,000 frames has a few each
_FACTS = (  # the title itself, and not an image of that name
    "[location.href, Reflect.get(Document.prototype, 'title', document),"
    " performance.getEntriesByType('navigation')[0]?.responseStatus]"
)
_CHANGING = "Not attached to an active page"  # while one document takes the place of another


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a navigation ended; `status` is 0 where there is none (about:blank).

    `restless` says that a quiet network was asked for, and did not come.
    """

    url: str
    title: str
    status: int
    restless: bool = False


class Journey:
    """How far the main frame has come; pure, fed with the events of one navigation.

    `loader` is the one the navigation was given, None if any that begins now is meant.
    """

    def __init__(self, frame_id: str, loader: str | None, until: WaitUntil) -> None:
        self._frame = frame_id
        self._loader = loader or ""
        self._begun = False
        self._committed = False
        self._names = _MILESTONES[until]
        self.arrived = False
        self.rested = False  # half a second without requests

    def see(self, event: Event) -> None:
        """Take one event into account."""
        match event:
            case cdp.page.FrameStartedNavigating() if event.frame_id == self._frame:
                if not event.navigation_type.lower().endswith("samedocument"):
                    self._move(event.loader_id, committed=False)
            case cdp.page.FrameNavigated() if event.frame.id == self._frame:
                self._move(event.frame.loader_id, committed=True)
            case cdp.page.LifecycleEvent() if event.frame_id == self._frame:
                if self._begun and event.loader_id == self._loader:
                    self.arrived = self.arrived or event.name in self._names
                    self.rested = self.rested or event.name == "networkIdle"
            case cdp.page.FrameStoppedLoading() if event.frame_id == self._frame:
                self.arrived = self.arrived or self._committed

    def _move(self, loader: str, *, committed: bool) -> None:
        if not self._begun and self._loader not in ("", loader):
            return  # of whatever was going on before
        self._begun = True
        self._committed = self._committed or committed
        if loader != self._loader:
            self.arrived = self.rested = False
        self._loader = loader


class Navigation:
    """Navigation of one tab."""

    def __init__(
        self,
        session: Session,
        frames: Frames,
        scripts: Scripts,
        dialogs: Dialogs,
        known_status: Callable[[str], int | None],
    ) -> None:
        self._session = session
        self._frames = frames
        self._scripts = scripts
        self._dialogs = dialogs
        self._known_status = known_status  # by loader; None if it has none, or nobody listened

    async def to(self, url: str, *, until: WaitUntil = "load") -> Arrival:
        """Go there; NAVIGATION_FAILED if there is no such place, DIALOG_OPEN if it asks first."""
        async with self._going(f"navigating to {cut(url, _LONGEST)}") as events:
            begun = await self._navigate(url)
            if begun.error_text:
                status = self._known_status(begun.loader_id or "")
                why = _reason(url, begun.error_text, status)
                if _shows(why):
                    await self._wait_shown(events, begun.loader_id)
                raise _failed(url, why)
            if begun.loader_id is not None:  # else the document stayed, only its fragment changed
                return await self._arrive(events, begun.loader_id, until)
            return await self.here()

    async def reload(self, *, until: WaitUntil = "load", afresh: bool = False) -> Arrival:
        """Load the address again, `afresh` without the cache; also revives a crashed tab."""
        if self._session.crashed:
            return await self.to(self._frames.main.url, until=until)
        async with self._going("reloading") as events:
            again = cdp.page.reload(ignore_cache=afresh or None)
            await self._session.execute(again, timeout="navigation")
            return await self._arrive(events, None, until)

    async def entry(self, steps: int) -> cdp.page.NavigationEntry:
        """The page so many steps ahead (or back, below zero) in the history of the tab."""
        history = await self._session.execute(cdp.page.get_navigation_history())
        wanted = history.current_index + steps
        if not 0 <= wanted < len(history.entries):
            where = "behind" if steps < 0 else "ahead of"
            raise PageError(
                "NAVIGATION_FAILED",
                f"there is no page {where} this one in the history of the tab",
                hint="Navigate to an address instead.",
            )
        return history.entries[wanted]

    async def travel(
        self, entry: cdp.page.NavigationEntry, *, until: WaitUntil = "load"
    ) -> Arrival:
        """Go to an entry of the history."""
        async with self._going(f"going to {cut(entry.url, _LONGEST)}") as events:
            await self._session.execute(
                cdp.page.navigate_to_history_entry(entry.id), timeout="navigation"
            )
            return await self._arrive(events, None, until, history=True)

    async def here(self) -> Arrival:
        """Address, title and status of the document that is there now.

        The browser's own process tells: a page that has just loaded is busy drawing itself, and
        would take 8 ms over an answer. It learns of a title before we learn of what came after it.
        """
        status = self._known_status(self._frames.main.loader)
        if status is None:
            return await self._asked()
        try:
            history = await self._session.execute(cdp.page.get_navigation_history())
        except ChromeError as error:
            if _CHANGING not in error.message:
                raise
            return await self._asked()
        entry = history.entries[history.current_index]
        return Arrival(entry.url, entry.title, status)

    async def _asked(self) -> Arrival:
        """The same from the page."""
        while True:
            try:
                facts = await self._scripts.isolated(_FACTS)
            except PageError as error:
                if not error.facts.get("navigated"):
                    raise
            else:
                break
        match facts:
            case [str(url), str(title), status]:
                return Arrival(url, title, status if isinstance(status, int) else 0)
            case _:
                return Arrival(self._frames.main.url, "", 0)

    async def _navigate(self, url: str) -> cdp.page.NavigateResult:
        try:
            begun = await self._session.execute(cdp.page.navigate(url), timeout="navigation")
        except ChromeError as error:
            if "invalid URL" not in error.message:
                raise
            raise _failed(url, _NO_ADDRESS) from error
        if begun.is_download:
            raise _failed(url, _DOWNLOAD)
        return begun

    async def _wait_shown(self, events: Subscription[Event], loader: str | None) -> None:
        """Until Chrome's error page is there: it may come after the news of the error."""
        with trio.move_on_after(self._session.connection.timeouts.error_page):
            while True:
                match _alive(await events.receive()):
                    case cdp.page.FrameNavigated() as news if news.frame.loader_id == loader:
                        return

    async def _arrive(
        self,
        events: Subscription[Event],
        loader: str | None,
        until: WaitUntil,
        *,
        history: bool = False,
    ) -> Arrival:
        journey = Journey(self._frames.main.id, loader, until)
        while True:
            while not journey.arrived:
                event = _alive(await events.receive())
                if history and self._nothing_loads(event):
                    return await self.here()
                journey.see(event)
            arrival = await self.here()
            for event in _heard(events):
                journey.see(_alive(event))
            if until == "networkidle":
                await self._idle(events, journey)
                arrival = replace(arrival, restless=not journey.rested)
            if journey.arrived:  # else the page has sent us on meanwhile
                if self._frames.main.unreachable:  # Chrome says it only of where it was told to go
                    raise _failed(self._frames.main.unreachable, _UNLOADED)
                return arrival

    def _nothing_loads(self, event: Event) -> bool:
        """In the history, a page may have been kept alive, or be the same with another fragment."""
        match event:
            case cdp.page.NavigatedWithinDocument() as moved:
                return moved.frame_id == self._frames.main.id
            case cdp.page.FrameNavigated() as news:
                return news.frame.id == self._frames.main.id and is_restored(news)
        return False

    async def _idle(self, events: Subscription[Event], journey: Journey) -> None:
        """Until it rests; a page that never does is no failure."""
        with trio.move_on_after(self._session.connection.timeouts.idle):
            while journey.arrived and not journey.rested:
                journey.see(_alive(await events.receive()))

    @asynccontextmanager
    async def _going(self, operation: str) -> AsyncIterator[Subscription[Event]]:
        """Hear all a navigation may meet, within its time."""
        listening = self._session.events(
            cdp.page.FrameStartedNavigating,
            cdp.page.FrameNavigated,
            cdp.page.NavigatedWithinDocument,
            cdp.page.LifecycleEvent,
            cdp.page.FrameStoppedLoading,
            cdp.inspector.TargetCrashed,
            loss=Loss.FAIL,
            keep=_KEEP,
        )
        try:
            with (
                listening as events,
                deadline(self._session.connection.timeouts, "navigation", operation),
                self._dialogs.ending(),
            ):
                yield events
        except DeadlineExceeded:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Give up for good: what comes later must not replace the page, nor what runs block it."""
        try:
            await self._session.execute(cdp.page.stop_loading(), timeout="probe")
        except BridgeError:
            return
        await free(self._session)


def _heard(events: Subscription[Event]) -> Iterator[Event]:
    """What has come already."""
    while True:
        try:
            yield events.receive_nowait()
        except IndexError:
            return


def _alive(event: Event) -> Event:
    if isinstance(event, cdp.inspector.TargetCrashed):
        raise faults.crashed()
    return event


def _reason(url: str, chromes: str, status: int | None) -> str:
    """Chrome's error in words where its own are misleading."""
    if url.lstrip().lower().startswith("javascript:"):
        return _SCRIPT
    if chromes == "net::ERR_ABORTED":
        return (
            "there is no page at this address, or another navigation took its place "
            "(net::ERR_ABORTED)"
        )
    if chromes == _EMPTY and status:
        return f"{chromes}, the server answered {status} and nothing else"
    return chromes


def _failed(url: str, why: str) -> PageError:
    return PageError(
        "NAVIGATION_FAILED",
        f"{cut(url, _LONGEST) or 'an empty address'} could not be opened: {why}",
        hint=_advice(why),
        facts={"url": url[:2000], "reason": why, "download": why == _DOWNLOAD},
    )


def _shows(why: str) -> bool:
    """Whether Chrome shows an error page for that."""
    return why.startswith("net::") or why == _UNLOADED


def _advice(why: str) -> str:
    """The next step, and what the tab shows now."""
    if _shows(why):
        return "Check the address, or try again later; the tab shows Chrome's error page."
    return f"{_INSTEAD.get(why, 'Go somewhere else')}; the tab shows what it showed before."
