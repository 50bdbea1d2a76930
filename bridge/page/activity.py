"""Hears what a tab sets going while somebody acts on it, in all its processes.

A frame of another site tells through a session of its own, which begins in the middle of what it is
about. So each is followed from its first event on, and nothing is decoded while nobody records,
but for requests: those the page makes by itself have to be known before somebody acts, and are kept
from the recordings.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import trio

from bridge import cdp
from bridge.page.course import KINDS, Course
from bridge.page.exchange import read
from bridge.page.habits import FETCHES, Fetch, Habits
from bridge.session import wire
from bridge.session.events import decode
from bridge.session.session import Session

_SLACK_MS = 20.0  # between Chrome's clock and ours
_REQUEST = cdp.network.RequestWillBeSent.METHOD


class Recording:
    """A course in the making."""

    def __init__(self, main: str) -> None:
        self.course = Course(main, began=time.time() * 1000 - _SLACK_MS)
        self.delivered = False  # from now on the page may have got what we do
        self._news = trio.Event()

    def hear(self, event: wire.Event) -> None:
        """Called by the pump."""
        self.course.see(decode(event))
        self._news.set()

    async def change(self) -> None:
        """Return at the next event."""
        self._news = trio.Event()
        await self._news.wait()


class Activity:
    """Of one tab."""

    def __init__(self, session: Session, main: str) -> None:
        self._main = main
        self._recordings: list[Recording] = []
        self._habits = Habits()
        self._follow(session)

    @contextmanager
    def recording(self) -> Iterator[Recording]:
        """What is set going until the block ends."""
        recording = Recording(self._main)
        self._recordings.append(recording)
        try:
            yield recording
        finally:
            self._recordings.remove(recording)

    def _follow(self, session: Session) -> None:
        for kind in KINDS:
            session.tap(kind, self._hear)

        def begun(event: cdp.target.AttachedToTarget) -> None:
            if event.target_info.type == "iframe":
                self._follow(session.attach(event.session_id))

        session.mirror(cdp.target.AttachedToTarget, begun)

    def _hear(self, event: wire.Event) -> None:
        if event.method == _REQUEST and self._is_habit(read(Fetch, event.params)):
            return
        for recording in self._recordings:
            recording.hear(event)

    def _is_habit(self, fetch: Fetch) -> bool:
        if fetch.type not in FETCHES:
            return False
        habit = self._habits.has(fetch)
        if habit or not any(recording.course.counts for recording in self._recordings):
            self._habits.note(fetch)
        return habit
