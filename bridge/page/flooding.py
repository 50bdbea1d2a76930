"""Hears a page that floods its console only now and then, so that it takes no time from other tabs.

Each line costs Chrome's own process 70 µs, and every tab's calls go through it: at ten thousand
lines a second one call in twenty took ten times as long as usual. Chrome keeps the newest thousand
lines of a page for whoever begins to listen later, as many as we keep. So beside a flood we stop
listening, and begin anew every few seconds, or as soon as somebody wants to read.
"""

from collections.abc import Callable
from typing import Any

import trio

from bridge import cdp
from bridge.cdp.base import Command
from bridge.errors import BridgeError
from bridge.session.session import Session
from bridge.session.wire import Event

CHROME_KEEPS = 1_000  # lines
_FAST = 0.5  # seconds for so many lines: a page that logs less is heard as it speaks
_STAMP = b'"timestamp":'


class Dam:
    """Before the console of one session; `missed` says that lines may have been left out."""

    def __init__(self, session: Session, start: Callable[..., None]) -> None:
        self._session = session
        self._timeouts = session.connection.timeouts
        self._start = start
        self.missed = False
        self._lines = 0
        self._since = 0.0
        self._newest = 0.0  # when the last line was said, by the page's clock; 0 where it is open
        self._overlaps = False  # what is told now with what was told before
        self._wanted = trio.Event()
        self._told = trio.Event()
        self._told.set()

    def lets_through(self, event: Event) -> bool:
        """Whether this line is no repetition; called for every one."""
        self._lines += 1
        if self._newest:
            said = _said_at(event)
            is_new = said > self._newest
            self._newest = max(said, self._newest)
            self._lines -= not is_new
            self._overlaps = self._overlaps or not is_new
            return is_new
        if self._lines == CHROME_KEEPS:
            now = trio.current_time()
            if now - self._since < _FAST and (said := _said_at(event)):
                self._newest = said
                self._start(self._hold)
            self._lines, self._since = 0, now
        return True

    async def catch_up(self) -> bool:
        """Have told what has been said by now; False where that takes longer than a moment."""
        told = self._told
        self._wanted.set()
        with trio.move_on_after(self._timeouts.catch_up):
            await told.wait()
        return told.is_set()

    async def _hold(self) -> None:
        try:
            floods = True
            while floods:
                await self._insist(cdp.runtime.disable())
                self._wanted, self._told = trio.Event(), trio.Event()
                with trio.move_on_after(self._timeouts.earshot):
                    await self._wanted.wait()
                self._lines, self._overlaps = 0, False
                await self._insist(cdp.runtime.enable())
                self.missed = self.missed or not self._overlaps
                self._told.set()
                floods = self._lines >= CHROME_KEEPS
        finally:
            self._newest, self._lines, self._since = 0.0, 0, trio.current_time()
            self._told.set()

    async def _insist(self, command: Command[Any]) -> None:
        """A page that is too busy, or has crashed, is told as soon as it can hear."""
        while self._session.end is None:
            try:
                await self._session.execute(command)
            except BridgeError:
                await trio.sleep(self._timeouts.catch_up)
            else:
                return


def _said_at(event: Event) -> float:
    """Milliseconds; 0 for an event that does not say so. A text in it holds no such sign."""
    _, found, rest = bytes(event.params).rpartition(_STAMP)
    digits = rest[:32].replace(b"}", b",").partition(b",")[0]
    try:
        return float(digits) if found else 0.0
    except ValueError:
        return 0.0
