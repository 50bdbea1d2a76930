"""The frame tree of one tab, kept current by events, across process borders.

A frame of another site lives in another process and comes as a child session of its own (targetId =
frameId); Chrome tells the parent session only that the frame was "swapped" out. Both halves are
stitched here, at any depth. The tree is a mirror: when a command returns, it has seen every event
that came before the answer.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bridge import cdp, log
from bridge.errors import BridgeError, PageError
from bridge.session.session import Session

_log = log.get("page")


@dataclass(slots=True, eq=False)
class Frame:
    """One frame; `session` is where commands for it go."""

    id: cdp.page.FrameId
    parent: "Frame | None"
    session: Session
    url: str = ""
    name: str = ""
    loader: str = ""
    children: "dict[str, Frame]" = field(default_factory=dict)

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
        self._all: dict[str, Frame] = {main_id: self.main}
        self._reading = 0
        self._gone: set[str] = set()  # while a tree is being read: it may still name these

    def __iter__(self) -> Iterator[Frame]:
        return self.main.walk()

    def __len__(self) -> int:
        return len(self._all)

    def get(self, frame_id: str) -> Frame:
        """The frame with this id; PageError TARGET… if it is gone."""
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
        session.mirror(cdp.page.FrameNavigated, lambda event: self._navigated(session, event.frame))
        session.mirror(cdp.page.NavigatedWithinDocument, self._moved)
        session.mirror(cdp.page.FrameDetached, self._detached)

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

    def read(self, session: Session, tree: cdp.page.FrameTree) -> None:
        """Take over what is there already; what events have told since stands."""
        known = self._all.get(tree.frame.id)
        if tree.frame.id in self._gone or (known is not None and known.loader):
            return
        self._navigated(session, tree.frame)
        for child in tree.child_frames or []:
            self.read(session, child)

    def adopt(self, session: Session, frame_id: str, parent_id: str | None) -> None:
        """This frame moved to a process of its own, behind this session."""
        frame = self._all.get(frame_id)
        if frame is None:
            frame = self._insert(session, frame_id, parent_id)
        frame.session, frame.loader = session, ""

    def _attached(self, session: Session, event: cdp.page.FrameAttached) -> None:
        if event.frame_id not in self._all:
            self._insert(session, event.frame_id, event.parent_frame_id)

    def _insert(self, session: Session, frame_id: str, parent_id: str | None) -> Frame:
        parent = self._all.get(parent_id or "", self.main)
        frame = Frame(cdp.page.FrameId(frame_id), parent, session)
        parent.children[frame_id] = self._all[frame_id] = frame
        return frame

    def _navigated(self, session: Session, news: cdp.page.Frame) -> None:
        frame = self._all.get(news.id)
        if frame is None:
            frame = self._insert(session, news.id, news.parent_id)
        if frame.loader != news.loader_id:
            self._drop_children(frame)
        frame.session = session
        frame.url = news.url + (news.url_fragment or "")
        frame.name = news.name or ""
        frame.loader = news.loader_id

    def _moved(self, event: cdp.page.NavigatedWithinDocument) -> None:
        frame = self._all.get(event.frame_id)
        if frame is not None:
            frame.url = event.url

    def _detached(self, event: cdp.page.FrameDetached) -> None:
        if self._reading and event.reason != "swap":
            self._gone.add(event.frame_id)
        frame = self._all.get(event.frame_id)
        if frame is None or frame.parent is None:
            return
        self._drop_children(frame)
        if event.reason == "swap":  # it goes on in another process
            return
        frame.parent.children.pop(frame.id, None)
        del self._all[frame.id]

    def _drop_children(self, frame: Frame) -> None:
        for child in list(frame.walk())[1:]:
            self._all.pop(child.id, None)
        frame.children.clear()


async def follow(frames: Frames, session: Session, *, paused: bool) -> None:
    """Set a frame's own session up: its frames, its children, its life; and let it run.

    All in one go: a paused page without an opener answers nothing until it has been told to run.
    """
    frames.watch(session)
    with frames.reading():
        results = await session.execute_all(
            cdp.page.enable(),
            cdp.target.set_auto_attach(
                auto_attach=True, wait_for_debugger_on_start=True, flatten=True
            ),
            cdp.page.set_lifecycle_events_enabled(enabled=True),
            cdp.page.get_frame_tree(),
            *([cdp.runtime.run_if_waiting_for_debugger()] if paused else []),
        )
        frames.read(session, results[3].frame_tree)


async def resume(session: Session) -> None:
    """Let a paused target run; one that is gone needs no resuming."""
    try:
        await session.execute(cdp.runtime.run_if_waiting_for_debugger())
    except BridgeError as error:
        _log.debug("could not resume: %s", error)
