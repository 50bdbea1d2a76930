"""What an action has set going in a page, told by events; pure.

A navigation is known from the moment a script or a link asks for it, which Chrome tells before it
answers the press that caused it (Chrome 156). One that never begins, ends as a download or brings
nothing (204) is over as well. Requests count while the course is `open`: those the action itself
fired and those fired upon an answer to one of them (which a page has with the head of the answer,
before Chrome calls it finished), not what the page goes on asking for: answers that cause requests
that cause requests are followed only so far.
"""

from dataclasses import dataclass, field
from enum import Enum

from bridge import cdp
from bridge.page.dialogs import is_for_program
from bridge.page.frames import is_restored
from bridge.page.habits import FETCHES
from bridge.page.sandboxes import kept_from

KINDS = (
    cdp.page.FrameRequestedNavigation,
    cdp.page.FrameClearedScheduledNavigation,
    cdp.page.FrameStartedNavigating,
    cdp.page.FrameNavigated,
    cdp.page.NavigatedWithinDocument,
    cdp.page.FrameStoppedLoading,
    cdp.page.FrameDetached,
    cdp.page.DownloadWillBegin,
    cdp.page.WindowOpen,
    cdp.page.FileChooserOpened,
    cdp.network.RequestWillBeSent,
    cdp.network.ResponseReceived,
    cdp.network.LoadingFinished,
    cdp.network.LoadingFailed,
    cdp.log.EntryAdded,
)
"""The events a course is made of."""

OPENING = ("newTab", "newWindow")
"""How a page announces what a click with a modifier opens, until Chrome takes that back again."""

_DEEP = 10  # requests that each wait for the one before; more is a page that never rests


class Stage(Enum):
    """How far a navigation has come."""

    ASKED = "asked"
    BEGUN = "begun"
    THERE = "there"  # another document, which is still loading


@dataclass(slots=True)
class Course:
    """Fed with the events of all sessions of a tab, in the order they come."""

    main: str  # the main frame
    began: float = 0.0  # ms of the wall clock: a new process tells what was logged before as well
    open: bool = True
    navigating: dict[str, Stage] = field(default_factory=dict)  # by frame
    arrived: bool = False  # the page is another one
    requests: dict[str, int] = field(default_factory=dict)  # unanswered: id -> how deep
    downloads: list[cdp.page.DownloadWillBegin] = field(default_factory=list)
    windows: list[str] = field(default_factory=list)  # addresses of what was opened
    opening: set[str] = field(
        default_factory=set
    )  # frames that have announced a tab, not yet there
    announced: list[str] = field(default_factory=list)  # addresses of those
    programs: list[str] = field(default_factory=list)  # for others to open; "" a frame's
    chooser: cdp.page.FileChooserOpened | None = None
    kept: list[str] = field(default_factory=list)  # from what Chrome has kept a frame
    _askers: dict[str, str] = field(default_factory=dict)  # frames, by the id of the request
    _depth: int = 0

    @property
    def counts(self) -> bool:
        """A request that begins now is taken for one of the deed's."""
        return self.open and self._depth < _DEEP

    @property
    def busy(self) -> bool:
        """Something is under way."""
        return bool(self.navigating or self.requests or self.opening)

    @property
    def leaving(self) -> bool:
        """The page itself is about to be another one, or is not loaded yet."""
        return self.main in self.navigating

    def see(self, event: object) -> None:
        """Take one event into account."""
        if isinstance(event, cdp.log.EntryAdded):
            self._heed(event.entry)
        else:
            self._note(event)

    def _note(self, event: object) -> None:
        match event:
            case cdp.network.RequestWillBeSent():
                if self.counts and event.type in FETCHES:
                    self.requests[event.request_id] = self._depth
                    self._askers[event.request_id] = event.frame_id or ""
            case cdp.network.ResponseReceived():
                if (depth := self.requests.get(event.request_id)) is not None:
                    # What a slow answer to the deed itself brings counts, whatever came meanwhile.
                    self.open, self._depth = True, max(self._depth, depth + 1) if depth else 1
            case cdp.network.LoadingFinished() | cdp.network.LoadingFailed():
                self.requests.pop(event.request_id, None)
                self._askers.pop(event.request_id, None)
            case cdp.page.DownloadWillBegin():
                self.navigating.pop(event.frame_id, None)
                self.downloads.append(event)
            case cdp.page.WindowOpen():
                self.windows.append(event.url)
            case cdp.page.FileChooserOpened():
                self.chooser = event
            case cdp.page.FrameRequestedNavigation() if is_for_program(event.url):
                self.programs.append(event.url if event.frame_id == self.main else "")
            case _:
                self._move(event)

    def _move(self, event: object) -> None:
        match event:
            case cdp.page.FrameRequestedNavigation():
                self._ask(event)
            case cdp.page.FrameStartedNavigating():
                if not event.navigation_type.lower().endswith("samedocument"):
                    self.navigating[event.frame_id] = Stage.BEGUN
            case cdp.page.FrameNavigated():
                self._commit(event)
            case cdp.page.NavigatedWithinDocument() | cdp.page.FrameClearedScheduledNavigation():
                self.opening.discard(event.frame_id)
                if self.navigating.get(event.frame_id) is Stage.ASKED:
                    del self.navigating[event.frame_id]
            case cdp.page.FrameStoppedLoading():
                if self.navigating.get(event.frame_id) is not Stage.ASKED:
                    self.navigating.pop(event.frame_id, None)
            case cdp.page.FrameDetached() if event.reason != "swap":
                self.navigating.pop(event.frame_id, None)
                self._abandon(event.frame_id)

    def _heed(self, entry: cdp.log.LogEntry) -> None:
        deed = kept_from(entry) if entry.timestamp >= self.began else ""
        if deed and deed not in self.kept:
            self.kept.append(deed)

    def _ask(self, event: cdp.page.FrameRequestedNavigation) -> None:
        if event.disposition == "currentTab":
            self.navigating.setdefault(event.frame_id, Stage.ASKED)
        elif event.disposition in OPENING:
            self.opening.add(event.frame_id)
            self.announced.append(event.url)

    def _commit(self, event: cdp.page.FrameNavigated) -> None:
        frame = event.frame.id
        if is_restored(event):
            self.navigating.pop(frame, None)
        else:
            self.navigating[frame] = Stage.THERE
        if frame == self.main:
            self.arrived = True
            self.requests.clear()  # they were the old page's
        self._abandon(frame)

    def _abandon(self, frame: str) -> None:
        """What its document has asked for ends with that, and Chrome does not say so."""
        for request in [each for each in self.requests if self._askers.get(each) == frame]:
            del self.requests[request], self._askers[request]
