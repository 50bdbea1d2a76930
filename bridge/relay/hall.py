"""Connections that have not proved anything yet: few, short, and at nobody else's cost.

When the hall is full, whoever has come the shortest way has to go, the longest there first.
Refusing newcomers instead would let sixteen silent sockets keep the extension out, which has shaken
hands within milliseconds.
"""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import time

import trio

MOST = 16
_MOST_REFUSALS = 10


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why somebody was sent away, when last, and how often."""

    why: str
    at: float  # seconds since 1970
    times: int


class Refusals:
    """The latest, each kind once: a flood of one kind hides no other."""

    def __init__(self) -> None:
        self._kinds: OrderedDict[str, Refusal] = OrderedDict()

    def __iter__(self) -> Iterator[Refusal]:
        """The latest first."""
        return reversed(self._kinds.values())

    def note(self, why: str) -> None:
        before = self._kinds.pop(why, None)
        self._kinds[why] = Refusal(why, time(), before.times + 1 if before else 1)
        if len(self._kinds) > _MOST_REFUSALS:
            self._kinds.popitem(last=False)


class Guest:
    """One connection in the hall; `steps` counts how far it has come."""

    def __init__(self) -> None:
        self._came_at = trio.current_time()
        self._scope: trio.CancelScope | None = None
        self._sent_away = False
        self.steps = 0
        self.why = "it did not prove in time who it is"

    @contextmanager
    def limited(self, seconds: float) -> Iterator[trio.CancelScope]:
        """Part of its stay: cancelled so long after it came, or when it has to go."""
        with trio.CancelScope(deadline=self._came_at + seconds) as self._scope:
            if self._sent_away:
                self._scope.cancel()
            yield self._scope

    def send_away(self, why: str) -> None:
        self.why = why
        self._sent_away = True
        if self._scope is not None:
            self._scope.cancel()


class Hall:
    """Who is in it."""

    def __init__(self) -> None:
        self._guests: dict[Guest, None] = {}  # in the order they came

    def __len__(self) -> int:
        return len(self._guests)

    @contextmanager
    def enter(self) -> Iterator[Guest]:
        """Until the block ends, or `leave`."""
        if len(self._guests) >= MOST:
            out = min(self._guests, key=lambda guest: guest.steps)
            self.leave(out)
            out.send_away("too many connections at once did not prove who they are")
        guest = Guest()
        self._guests[guest] = None
        try:
            yield guest
        finally:
            self.leave(guest)

    def leave(self, guest: Guest) -> None:
        """It has proved who it is, or goes."""
        self._guests.pop(guest, None)

    def clear(self, why: str) -> None:
        """Send everybody away."""
        for guest in list(self._guests):
            self.leave(guest)
            guest.send_away(why)
