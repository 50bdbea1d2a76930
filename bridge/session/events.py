"""Bounded subscriptions: what is heard, how much is kept, and what is lost, aloud.

The pump only appends raw events; decoding happens in the task that reads. There are two limits, a
count and a size, because a single console message can be 100 MB.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from enum import Enum
from typing import Generic, TypeVar, cast

import msgspec
import trio

from bridge.cdp.base import event_type
from bridge.errors import BridgeError, LinkError
from bridge.session import wire

KEEP = 1_000
"""Events a subscription keeps for a slow reader, unless told otherwise."""

KEEP_BYTES = 16 * 1024 * 1024
"""Bytes of undecoded events it keeps; a single larger event is still delivered."""

E = TypeVar("E")


class Loss(Enum):
    """What a subscription gives up when its reader is too slow."""

    OLDEST = "oldest"  # a log: the newest lines matter; `lost` counts the rest
    FAIL = "fail"  # nothing may be missed: the subscription ends with BACKPRESSURE instead


class RawEvent(msgspec.Struct, frozen=True, gc=False):
    """An event the bindings do not know, or cannot read; nothing is dropped for that."""

    method: str
    params: msgspec.Raw


class Subscription(Generic[E]):
    """An ordered stream of events of one session; made by `Session.events`."""

    def __init__(self, loss: Loss, keep: int) -> None:
        self._loss = loss
        self._keep = keep
        self._queue: deque[wire.Event] = deque()
        self._bytes = 0
        self._end: BridgeError | None = None
        self._wake = trio.Event()
        self.lost = 0

    def __aiter__(self) -> "Subscription[E]":
        return self

    async def __anext__(self) -> E:
        return await self.receive()

    async def receive(self) -> E:
        """The next event; raises what ended the session once everything heard has been read."""
        while not self._queue:
            if self._end is not None:
                raise self._end.again()
            if self._wake.is_set():
                self._wake = trio.Event()
            await self._wake.wait()
        return self.receive_nowait()

    def receive_nowait(self) -> E:
        """The next event if there is one; IndexError otherwise."""
        event = self._queue.popleft()
        self._bytes -= len(event.params)
        return cast(E, decode(event))

    async def first(self, where: Callable[[E], bool | Awaitable[bool]]) -> E:
        """The first event the predicate accepts; the others are passed over.

        A RawEvent is passed over too: a predicate reads fields, and it has none of them.
        """
        while True:
            event = await self.receive()
            if isinstance(event, RawEvent):
                continue
            verdict = where(event)
            if verdict if isinstance(verdict, bool) else await verdict:
                return event

    def publish(self, event: wire.Event) -> None:
        """Called by the pump; never blocks, never raises."""
        if self._end is not None:
            return
        self._queue.append(event)
        self._bytes += len(event.params)
        while len(self._queue) > self._keep or (self._bytes > KEEP_BYTES and len(self._queue) > 1):
            if self._loss is Loss.FAIL:
                self.finish(_overflow(event.method))
                return
            self._bytes -= len(self._queue.popleft().params)
            self.lost += 1
        self._wake.set()

    def finish(self, error: BridgeError) -> None:
        """The session ended: readers get this after what was already heard."""
        self._end = self._end or error
        self._wake.set()


def decode(event: wire.Event) -> object:
    """The typed event, or a RawEvent where the bindings and this Chrome disagree."""
    kind = event_type(event.method)
    if kind is None:
        return RawEvent(event.method, event.params)
    try:
        return kind.read(event.params)
    except wire.UNREADABLE:
        return RawEvent(event.method, event.params)


def _overflow(method: str) -> LinkError:
    return LinkError(
        "BACKPRESSURE",
        f"events came faster than they were read, and {method} may not be lost",
        hint="Read the subscription sooner, or subscribe to less.",
    )
