"""What the pages of a tab said on their console: the newest of it, decoded when somebody asks.

The pump only appends the raw event, so a page that logs ten thousand lines a second costs little,
and what falls out of the ring is counted. Chrome keeps every object a page logs alive as long as we
could ask for it (8 KB each, 24 MB after 3,000 of that size, measured); we never ask, so they are
released again while they come.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import trio

from bridge import cdp
from bridge.errors import BridgeError
from bridge.page.flooding import Dam
from bridge.page.processes import on_each_process
from bridge.page.remarks import SAID_BY, Remark, remark_of
from bridge.page.stitch import origin_of
from bridge.session.session import Session
from bridge.session.wire import Event

KEEP = 1_000
KEEP_BYTES = 4 * 1024 * 1024
_LARGE = 64 * 1024  # an event of this size is read at once, and only its beginning is kept
_HELD = 100  # objects of the page that Chrome may keep for us
_OBJECT = re.compile(rb'"objectId"')


@dataclass(frozen=True, slots=True)
class Said:
    """One remark and where it stands: `number` counts all since the tab came, from 1."""

    number: int
    remark: Remark
    session: Session
    page: str  # origin of the page it was said on; "" where that was there before us


class Console:
    """The console of one tab, over all its pages and frames."""

    def __init__(self, session: Session, start: Callable[..., None]) -> None:
        self.count = 0  # all that was ever said
        self.earlier = 0  # of that, by the time the page came that is there now
        self._uncounted = 0
        self._read = 0  # number of the last one when somebody last read
        self._start = start
        self._page = ""
        self._ring: deque[tuple[Session, Event | Remark | None, int, str]] = deque()
        self._bytes = 0
        self._held: WeakKeyDictionary[Session, int] = WeakKeyDictionary()  # frames come and go
        self._dams: dict[Session, Dam] = {}
        on_each_process(session, self._hear)
        session.mirror(cdp.page.FrameNavigated, self._navigated)

    @property
    def first(self) -> int:
        """Number of the oldest one that is still here."""
        return self.count - len(self._ring) + 1

    @property
    def uncounted(self) -> int:
        """Number of the last one before which a flood may have left some out."""
        self._note_missed()
        return self._uncounted

    @property
    def size(self) -> int:
        """Bytes of what is kept."""
        return self._bytes

    def said(self, after: int = 0) -> Iterator[Said]:
        """What is still here and came after this number, oldest first."""
        number = self.first
        for session, event, _, page in list(self._ring):
            if number > after:
                remark = remark_of(event) if isinstance(event, Event) else event
                if remark is not None:
                    yield Said(number, remark, session, page)
            number += 1

    async def catch_up(self) -> bool:
        """Hear what a page that speaks too fast to be listened to has said by now.

        False where it is too busy to tell, as behind a dialog: then that is still to come.
        """
        told: list[bool] = []

        async def ask(dam: Dam) -> None:
            told.append(await dam.catch_up())

        async with trio.open_nursery() as nursery:
            for dam in self._dams.values():
                nursery.start_soon(ask, dam)
        self._note_missed()
        self._read = self.count
        return all(told)

    def _note_missed(self) -> None:
        for session, dam in self._dams.items():
            if dam.missed:
                if self.count == self._read:  # who has read so far has to hear of it as well
                    self._append(session, None, 0)
                self._uncounted = self.count
            dam.missed = False

    def _navigated(self, event: cdp.page.FrameNavigated) -> None:
        if event.frame.parent_id is None:
            self.earlier, self._page = self.count, origin_of(event.frame.url)

    def _hear(self, session: Session) -> None:
        def said(event: Event) -> None:
            if dam.lets_through(event):
                self._keep(session, event)

        self._note_missed()
        self._dams = {each: dam for each, dam in self._dams.items() if each.end is None}
        dam = self._dams[session] = Dam(session, self._start)
        for kind in SAID_BY:
            session.tap(kind, said)
        session.tap(cdp.log.EntryAdded, lambda event: self._keep(session, event))

    def _keep(self, session: Session, event: Event) -> None:
        size = len(event.params)
        if _OBJECT.search(event.params):
            self._hold(session)
        if size > _LARGE:
            self._append(session, remark_of(event), _LARGE)
        else:
            self._append(session, event, size)

    def _append(self, session: Session, event: Event | Remark | None, size: int) -> None:
        self.count += 1
        self._ring.append((session, event, size, self._page))
        self._bytes += size
        while len(self._ring) > KEEP or self._bytes > KEEP_BYTES:
            self._bytes -= self._ring.popleft()[2]

    def _hold(self, session: Session) -> None:
        held = self._held[session] = self._held.get(session, 0) + 1
        if held == _HELD:  # what comes until the answer is counted on, and released by the next
            self._start(self._release, session)

    async def _release(self, session: Session) -> None:
        command: Any = cdp.runtime.release_object_group("console")
        try:
            await session.execute(command)
        except BridgeError:
            pass  # a page that is gone, or too busy to answer, holds nothing for long
        finally:
            self._held.pop(session, None)
