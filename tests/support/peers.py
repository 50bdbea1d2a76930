"""The other end of each transport, for tests of what they all promise.

`open_pair` gives our transport and its peer. A peer reads only when it is asked to, so a browser
that has stopped reading is simply one that nobody asks.
"""

import os
import socket
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

import trio
import wsproto
from wsproto.events import (
    AcceptConnection,
    BytesMessage,
    CloseConnection,
    Event,
    Ping,
    Pong,
    Request,
    TextMessage,
)

from bridge.relay.server import open_relay
from bridge.timeouts import Timeouts
from bridge.transport.base import Transport
from bridge.transport.link import Sites
from bridge.transport.pipe import open_pipe
from bridge.transport.websocket import open_websocket
from tests.support.fake_chrome import FakeChrome
from tests.support.played_extension import Place, Played, dial, masked

MORTAL = ("memory", "pipe", "websocket") if os.name == "posix" else ("memory", "websocket")
"""Those whose end is the browser's."""

KINDS = (*MORTAL, "extension")


class Peer(Protocol):
    """The browser's side of a transport."""

    async def read(self) -> bytes:
        """The next whole message; trio.EndOfChannel after the last."""
        ...

    async def write(self, *messages: bytes) -> None: ...

    async def end(self) -> None:
        """Close in order."""
        ...

    async def reset(self) -> None:
        """Vanish."""
        ...

    def stop_reading(self) -> None: ...

    def read_again(self) -> None: ...


def open_pair(kind: str) -> AbstractAsyncContextManager[tuple[Transport, Peer]]:
    """Our side and the other one, connected, until the block ends."""
    return {
        "memory": _open_memory,
        "pipe": _open_pipe,
        "websocket": open_socket_pair,
        "extension": _open_extension,
    }[kind]()


class _MemoryPeer:
    def __init__(self, chrome: FakeChrome) -> None:
        self._chrome = chrome
        self.stop_reading = chrome.stop_reading
        self.read_again = chrome.read_again

    async def read(self) -> bytes:
        return await self._chrome.message()

    async def write(self, *messages: bytes) -> None:
        self._chrome.say(*messages)
        await trio.lowlevel.checkpoint()

    async def end(self) -> None:
        self._chrome.end()

    async def reset(self) -> None:
        self._chrome.end()


@asynccontextmanager
async def _open_memory() -> AsyncIterator[tuple[Transport, Peer]]:
    chrome = FakeChrome()
    yield chrome, _MemoryPeer(chrome)
    await chrome.aclose()


class _PipePeer:
    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._reader = _stream(read_fd)
        self._writer = _stream(write_fd)
        self._ready: list[bytes] = []
        self._parts: list[bytes] = []

    async def read(self) -> bytes:
        while not self._ready:
            chunk = bytes(await self._reader.receive_some())
            if not chunk:
                assert not self._parts, "the pipe ended inside a message"
                raise trio.EndOfChannel
            first, *others = chunk.split(b"\0")
            self._parts.append(first)
            for other in others:
                self._ready.append(b"".join(self._parts))
                self._parts = [other]
            self._parts = [part for part in self._parts if part]
        return self._ready.pop(0)

    async def write(self, *messages: bytes) -> None:
        await self._writer.send_all(b"".join(message + b"\0" for message in messages))

    async def end(self) -> None:
        await self._reader.aclose()
        await self._writer.aclose()

    async def reset(self) -> None:
        await self.end()

    def stop_reading(self) -> None:
        pass

    def read_again(self) -> None:
        pass


def _stream(fd: int) -> trio.abc.Stream:
    if sys.platform == "win32":
        raise AssertionError("descriptors are no streams there")
    return trio.lowlevel.FdStream(fd)


@asynccontextmanager
async def _open_pipe() -> AsyncIterator[tuple[Transport, Peer]]:
    their_read, our_write = os.pipe()
    our_read, their_write = os.pipe()
    peer = _PipePeer(their_read, their_write)
    async with open_pipe(our_read, our_write) as transport:
        yield transport, peer
    await peer.end()


class SocketPeer:
    """A WebSocket server's end, with its other frames and its raw stream for odd ones."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.others: list[Event] = []
        self.request = b""
        self._protocol = wsproto.WSConnection(wsproto.ConnectionType.SERVER)
        self._ready: list[bytes] = []
        self._parts: list[bytes] = []
        self._ended = False

    async def accept(self, *extra: bytes) -> None:
        """Shake hands; `extra` follows the answer at once."""
        while b"\r\n\r\n" not in self.request:
            self.request += await self.stream.receive_some(65536)
        self._protocol.receive_data(self.request)
        assert [type(event) for event in self._protocol.events()] == [Request]
        await self.stream.send_all(self._protocol.send(AcceptConnection()) + b"".join(extra))

    async def read(self) -> bytes:
        while not self._ready:
            if self._ended:
                raise trio.EndOfChannel
            await self.listen()
        return self._ready.pop(0)

    async def listen(self) -> None:
        """Read once; messages wait for `read`, everything else goes to `others`."""
        data = await self.stream.receive_some(1 << 20)
        self._ended = not data
        if data:
            self._protocol.receive_data(data)
        for event in self._protocol.events():
            self._hear(event)

    def _hear(self, event: Event) -> None:
        if not isinstance(event, TextMessage | BytesMessage):
            self.others.append(event)
            return
        data = event.data.encode() if isinstance(event.data, str) else bytes(event.data)
        self._parts.append(data)
        if event.message_finished:
            self._ready.append(b"".join(self._parts))
            self._parts = []

    async def write(self, *messages: bytes) -> None:
        await self.send(*(TextMessage(data=message.decode()) for message in messages))

    async def send(self, *events: TextMessage | Ping | Pong | CloseConnection) -> None:
        """Any frames, in one piece."""
        await self.stream.send_all(b"".join(self._protocol.send(event) for event in events))

    async def end(self) -> None:
        await self.stream.aclose()

    async def reset(self) -> None:
        linger = struct.pack("ii", 1, 0)
        self.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        await self.stream.aclose()

    def stop_reading(self) -> None:
        pass

    def read_again(self) -> None:
        pass


class _ExtensionPeer:
    def __init__(self, played: Played) -> None:
        self._played = played
        self._ready: list[bytes] = []

    async def read(self) -> bytes:
        while not self._ready:
            data = await self._played.stream.receive_some(1 << 20)
            if not data:
                raise trio.EndOfChannel
            self._ready += [text for _, text in self._played.reader.feed(data)]
        return self._ready.pop(0)

    async def write(self, *messages: bytes) -> None:
        await self._played.raw(b"".join(masked(message) for message in messages))

    async def end(self) -> None:
        await self._played.stream.aclose()

    async def reset(self) -> None:
        await self.end()

    def stop_reading(self) -> None:
        pass

    def read_again(self) -> None:
        pass


@asynccontextmanager
async def _open_extension() -> AsyncIterator[tuple[Transport, Peer]]:
    with TemporaryDirectory() as folder:
        async with (
            open_relay(Path(folder) / "links", "a test", Sites(visited=["*"])) as relay,
            dial(relay.port) as played,
        ):
            await played.enter(Place.read(relay.file).token)
            yield await relay.wait_link(), _ExtensionPeer(played)


@asynccontextmanager
async def open_server() -> AsyncIterator[tuple[trio.SocketListener, str]]:
    """A listening port and its ws:// address."""
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener:
        yield listener, f"ws://127.0.0.1:{listener.socket.getsockname()[1]}/devtools/browser/x"


@asynccontextmanager
async def open_socket_pair(*extra: bytes) -> AsyncIterator[tuple[Transport, SocketPeer]]:
    """A WebSocket and its server's end; `extra` follows the handshake at once."""
    accepted, arriving = trio.open_memory_channel[SocketPeer](1)

    async def serve(listener: trio.SocketListener) -> None:
        peer = SocketPeer(await listener.accept())
        await peer.accept(*extra)
        await accepted.send(peer)

    async with open_server() as (listener, url), trio.open_nursery() as nursery:
        nursery.start_soon(serve, listener)
        async with open_websocket(url, Timeouts()) as transport:
            peer = await arriving.receive()
            yield transport, peer
        await peer.end()
