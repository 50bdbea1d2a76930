"""Hears what a tab sets going while somebody acts on it, in all its processes.

A frame of another site tells through a session of its own, which begins in the middle of what it is
about. So each is followed from its first event on, and nothing is decoded while nobody records.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import trio

from bridge import cdp
from bridge.page.course import KINDS, Course
from bridge.session import wire
from bridge.session.events import decode
from bridge.session.session import Session


class Recording:
    """A course in the making."""

    def __init__(self, main: str) -> None:
        self.course = Course(main)
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
        for recording in self._recordings:
            recording.hear(event)
