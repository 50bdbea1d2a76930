"""The channel: what is written at once, what waits, and what closing leaves behind."""

import errno
import os
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from bridge.errors import ChromeError
from bridge.transport.base import MAX_UNSENT
from bridge.transport.channel import Channel


@asynccontextmanager
async def open_sockets() -> AsyncIterator[tuple[Channel, socket.socket]]:
    """A channel over TCP without a task that flushes, and the other end."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        ours = socket.create_connection(server.getsockname())
        theirs, _ = server.accept()
    channel = Channel(ours, ours)
    with theirs:
        yield channel, theirs
        channel.close()


async def test_small_frame_goes_at_once() -> None:
    """A frame the kernel takes is on its way when `send` returns, with nobody flushing."""
    async with open_sockets() as (channel, theirs):
        await channel.send(b"now")
        assert theirs.recv(100) == b"now"


async def test_reset_is_an_end() -> None:
    """A connection that is reset reads as the end of the stream."""
    async with open_sockets() as (channel, theirs):
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        theirs.close()
        assert await channel.receive() == b""


async def test_part() -> None:
    """Parting ends our half at once, and returns when the other side has ended its own."""
    async with open_sockets() as (channel, theirs):
        await channel.send(b"bye")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(channel.part)
            await wait_all_tasks_blocked()
            assert theirs.recv(100) == b"bye"
            assert theirs.recv(100) == b""
            theirs.sendall(b"more")
            await wait_all_tasks_blocked()
            assert nursery.child_tasks
            theirs.close()


async def test_offer() -> None:
    """What is offered while too much is unsent is dropped; with room it is sent whole."""
    async with open_sockets() as (channel, theirs):
        channel.offer(b"first")
        assert theirs.recv(100) == b"first"
        full = b"." * (MAX_UNSENT + (16 << 20))
        await channel.send(full)
        channel.offer(b"dropped")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(channel.flush)
            got = await trio.to_thread.run_sync(_read_exactly, theirs, len(full))
            assert got == len(full)
            await wait_all_tasks_blocked()
            channel.offer(b"last")
            assert await trio.to_thread.run_sync(theirs.recv, 100) == b"last"
            nursery.cancel_scope.cancel()


def _read_exactly(theirs: socket.socket, size: int) -> int:
    got = 0
    while got < size:
        got += len(theirs.recv(min(1 << 20, size - got)))
    return got


async def test_insist() -> None:
    """What is insisted on is sent behind all that is unsent, however much that is."""
    async with open_sockets() as (channel, theirs):
        full = b"." * (MAX_UNSENT + (16 << 20))
        channel.offer(full)
        assert channel.congested
        channel.insist(b"last")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(channel.flush)
            stream = trio.SocketStream(trio.socket.from_stdlib_socket(theirs.dup()))
            heard = b""
            async with stream:
                while len(heard) < len(full) + 4:
                    heard += await stream.receive_some(1 << 20)
            assert heard[-4:] == b"last"
            nursery.cancel_scope.cancel()


async def test_offer_after_close() -> None:
    """What is offered to a closed channel vanishes without an error."""
    async with open_sockets() as (channel, theirs):
        channel.close()
        channel.offer(b"late")
        assert theirs.recv(100) == b""


async def test_closed_descriptors() -> None:
    """After closing, foreign files that got the same descriptors are neither read nor written."""
    reader, writer = os.pipe()
    channel = Channel(reader, writer)
    channel.close()
    foreign, other = os.pipe()
    try:
        assert (foreign, other) == (reader, writer)
        os.write(other, b"foreign")
        with pytest.raises(ChromeError):
            await channel.receive()
        with pytest.raises(ChromeError):
            await channel.send(b"x")
        channel.offer(b"y")
        assert os.read(foreign, 100) == b"foreign"
    finally:
        os.close(foreign)
        os.close(other)


async def test_write_error_is_final(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a failed write nothing follows: what came next would be read as the frame's rest."""

    def short_of_buffers(handle: object, data: memoryview) -> int:
        raise OSError(errno.ENOBUFS, "no buffer space")

    async with open_sockets() as (channel, theirs):
        await channel.send(b"whole")
        with monkeypatch.context() as patch:
            patch.setattr("bridge.transport.channel._write", short_of_buffers)
            await channel.send(b"lost")
        await channel.send(b"after")
        channel.close()
        assert [theirs.recv(100), theirs.recv(100)] == [b"whole", b""]
