"""The frame tree of one tab, kept current by events, across process borders.

A frame of another site lives in another process and comes as a child session of its own (targetId =
frameId); Chrome tells the parent session only that the frame was "swapped" out. Both halves are
stitched here, at any depth. The tree is a mirror: when a command returns, it has seen every event
that came before the answer.

Several processes tell of one frame, and none waits for another, so each is believed only in what it
shows itself. A frame moves away when the new process, announced while it still prepares and perhaps
for nothing, names its document; it moves back when its parent's process attaches it again.
Between two foreign processes it keeps its session, as the main frame always does. (Chrome 156.)
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from bridge import cdp, log
from bridge.cdp.base import Command
from bridge.errors import BridgeError, PageError
from bridge.page.departures import Departures
from bridge.session.session import Session

_log = log.get("page")

BLANK = "about:blank"  # Chrome says "" of a document that has not begun to load


@dataclass(slots=True, eq=False, repr=False)
class Frame:
    """One frame; `session` is where commands for it go."""

    id: cdp.page.FrameId
    parent: "Frame | None"
    session: Session
    url: str = BLANK
    name: str = ""
    loader: str = ""
    mime: str = ""  # of its document, as the browser took it
    unreachable: str = ""  # address that could not be loaded; `url` is then Chrome's error page
    children: "dict[str, Frame]" = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Frame {self.id} {self.url}>"

    @property
    def document(self) -> tuple[str, str, str]:
        """Another one for each document, and for each process while it has none yet."""
        return self.id, self.loader, self.session.key

    @property
    def remote(self) -> bool:
        """It lives in another process than its parent."""
        return self.parent is not None and self.parent.session is not self.session

    def walk(self) -> "Iterator[Frame]":
        """This frame and all below it, in the order of the documents."""
        yield self
        for child in list(self.children.values()):
            yield from child.walk()


class Frames:
    """All frames of a tab; `main` is there as long as the tab is."""

    def __init__(self, session: Session, main_id: str) -> None:
        self.main = Frame(cdp.page.FrameId(main_id), None, session)
        self.departures = Departures()
        self._all: dict[str, Frame] = {main_id: self.main}
        self._coming: dict[str, Session] = {}  # sessions, by the frame that is not there yet
        self._reading = 0
        self._gone: set[str] = set()  # while a tree is being read: it may still name these

    def __iter__(self) -> Iterator[Frame]:
        return self.main.walk()

    def __len__(self) -> int:
        return len(self._all)

    def get(self, frame_id: str) -> Frame:
        """The frame with this id; SELECTOR_NOT_FOUND if it is gone."""
        try:
            return self._all[frame_id]
        except KeyError:
            raise PageError(
                "SELECTOR_NOT_FOUND",
                f"the page has no frame {frame_id} any more",
                hint="Look at the page again; frames change when it navigates.",
            ) from None

    def watch(self, session: Session) -> None:
        """Follow the frames of this session, from the first command on."""
        session.mirror(cdp.page.FrameAttached, lambda event: self._attached(session, event))
        session.mirror(
            cdp.page.FrameNavigated,
            lambda event: self._navigated(session, event.frame, restored=is_restored(event)),
        )
        session.mirror(cdp.page.NavigatedWithinDocument, lambda event: self._moved(session, event))
        session.mirror(cdp.page.FrameDetached, lambda event: self._detached(session, event))
        session.mirror(cdp.page.FrameStartedNavigating, lambda event: self._left(session, event))
        session.mirror(cdp.page.FrameStoppedLoading, lambda event: self._rests(session, event))
        session.mirror(cdp.inspector.TargetCrashed, lambda _: self.departures.end(session))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While a tree is asked for: the answer is older than events that arrive behind it."""
        self._reading += 1
        try:
            yield
        finally:
            self._reading -= 1
            if not self._reading:
                self._gone.clear()
                self._coming = {k: s for k, s in self._coming.items() if s.end is None}

    def read(
        self,
        session: Session,
        tree: cdp.page.FrameTree,
        before: Mapping[cdp.page.FrameId, str] | None = None,
    ) -> None:
        """Take over what is there already; what events have told since stands.

        `before` are the loaders known when it was asked for: what has not changed since was missed.
        """
        known = self._all.get(tree.frame.id)
        if tree.frame.id in self._gone or (known is not None and known.session is not session):
            return
        if known is None or not known.loader:
            self._navigated(session, tree.frame)
        elif known.loader != tree.frame.loader_id:
            if known.loader != (before or {}).get(known.id):
                return
            self._navigated(session, tree.frame)
        for child in tree.child_frames or []:
            self.read(session, child, before)

    def missed(self, session: Session, event: cdp.page.LifecycleEvent) -> bool:
        """Whether this is of a document whose arrival nobody told.

        Chrome may leave it out where a page changes its process just as it is attached to.
        """
        frame = self._all.get(event.frame_id)
        if frame is None or frame.session is not session or event.name != "DOMContentLoaded":
            return False
        return frame.loader not in ("", event.loader_id)

    def adopt(
        self, session: Session, frame_id: str, parent_id: str | None, *, paused: bool, url: str = ""
    ) -> None:
        """This frame has a process of its own, behind this session; or will, if it is paused.

        `url` is what it shows by now, as Chrome says before the frame itself is asked.
        """
        self._coming[frame_id] = session
        if not paused:
            self._arrive(session, frame_id, parent_id)
            frame = self._all.get(frame_id)
            if frame is not None and frame.session is session and not frame.loader:
                frame.url = url or frame.url

    def coming(self, session: Session) -> list[Session]:
        """Those below this session whose frame does not live there yet, as far as we know."""
        return [child for child in self._coming.values() if child.parent is session]

    def _arrive(self, session: Session, frame_id: str, parent_id: str | None) -> None:
        """The frame lives behind its own session from now on."""
        assert session.parent is not None
        frame = self._all.get(frame_id) or self._insert(session.parent, frame_id, parent_id)
        if frame is not None:
            self._relocate(frame, session)

    def _relocate(self, frame: Frame, session: Session) -> None:
        if frame.session is not session:
            self._drop_children(frame)
            frame.session, frame.loader = session, ""
            self._coming.pop(frame.id, None)

    def _attached(self, session: Session, event: cdp.page.FrameAttached) -> None:
        frame = self._all.get(event.frame_id)
        if frame is None:
            self._insert(session, event.frame_id, event.parent_frame_id)
        elif frame.parent is not None and frame.parent.session is session:
            self._relocate(frame, session)  # back from a process of its own

    def _insert(self, teller: Session, frame_id: str, parent_id: str | None) -> Frame | None:
        """A new frame; None if its teller does not show the parent, or does not any more."""
        parent = self._all.get(parent_id or "")
        if parent is None or parent.session is not teller:
            return None
        frame = Frame(cdp.page.FrameId(frame_id), parent, teller)
        parent.children[frame_id] = self._all[frame_id] = frame
        self._gone.discard(frame_id)  # a page that Chrome kept alive comes back with its old ids
        return frame

    def _navigated(self, session: Session, news: cdp.page.Frame, *, restored: bool = False) -> None:
        if self._coming.get(news.id) is session:
            self._arrive(session, news.id, news.parent_id)
        frame = self._all.get(news.id) or self._insert(session, news.id, news.parent_id)
        if frame is None or frame.session is not session:
            return  # it has left this process
        if frame.loader not in ("", news.loader_id):
            # What a restored page has in other processes is attached before it is named itself.
            self._drop_children(frame, keep_living=restored)
        if _is_root(frame):
            self.departures.end(session)
        frame.url = (news.url or BLANK) + (news.url_fragment or "")
        frame.name = news.name or ""
        frame.loader = news.loader_id
        frame.mime, frame.unreachable = news.mime_type, news.unreachable_url or ""

    def _moved(self, session: Session, event: cdp.page.NavigatedWithinDocument) -> None:
        frame = self._all.get(event.frame_id)
        if frame is not None and frame.session is session:
            frame.url = event.url

    def _left(self, session: Session, event: cdp.page.FrameStartedNavigating) -> None:
        frame = self._all.get(event.frame_id)
        same = event.navigation_type.lower().endswith("samedocument")
        if frame is not None and frame.session is session and _is_root(frame) and not same:
            self.departures.begin(session, event.url)

    def _rests(self, session: Session, event: cdp.page.FrameStoppedLoading) -> None:
        frame = self._all.get(event.frame_id)
        if frame is not None and frame.session is session and _is_root(frame):
            self.departures.end(session)

    def _detached(self, session: Session, event: cdp.page.FrameDetached) -> None:
        frame = self._all.get(event.frame_id)
        if event.reason == "swap":  # it goes on in another process, which may be quicker to tell
            if frame is not None and frame.session is session:
                self._drop_children(frame)
            return
        if self._reading:
            self._gone.add(event.frame_id)
        if frame is not None and frame.parent is not None and frame.parent.session is session:
            self._drop(frame, frame.parent)

    def _drop_children(self, frame: Frame, *, keep_living: bool = False) -> None:
        for child in list(frame.children.values()):
            if not (keep_living and child.remote and child.session.end is None):
                self._drop(child, frame)

    def _drop(self, frame: Frame, parent: Frame) -> None:
        """Forget a frame and all below it, and who prepares for one of them."""
        for each in frame.walk():
            self._all.pop(each.id, None)
            self._coming.pop(each.id, None)
        del parent.children[frame.id]


def _is_root(frame: Frame) -> bool:
    """Whether it is what its session is about, and no frame beside others in that process."""
    return frame.parent is None or frame.remote


def is_restored(event: cdp.page.FrameNavigated) -> bool:
    """Whether Chrome had kept this page alive; it then tells of no frame in it."""
    return event.type == "BackForwardCacheRestore"


async def follow(
    frames: Frames,
    session: Session,
    prelude: Sequence[Command[Any]],
    paused: bool,
    blank: bool = False,
) -> None:
    """Set a frame's own session up: its frames, its children, its life; and let it run.

    For a paused one all in one go, the caller's `prelude` before its first script: without an
    opener it answers nothing until it has been told to run. For a blank one as well.
    """
    frames.watch(session)
    attach = cdp.target.set_auto_attach(
        auto_attach=True, wait_for_debugger_on_start=True, flatten=True
    )
    look = (
        cdp.page.enable(),
        cdp.page.set_lifecycle_events_enabled(enabled=True),
        *prelude,
        cdp.page.get_frame_tree(),
    )
    with frames.reading():
        if paused:
            resuming = cdp.runtime.run_if_waiting_for_debugger()
            results = await session.execute_all(*look, attach, resuming)
        elif blank:
            results = await session.execute_all(*look, attach)
        else:
            results = await session.execute_all(*look)
        frames.read(session, results[len(look) - 1].frame_tree)
    if not (
        paused or blank
    ):  # foreign frames are there already, and need their parents in the tree
        await session.execute(attach)


async def reread(frames: Frames, session: Session) -> None:
    """Learn what came back with a restored page, or what was missed."""
    before = {frame.id: frame.loader for frame in frames}
    with frames.reading():
        answer = await session.execute(cdp.page.get_frame_tree())
        frames.read(session, answer.frame_tree, before)
    for child in frames.coming(session):
        with suppress(BridgeError):  # gone meanwhile; the others are not
            await reread(frames, child)


async def resume(session: Session) -> None:
    """Let a paused target run; one that is gone needs no resuming."""
    try:
        await session.execute(cdp.runtime.run_if_waiting_for_debugger())
    except BridgeError as error:
        _log.debug("could not resume: %s", error)
