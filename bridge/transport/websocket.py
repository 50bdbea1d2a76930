"""CDP over a WebSocket on this machine: connect, shake hands, frames (of both sides).

The client half of RFC 6455 is written out here rather than imported: it is what stands between a
call and Chrome, and a general client costs a task switch and half the time of a small call
(docs/decisions/0002-websocket-client.md). It sends no Origin (Chrome answers 403 to any) and offers
no compression (Chrome would use it: 1 MB takes 60 ms instead of 17).
"""

import base64
import hashlib
import os
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import trio

from bridge.errors import ChromeError, UsageError
from bridge.scope import beside
from bridge.timeouts import Timeouts, deadline
from bridge.transport.base import MAX_MESSAGE, browser_gone
from bridge.transport.channel import Channel

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MAX_HEAD = 16 * 1024
MORE, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
_WHOLE_TEXT = 0x80 | TEXT
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Address:
    """Where a ws:// URL leads."""

    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def parse_url(url: str) -> Address:
    """Host, port and path of a ws:// URL."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _bad_url(url, str(error)) from error
    if parts.scheme != "ws":
        raise _bad_url(url, "it must begin with ws://")
    if not parts.hostname:
        raise _bad_url(url, "it names no host")
    if port == 0 or "@" in parts.netloc or parts.fragment:
        raise _bad_url(url, "port 0, a user name and a #fragment lead nowhere")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii() or any(c.isspace() or not c.isprintable() for c in path):
        raise _bad_url(url, "its path holds characters that do not belong in a URL")
    return Address(parts.hostname, 80 if port is None else port, path)


def _bad_url(url: str, why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"{url!r} cannot be used as a WebSocket address: {why}",
        hint="It looks like ws://127.0.0.1:9222/devtools/browser/….",
    )


class FrameError(Exception):
    """The other side broke the rules, or sent more than it may."""

    def __init__(self, why: str, *, too_big: bool = False) -> None:
        super().__init__(why)
        self.too_big = too_big


class FrameReader:
    """Cuts a byte stream into frames and joins fragments; does no I/O.

    Clients mask what they send and servers do not; `masked` says whom we are listening to.
    """

    def __init__(self, *, masked: bool = False, limit: int = MAX_MESSAGE) -> None:
        self.limit = limit
        self._buffer = bytearray()
        self._fragments: list[bytes] = []
        self._size = 0
        self._mark, self._key = (0x80, 4) if masked else (0, 0)

    @property
    def begun(self) -> int:
        """Frames of a message that is not complete."""
        return len(self._fragments)

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Complete messages as (opcode, payload)."""
        self._buffer += data
        done: list[tuple[int, bytes]] = []
        start = 0
        while (frame := self._frame(start)) is not None:
            head, payload, start = frame
            self._take(head, payload, done)
        del self._buffer[:start]
        return done

    def _frame(self, start: int) -> tuple[int, bytes, int] | None:
        """First byte, payload, and where the next frame begins; None if incomplete."""
        buffer = self._buffer
        if len(buffer) < start + 2:
            return None
        length, at = buffer[start + 1] ^ self._mark, start + 2
        if length & 0x80:
            side = (
                "an unmasked frame, which no client"
                if self._mark
                else "a masked frame, which no server"
            )
            raise FrameError(f"{side} may send")
        if length == 126 and len(buffer) >= at + 2:
            length, at = int.from_bytes(buffer[at : at + 2]), at + 2
        elif length == 127 and len(buffer) >= at + 8:
            length, at = int.from_bytes(buffer[at : at + 8]), at + 8
        elif length >= 126:
            return None
        if length + self._size > self.limit:
            raise FrameError(f"a message of more than {self.limit} bytes", too_big=True)
        if buffer[start] != _WHOLE_TEXT or self._fragments:
            self._check(buffer[start], length)
        begin = at + self._key
        end = begin + length
        if len(buffer) < end:
            return None
        payload = bytes(memoryview(buffer)[begin:end])
        return buffer[start], mask(payload, buffer[at:begin]) if self._key else payload, end

    def _check(self, head: int, length: int) -> None:
        opcode, final = head & 15, head & 0x80
        if head & 0x70 or opcode not in (MORE, TEXT, BINARY, CLOSE, PING, PONG):
            raise FrameError("a frame of a kind that was not agreed on")
        if opcode >= CLOSE:
            if length > 125 or not final:
                raise FrameError("a control frame that is too long or in pieces")
        elif (opcode == MORE) != bool(self._fragments):
            raise FrameError("fragments that do not follow one another")

    def _take(self, head: int, payload: bytes, done: list[tuple[int, bytes]]) -> None:
        opcode, final = head & 15, head & 0x80
        if opcode >= CLOSE or (final and not self._fragments):
            done.append((opcode, payload))
            return
        self._fragments.append(payload)
        self._size += len(payload)
        if final:
            done.append((TEXT, b"".join(self._fragments)))
            self._fragments, self._size = [], 0


def mask(payload: bytes, key: bytes | bytearray) -> bytes:
    """The payload masked, or unmasked again, by one exclusive or of long numbers."""
    if len(payload) > _PIECE:  # a number takes as much memory as its text, several times over
        pieces = range(0, len(payload), _PIECE)
        return b"".join(mask(payload[at : at + _PIECE], key) for at in pieces)
    size = len(payload)
    keys = (bytes(key) * (size // 4 + 1))[:size]
    said = int.from_bytes(payload, "little") ^ int.from_bytes(keys, "little")
    return said.to_bytes(size, "little")


def frame(opcode: int, payload: bytes, key: bytes = b"\0\0\0\0") -> bytes:
    """One whole frame: a client's, its payload masked with this key; a server's without any."""
    n, marked = len(payload), 0x80 if key else 0
    if n < 126:
        head = struct.pack(">BB", 0x80 | opcode, marked | n)
    elif n < 1 << 16:
        head = struct.pack(">BBH", 0x80 | opcode, marked | 126, n)
    else:
        head = struct.pack(">BBQ", 0x80 | opcode, marked | 127, n)
    # By default a mask of zeros: masking guards shared proxies against scripted pages
    # (RFC 6455 §10.3); there is neither between us and a browser on this machine.
    return b"%b%b%b" % (head, key, payload)


class WebSocketTransport:
    """Made by `open_websocket`."""

    kind = "websocket"

    def __init__(self, channel: Channel, early: bytes) -> None:
        self._channel = channel
        self._reader = FrameReader()
        self._early = early
        self._closing = False

    @property
    def congested(self) -> bool:
        return self._channel.congested

    async def send(self, message: bytes) -> None:
        await self._channel.send(frame(TEXT, message))

    async def receive(self) -> list[bytes]:
        while not self._closing:
            chunk = self._early or await self._channel.receive()
            self._early = b""
            if not chunk:
                break
            if messages := self._sort(chunk):
                return messages
        raise browser_gone("it closed the connection")

    async def aclose(self) -> None:
        self._channel.close()
        await trio.lowlevel.checkpoint()

    def _sort(self, chunk: bytes) -> list[bytes]:
        messages: list[bytes] = []
        try:
            frames = self._reader.feed(chunk)
        except FrameError as error:
            raise browser_gone(f"it sent {error}") from error
        for opcode, payload in frames:
            if opcode in (TEXT, BINARY):
                messages.append(payload)
            elif opcode == PING:
                # Offered, not sent: waiting for room here would stop the reading that makes room.
                self._channel.offer(frame(PONG, payload))
            elif opcode == CLOSE:
                self._channel.offer(frame(CLOSE, payload[:2]))
                self._closing = True
                break
        return messages


@asynccontextmanager
async def open_websocket(
    url: str, timeouts: Timeouts, *, patience: str = "connect"
) -> AsyncIterator[WebSocketTransport]:
    """Connect and speak; `patience` names the deadline (a person may have to approve)."""
    address = parse_url(url)
    with deadline(timeouts, patience, f"connecting to {address.authority}"):
        channel, early = await _connect(address)
    try:
        async with beside(channel.flush):
            yield WebSocketTransport(channel, early)
    finally:
        channel.close()


async def _connect(address: Address) -> tuple[Channel, bytes]:
    try:
        stream = await trio.open_tcp_stream(address.host, address.port)
    except UnicodeError as error:
        raise _bad_url(f"ws://{address.authority}", "its host name cannot be looked up") from error
    except OSError as error:
        raise _refused(address, "nothing listens there") from error
    try:
        early = await _shake_hands(stream, address)
        # From here on the channel speaks to the kernel itself.
        sock = socket.socket(fileno=stream.socket.detach())
    except (OSError, trio.BrokenResourceError) as error:
        raise _refused(address, "the connection broke during the handshake") from error
    finally:
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(stream)
    return Channel(sock, sock), early


async def _shake_hands(stream: trio.SocketStream, address: Address) -> bytes:
    """Upgrade the connection; bytes that came after the answer are returned."""
    key = base64.b64encode(os.urandom(16))
    await stream.send_all(
        f"GET {address.path} HTTP/1.1\r\nHost: {address.authority}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key.decode()}\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    head = b""
    while b"\r\n\r\n" not in head:
        if len(head) > _MAX_HEAD:
            raise _refused(address, "its answer is no WebSocket handshake")
        chunk = await stream.receive_some(_MAX_HEAD)
        head += chunk
        if not chunk:
            raise _refused(address, "it closed the connection during the handshake")
    head, _, early = head.partition(b"\r\n\r\n")
    _check_upgrade(address, head, key)
    return early


def accept_key(key: bytes) -> bytes:
    """What a server answers to this key of a client, which shows that it has read it."""
    return base64.b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest())


def _check_upgrade(address: Address, head: bytes, key: bytes) -> None:
    status, *lines = head.split(b"\r\n")
    words = status.split(b" ", 2)
    if not status.startswith(b"HTTP/1.") or len(words) < 2:
        raise _refused(address, "it does not speak HTTP")
    if words[1] != b"101":
        raise _refused(
            address,
            f"it answered {words[1].decode('ascii', 'replace')[:20]} instead of "
            "opening a WebSocket",
        )
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (h.partition(b":") for h in lines)
    }
    if headers.get(b"sec-websocket-accept") != accept_key(key):
        raise _refused(address, "its answer is no WebSocket handshake")


def _refused(address: Address, why: str) -> ChromeError:
    return ChromeError(
        "NO_BACKEND",
        f"no DevTools endpoint at {address.authority}: {why}",
        hint="Check that the browser runs with remote debugging and that the address is its own.",
        retryable=True,
    )
