"""What every transport promises, held by all of them: memory (the fake), pipe, WebSocket, link."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from bridge.errors import ChromeError
from bridge.transport.base import MAX_UNSENT, Transport
from tests.support.peers import KINDS, MORTAL, Peer, open_pair

Pair = tuple[Transport, Peer]

MEGABYTE = 1 << 20
SIZES = (0, 1, 125, 126, 127, 65_535, 65_536, 70_000, MEGABYTE, 20_000_000)


@pytest.fixture(params=KINDS)
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    """A transport and its other end."""
    async with open_pair(request.param) as opened:
        yield opened


@pytest.fixture(params=MORTAL)
async def mortal(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    """The same for those whose end is the browser's: an extension may come back."""
    async with open_pair(request.param) as opened:
        yield opened


async def collect(transport: Transport, count: int) -> list[bytes]:
    """That many messages."""
    found: list[bytes] = []
    while len(found) < count:
        messages = await transport.receive()
        assert messages, "receive promises at least one message"
        found += messages
    return found


async def expect_gone(act: Callable[[], Awaitable[object]]) -> None:
    with pytest.raises(ChromeError) as caught:
        await act()
    assert caught.value.code == "BROWSER_GONE"


async def test_order_in(pair: Pair) -> None:
    """Messages arrive in the order they were written."""
    transport, peer = pair
    texts = [b"%d" % number for number in range(2_000)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.write, *texts)
        assert await collect(transport, len(texts)) == texts


async def test_order_out(pair: Pair) -> None:
    """Messages leave in the order they were sent."""
    transport, peer = pair
    texts = [b"%d" % number for number in range(2_000)]
    for text in texts:
        await transport.send(text)
    assert [await peer.read() for _ in texts] == texts


async def test_sizes_in(pair: Pair) -> None:
    """Messages of 0 bytes to 20 MB arrive whole."""
    transport, peer = pair
    for size in SIZES:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(peer.write, b"x" * size, b"end")
            whole, end = await collect(transport, 2)
        assert (len(whole), whole.count(b"x"), end) == (size, size, b"end")


async def test_sizes_out(pair: Pair) -> None:
    """Messages of 0 bytes to 20 MB are sent whole."""
    transport, peer = pair
    for size in SIZES:
        await transport.send(b"x" * size)
        whole = await peer.read()
        assert (len(whole), whole.count(b"x")) == (size, size)


async def test_senders_never_interleave(pair: Pair) -> None:
    """Thirty tasks that send at once, more than the kernel takes, never mix their messages."""
    transport, peer = pair
    tasks, rounds = 30, 5
    whole = {bytes([65 + task]) * (60_000 + 1_000 * task) for task in range(tasks)}

    async def repeat(text: bytes) -> None:
        for _ in range(rounds):
            await transport.send(text)

    async with trio.open_nursery() as nursery:
        for text in whole:
            nursery.start_soon(repeat, text)
        found = [await peer.read() for _ in range(tasks * rounds)]
    assert set(found) == whole
    assert all(found.count(text) == rounds for text in whole)


async def fill(transport: Transport, peer: Peer) -> int:
    """Send until the peer, which does not read, makes us wait; how many messages were taken."""
    peer.stop_reading()
    taken = 0
    with trio.CancelScope() as scope:

        async def pour() -> None:
            nonlocal taken
            while True:
                await transport.send(b"%08d" % taken + b"." * MEGABYTE)
                taken += 1

        async with trio.open_nursery() as nursery:
            nursery.start_soon(pour)
            await wait_all_tasks_blocked()
            scope.cancel()
    return taken


@pytest.mark.parametrize("kind", ["pipe", "websocket", "extension"])
async def test_limit(kind: str) -> None:
    """A browser that does not read holds up senders only above the limit."""
    async with open_pair(kind) as (transport, peer):
        # What the kernel itself takes comes on top; on loopback that is a few MB.
        assert MAX_UNSENT <= await fill(transport, peer) * MEGABYTE <= MAX_UNSENT + 16 * MEGABYTE


async def test_cancelled_sender(pair: Pair) -> None:
    """A sender cancelled while it waits for room has sent nothing, and the next one is whole."""
    transport, peer = pair
    taken = await fill(transport, peer)
    peer.read_again()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(transport.send, b"next")
        found = [await peer.read() for _ in range(taken + 1)]
    assert [int(text[:8]) for text in found[:-1]] == list(range(taken))
    assert found[-1] == b"next"


async def test_waiting_senders_go_on(pair: Pair) -> None:
    """Every sender that waited for room gets its turn once the peer reads again."""
    transport, peer = pair
    taken = await fill(transport, peer)
    peer.stop_reading()
    async with trio.open_nursery() as nursery:
        for number in range(20):
            nursery.start_soon(transport.send, b"late %d" % number)
        await wait_all_tasks_blocked()
        peer.read_again()
        found = [await peer.read() for _ in range(taken + 20)]
    assert sorted(found[taken:]) == sorted(b"late %d" % number for number in range(20))


async def test_cancelled_receive(pair: Pair) -> None:
    """A receive cancelled at any moment around an arrival loses nothing and repeats nothing."""
    transport, peer = pair
    texts = [b"%d," % number * (number % 40) for number in range(1, 400)]
    found: list[bytes] = []

    async def impatient(scope: trio.CancelScope) -> None:
        with scope:
            found.extend(await transport.receive())

    for number, text in enumerate(texts):
        scope = trio.CancelScope()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(impatient, scope)
            await wait_all_tasks_blocked()
            await peer.write(text)
            for _ in range(number % 4):
                await trio.lowlevel.checkpoint()
            scope.cancel()
    found += await collect(transport, len(texts) - len(found))
    assert found == texts


@pytest.mark.parametrize("how", ["end", "reset"])
async def test_end(mortal: Pair, how: str) -> None:
    """The end of the browser is reported to the reader, every time it asks."""
    transport, peer = mortal
    async with trio.open_nursery() as nursery:
        nursery.start_soon(expect_gone, transport.receive)
        await wait_all_tasks_blocked()
        await (peer.end() if how == "end" else peer.reset())
    await expect_gone(transport.receive)


async def test_last_words(mortal: Pair) -> None:
    """What was written before the end is delivered before the end is."""
    transport, peer = mortal
    await peer.write(b"last", b"words")
    await peer.end()
    assert await collect(transport, 2) == [b"last", b"words"]
    await expect_gone(transport.receive)


async def test_last_words_after_failed_send(mortal: Pair) -> None:
    """A message sent to a browser that is gone hides none of its last words."""
    transport, peer = mortal
    await peer.write(b"last words")
    await peer.end()
    await transport.send(b"too late")
    assert await collect(transport, 1) == [b"last words"]
    await expect_gone(transport.receive)


async def test_backlog_at_end(mortal: Pair) -> None:
    """A browser that goes while much is unsent ends the reader, and no sender waits for ever."""
    transport, peer = mortal
    await fill(transport, peer)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(expect_gone, transport.receive)
        await wait_all_tasks_blocked()
        await peer.end()
    peer.read_again()
    await transport.send(b"vanishes")


async def test_aclose_wakes_reader(pair: Pair) -> None:
    """Closing ends a receive that waits, and refuses everything afterwards."""
    transport, _ = pair
    async with trio.open_nursery() as nursery:
        nursery.start_soon(expect_gone, transport.receive)
        await wait_all_tasks_blocked()
        await transport.aclose()
    await expect_gone(transport.receive)
    await expect_gone(lambda: transport.send(b"more"))


async def test_aclose_wakes_sender(pair: Pair) -> None:
    """Closing ends a send that waits for room, and leaves without an error of its own."""
    transport, peer = pair
    await fill(transport, peer)
    peer.stop_reading()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(expect_gone, lambda: transport.send(b"more"))
        await wait_all_tasks_blocked()
        await transport.aclose()
        await transport.aclose()


async def test_aclose_ends_peer(pair: Pair) -> None:
    """The browser sees the end of what we had sent."""
    transport, peer = pair
    await transport.send(b"bye")
    await transport.aclose()
    assert await peer.read() == b"bye"
    with pytest.raises(trio.EndOfChannel):
        await peer.read()
