"""Messages over two streams of bytes: read, let in, answered, within bounds.

One task reads and one writes; both belong to `open_wire`. A peer that stops reading costs at most
`UNSENT` bytes and the answers being made, and gets everything when it reads again. A torn line
would cost the connection, so nobody writes but the one task, which no request's cancellation
reaches.

A ping asks whether we are there. Behind hundreds of calls its way through the SDK takes a tenth of
a second, so where a handshake has settled what a ping is, it is answered here, before them.
"""

from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import trio

from bridge import log
from bridge.mcp import envelope
from bridge.mcp.admission import Admission
from bridge.mcp.envelope import Message, Refusal
from bridge.mcp.lines import LIMIT, Lines, Overlong
from bridge.scope import beside, open_scope
from bridge.timeouts import Timeouts

UNSENT = 8_000_000  # bytes of answers the peer has not read; no new request while there are more
_TOGETHER = 65_536  # small messages go out together up to this
_log = log.get("mcp")


class Source(Protocol):
    """Where bytes come from; none means the end."""

    async def read(self) -> bytes: ...


class Sink(Protocol):
    """Where bytes go; OSError means the peer is gone."""

    async def write(self, data: bytes) -> None: ...


class Wire:
    """Made by `open_wire`. `receive` until trio.EndOfChannel; `send` from any task."""

    def __init__(self, source: Source, sink: Sink, *, line_limit: int = LIMIT) -> None:
        self._source = source
        self._sink = sink
        self._lines = Lines(line_limit)
        self._admission = Admission()
        self._first: deque[bytes] = deque()  # before what is in
        self._outbox: deque[bytes] = deque()
        self._unsent = 0
        self.greeted = False  # by a handshake; protocols without one know no ping
        self._ended = False  # nothing more comes in
        self._broken = False  # nothing more gets out
        self._news = trio.lowlevel.ParkingLot()  # whoever receives
        self._space = trio.lowlevel.ParkingLot()  # the reader, while too much waits
        self._work = trio.lowlevel.ParkingLot()  # the writer
        self._room = trio.lowlevel.ParkingLot()  # whoever sends, while too much is unsent

    async def receive(self) -> Message:
        """The next message that may be worked on; trio.EndOfChannel when the peer is gone."""
        await trio.lowlevel.checkpoint()  # what the one before began begins before what this will
        while True:
            message = self._admission.take(only_urgent=self._unsent >= UNSENT)
            if message is not None:
                self._space.unpark_all()
                return message
            if self._ended or self._broken:
                raise trio.EndOfChannel
            await self._news.park()

    async def send(self, data: bytes) -> None:
        """Queue a whole line; waits while the peer does not read."""
        await self.room()
        self.queue(data)

    async def room(self) -> None:
        """Wait while the peer does not read; trio.BrokenResourceError when it is gone.

        Not for one that has hung up and may never read, nor when we are ended: answers that are
        done, and which no cancellation reaches any more, would hold that up. Nothing else is let
        in by then.
        """
        await trio.lowlevel.checkpoint_if_cancelled()
        while self._unsent >= UNSENT and not (self._broken or self._ended):
            await self._room.park()
        if self._broken:
            raise trio.BrokenResourceError("the client is gone")

    def queue(self, data: bytes, *, first: bool = False) -> None:
        """Have a whole line written, after `room`."""
        self._admission.weigh(len(data))
        (self._first if first else self._outbox).append(data)
        self._unsent += len(data)
        self._work.unpark_all()

    def settled(self) -> None:
        """A request that takes a place has been answered, or never will be."""
        self._admission.settled()
        self._news.unpark_all()

    async def read_all(self) -> None:
        """Read until the peer is gone, or we are ended."""
        try:
            while chunk := await self._source.read():
                for line in self._lines.feed(chunk):
                    await self._note(line)
            for line in self._lines.end():
                await self._note(line)
        except (OSError, trio.BrokenResourceError) as error:
            _log.info("input ended: %s", error)
        finally:  # also when cancelled: answers that no cancellation reaches may wait for room
            self._ended = True
            self._news.unpark_all()
            self._room.unpark_all()

    async def _note(self, line: bytes | Overlong) -> None:
        for found in envelope.read(line):
            if isinstance(found, Refusal):
                _log.info("%s", log.facts(refused=found.code, why=found.why))
                await self.send(found.encode())
            elif self.greeted and envelope.is_ping(found):
                await self.room()
                self.queue(envelope.reply(found, {}), first=True)
            else:
                self._admission.put(found)
                self._news.unpark_all()
        while self._admission.full and not self._broken:
            await self._space.park()

    async def write_all(self) -> None:
        """Write what is queued until the peer is gone."""
        try:
            while True:
                while not (self._first or self._outbox):
                    await self._work.park()
                data = self._next()
                await self._sink.write(data)
                self._unsent -= len(data)
                if self._unsent < UNSENT:
                    self._room.unpark_all()
                    self._news.unpark_all()
        except OSError as error:
            _log.info("output ended: %s", error)
            self._broken = True
            for lot in (self._news, self._space, self._room):
                lot.unpark_all()

    def _next(self) -> bytes:
        data, size = list[bytes](), 0
        for waiting in (self._first, self._outbox):
            while waiting and (not data or size + len(waiting[0]) <= _TOGETHER):
                data.append(waiting.popleft())
                size += len(data[-1])
        return data[0] if len(data) == 1 else b"".join(data)

    async def flush(self) -> None:
        """Until everything queued is out, or the peer is gone."""
        while self._unsent and not self._broken:
            await self._room.park()


@asynccontextmanager
async def open_wire(
    source: Source, sink: Sink, timeouts: Timeouts, *, line_limit: int = LIMIT
) -> AsyncIterator[Wire]:
    """A wire as long as the block lasts; what is queued at its end still has a moment to go out.

    Also where the block is cancelled, by a signal for one: answers that were done would be torn.
    """
    wire = Wire(source, sink, line_limit=line_limit)
    async with beside(wire.write_all), open_scope() as nursery:
        nursery.start_soon(wire.read_all)
        try:
            yield wire
        finally:
            with trio.move_on_after(timeouts.flush, shield=True):
                await wire.flush()
