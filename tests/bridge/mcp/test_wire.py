"""Messages over two streams of bytes, and what a peer that misbehaves costs."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from bridge.mcp.admission import AHEAD, FIRST
from bridge.mcp.wire import UNSENT, Wire, open_wire
from bridge.scope import open_scope
from bridge.timeouts import Timeouts

PING = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'
CALL = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call"}\n'
NOTE = b'{"jsonrpc":"2.0","method":"notifications/something"}\n'
CANCEL = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}\n'


class Peer:
    """The other side: says what it is told to, reads when it is told to."""

    def __init__(self) -> None:
        self._say, self._heard = trio.open_memory_channel[bytes](1_000)
        self.got: list[bytes] = []
        self.reads = trio.Event()
        self.reads.set()
        self.gone = False

    def say(self, *data: bytes) -> None:
        for each in data:
            self._say.send_nowait(each)

    def hang_up(self) -> None:
        self._say.close()

    @property
    def unheard(self) -> int:
        return self._heard.statistics().current_buffer_used

    async def read(self) -> bytes:
        try:
            return await self._heard.receive()
        except trio.EndOfChannel:
            return b""

    async def write(self, data: bytes) -> None:
        await self.reads.wait()
        await trio.lowlevel.checkpoint()
        if self.gone:
            raise BrokenPipeError("nobody reads")
        self.got.append(data)


@asynccontextmanager
async def wired(peer: Peer) -> AsyncIterator[Wire]:
    async with open_wire(peer, peer, Timeouts(), line_limit=1_000) as wire:
        yield wire


@pytest.fixture
def peer() -> Peer:
    return Peer()


async def ids(wire: Wire, count: int) -> list[object]:
    return [(await wire.receive()).body.get("id") for _ in range(count)]


async def test_both_ways(peer: Peer) -> None:
    """What the peer says is received, what is sent reaches it, in order."""
    async with wired(peer) as wire:
        peer.say(PING % 1 + PING % 2, PING % 3)
        assert await ids(wire, 3) == [1, 2, 3]
        for number in range(5):
            await wire.send(b"%d\n" % number)
    assert b"".join(peer.got) == b"0\n1\n2\n3\n4\n"


async def test_end(peer: Peer) -> None:
    """The end of the input is told after everything before it, a last line without newline too."""
    async with wired(peer) as wire:
        peer.say(PING % 1, (PING % 2).strip())
        peer.hang_up()
        assert await ids(wire, 2) == [1, 2]
        with pytest.raises(trio.EndOfChannel):
            await wire.receive()


async def test_refused(peer: Peer) -> None:
    """Nonsense and overlong lines are answered, and the next message is received."""
    async with wired(peer) as wire:
        peer.say(b"nonsense\n", b'{"id":9,"a":"' + b"x" * 2_000 + b'"}\n', PING % 1)
        assert await ids(wire, 1) == [1]
    refused = b"".join(peer.got)
    assert refused.count(b"-32700") == 2
    assert b'"id": null' in refused
    assert b'"id": 9' in refused


async def test_ping_in_a_full_house(peer: Peer) -> None:
    """A ping and a cancellation get through while all places are taken."""
    async with wired(peer) as wire:
        peer.say(b"".join(CALL % number for number in range(FIRST + 1)))
        assert await ids(wire, FIRST) == list(range(FIRST))
        peer.say(PING % 1_000, CANCEL % 0)
        assert await ids(wire, 2) == [1_000, None]
        wire.settled()
        assert await ids(wire, 1) == [FIRST]


async def test_reading_ahead_is_bounded(peer: Peer) -> None:
    """A peer that sends and sends is read only so far, and further once there is room."""
    async with wired(peer) as wire:
        for number in range(FIRST + AHEAD + 50):
            peer.say(CALL % number)
        await ids(wire, FIRST)
        await trio.testing.wait_all_tasks_blocked()
        assert peer.unheard >= 49
        for _ in range(60):
            wire.settled()
        await ids(wire, 60)
        await trio.testing.wait_all_tasks_blocked()
        assert peer.unheard == 0


async def test_notes_are_bounded(peer: Peer) -> None:
    """A flood of what needs no place is read as fast as it is taken, and nothing of it is lost."""
    async with wired(peer) as wire:
        for _ in range(20):
            peer.say(NOTE * 100)
        peer.say(CALL % 1)
        await trio.testing.wait_all_tasks_blocked()
        assert peer.unheard > 15
        found = [(await wire.receive()).method for _ in range(2_001)]
    assert found == ["notifications/something"] * 2_000 + ["tools/call"]


async def test_unread_answers_are_bounded(peer: Peer) -> None:
    """While the peer does not read, senders wait and no request is let in; then all goes out."""
    peer.reads = trio.Event()
    answer = b"x" * (UNSENT // 4)
    async with wired(peer) as wire, trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(wire.send, answer)
        await trio.testing.wait_all_tasks_blocked()
        assert len(nursery.child_tasks) == 6
        peer.say(CALL % 1, PING % 2)
        assert await ids(wire, 1) == [2]
        peer.reads.set()
        assert await ids(wire, 1) == [1]
    assert peer.got == [answer] * 10


async def test_unread_at_the_end(peer: Peer, autojump_clock: trio.testing.MockClock) -> None:
    """Answers that no cancellation reaches do not wait for a peer that hung up without reading."""
    peer.reads = trio.Event()

    async def answer(wire: Wire) -> None:
        with trio.CancelScope(shield=True):
            await wire.send(b"x" * UNSENT)

    began = trio.current_time()
    async with wired(peer) as wire, open_scope() as nursery:
        await wire.send(b"x" * UNSENT)
        nursery.start_soon(answer, wire)
        await trio.testing.wait_all_tasks_blocked()
        peer.hang_up()
    assert trio.current_time() - began == pytest.approx(Timeouts().flush)


async def test_unread_when_ended(peer: Peer, autojump_clock: trio.testing.MockClock) -> None:
    """Neither do they when we are ended while the peer, which does not read, is still there."""
    peer.reads = trio.Event()

    async def answer(wire: Wire) -> None:
        with trio.CancelScope(shield=True):
            await wire.send(b"x" * UNSENT)

    began = trio.current_time()
    with trio.move_on_after(60) as stuck, trio.CancelScope() as signal:
        async with wired(peer) as wire, open_scope() as nursery:
            await wire.send(b"x" * UNSENT)
            nursery.start_soon(answer, wire)
            await trio.testing.wait_all_tasks_blocked()
            signal.cancel()
    assert not stuck.cancelled_caught
    assert trio.current_time() - began == pytest.approx(Timeouts().flush)


async def test_ping_ahead(peer: Peer) -> None:
    """After a handshake a ping is answered at once, before what else waits to go out."""
    peer.reads = trio.Event()
    async with wired(peer) as wire:
        wire.greeted = True
        for number in range(3):
            await wire.send(b"x" * 50_000 + b"%d\n" % number)
        await trio.testing.wait_all_tasks_blocked()
        peer.say(PING % 7 + CALL % 8)
        assert await ids(wire, 1) == [8]
        peer.reads.set()
    assert b"".join(peer.got[1:]).startswith(b'{"jsonrpc":"2.0","id":7,"result":{}}\n')


async def test_pings_are_bounded(peer: Peer) -> None:
    """A peer that asks and asks, and reads nothing, is not read any more either."""
    peer.reads = trio.Event()
    async with wired(peer) as wire:
        wire.greeted = True
        await wire.send(b"x" * UNSENT)
        await trio.testing.wait_all_tasks_blocked()
        peer.say(PING % 1, PING % 2)
        await trio.testing.wait_all_tasks_blocked()
        assert peer.unheard == 1
        peer.reads.set()
        await trio.testing.wait_all_tasks_blocked()
    answers = b"".join(peer.got[1:]).splitlines()
    assert [json.loads(each)["id"] for each in answers] == [1, 2]


async def test_peer_gone(peer: Peer) -> None:
    """A peer that nobody can write to any more is gone, for senders and the receiver alike."""
    peer.gone = True
    async with wired(peer) as wire:
        await wire.send(b"1\n")
        with pytest.raises(trio.EndOfChannel):
            await wire.receive()
        with pytest.raises(trio.BrokenResourceError):
            await wire.send(b"2\n")


async def test_end_flushes(peer: Peer) -> None:
    """What was queued at the end of the block still goes out."""
    async with wired(peer) as wire:
        await wire.send(b"last\n")
    assert peer.got == [b"last\n"]


async def test_cancelled_end_flushes(peer: Peer) -> None:
    """So does it where the block is cancelled."""
    with trio.CancelScope() as scope:
        async with wired(peer) as wire:
            wire.queue(b"last\n")
            scope.cancel()
            await trio.sleep_forever()
    assert peer.got == [b"last\n"]


async def test_end_does_not_wait_for_ever(
    peer: Peer, autojump_clock: trio.testing.MockClock
) -> None:
    """A peer that does not read cannot hold up the end."""
    peer.reads = trio.Event()
    began = trio.current_time()
    async with wired(peer) as wire:
        await wire.send(b"last\n")
    assert trio.current_time() - began == pytest.approx(Timeouts().flush)
