"""Goes to an address and returns when the page is there.

Milestones are matched by the loader of the document, so the `load` of a page that was still there
never counts for the new one; a page that redirects itself while loading is followed. A dialog, a
crash or a download ends the wait at once.
"""

from dataclasses import dataclass
from typing import Literal

from bridge import cdp
from bridge.cdp.base import Event
from bridge.errors import BridgeError, PageError
from bridge.page.frames import Frames
from bridge.page.scripts import Scripts
from bridge.session import faults
from bridge.session.events import Loss, Subscription
from bridge.session.session import Session
from bridge.timeouts import deadline

WaitUntil = Literal["commit", "domcontentloaded", "load"]

_MILESTONES: dict[WaitUntil, str] = {
    "commit": "commit",
    "domcontentloaded": "DOMContentLoaded",
    "load": "load",
}
_FACTS = (
    "[location.href, document.title, performance.getEntriesByType('navigation')[0]?.responseStatus]"
)


@dataclass(frozen=True, slots=True)
class Arrival:
    """Where a navigation ended; `status` is 0 where there is none (about:, data:, file:)."""

    url: str
    title: str
    status: int


class Navigation:
    """Navigation of one tab."""

    def __init__(self, session: Session, frames: Frames, scripts: Scripts) -> None:
        self._session = session
        self._frames = frames
        self._scripts = scripts

    async def to(self, url: str, *, until: WaitUntil = "load") -> Arrival:
        """Go there; NAVIGATION_FAILED if there is no such place, DIALOG_OPEN if it asks first."""
        timeouts = self._session.connection.timeouts
        with self._listen() as events, deadline(timeouts, "navigation", f"navigating to {url}"):
            begun = await self._session.execute(cdp.page.navigate(url), timeout="navigation")
            if begun.error_text and not begun.is_download:
                raise _failed(url, begun.error_text)
            if begun.is_download:
                raise _failed(url, "it is a download")
            if begun.loader_id is not None:  # else the document stayed, only its fragment changed
                await self._milestone(events, begun.loader_id, until)
        return await self.here()

    async def reload(self, *, until: WaitUntil = "load") -> Arrival:
        """Load the current address again; also revives a crashed tab."""
        timeouts = self._session.connection.timeouts
        if self._session.crashed:
            return await self.to(self._frames.main.url or "about:blank", until=until)
        with self._listen() as events, deadline(timeouts, "navigation", "reloading"):
            before = self._frames.main.loader
            await self._session.execute(cdp.page.reload(), timeout="navigation")
            while self._frames.main.loader == before:
                _check(await events.receive())
            await self._milestone(events, self._frames.main.loader, until)
        return await self.here()

    async def here(self) -> Arrival:
        """Address, title and status of the document that is there now."""
        match await self._scripts.isolated(_FACTS):
            case [str(url), str(title), status]:
                return Arrival(url, title, status if isinstance(status, int) else 0)
            case _:
                return Arrival(self._frames.main.url, "", 0)

    def _listen(self) -> "_Listening":
        return _Listening(self._session)

    async def _milestone(self, events: Subscription[Event], loader: str, until: WaitUntil) -> None:
        main, name = self._frames.main.id, _MILESTONES[until]
        while True:
            match await events.receive():
                case cdp.page.LifecycleEvent() as life if life.frame_id == main:
                    if life.loader_id == loader and life.name == name:
                        return
                case cdp.page.FrameNavigated() as moved if moved.frame.id == main:
                    loader = moved.frame.loader_id
                case event:
                    _check(event)


class _Listening:
    """A subscription to what a navigation may meet; nothing of it may be missed."""

    def __init__(self, session: Session) -> None:
        self._block = session.events(
            cdp.page.LifecycleEvent,
            cdp.page.FrameNavigated,
            cdp.page.JavascriptDialogOpening,
            cdp.inspector.TargetCrashed,
            loss=Loss.FAIL,
        )

    def __enter__(self) -> Subscription[Event]:
        return self._block.__enter__()

    def __exit__(self, *exit_: object) -> None:
        self._block.__exit__(None, None, None)


def _check(event: object) -> None:
    match event:
        case cdp.inspector.TargetCrashed():
            raise faults.crashed()
        case cdp.page.JavascriptDialogOpening() as dialog:
            raise _dialog(dialog)


def _dialog(dialog: cdp.page.JavascriptDialogOpening) -> BridgeError:
    return PageError(
        "DIALOG_OPEN",
        f"the page opened a {dialog.type} dialog and waits for an answer",
        hint="Accept or dismiss it, then go on.",
        facts={"type": dialog.type, "message": dialog.message[:1000]},
    )


def _failed(url: str, why: str) -> PageError:
    return PageError(
        "NAVIGATION_FAILED",
        f"{url} could not be opened: {why}",
        hint="Check the address; the tab still shows what it showed before, or an error page.",
        facts={"url": url, "reason": why},
    )
