"""The server's half of a WebSocket on loopback: HTTP up to the upgrade, then frames both ways.

A stranger is heard under narrow limits until whoever speaks for the socket calls `trust`. How it
ends is told by one exception with a close code, and that code reaches the other side only if what
it still sends is read away first: a socket closed over unread bytes resets the connection, and the
last words with it.
"""

import base64
import binascii
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus

import h11
import trio

from bridge.errors import ChromeError
from bridge.scope import beside
from bridge.timeouts import Timeouts
from bridge.transport.channel import Channel
from bridge.transport.link import FRAMES_BEFORE_WELCOME, MAX_FRAME, MAX_HELLO, Close
from bridge.transport.websocket import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    FrameError,
    FrameReader,
    accept_key,
    frame,
)

_MAX_HEAD = 16 * 1024
_NO_WORD = 1006
"""What the RFC calls the end of a connection that just broke off; never sent."""
_PRIVATE = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Request:
    """The head of a request; names of headers are in lower case, repeated ones joined by commas."""

    method: str
    path: str
    headers: Mapping[str, str]
    early: bytes = b""  # what came behind the head


@dataclass(frozen=True, slots=True)
class Response:
    """An answer that is no upgrade; `headers` go above those that keep it private."""

    status: int
    body: str
    content_type: str = "text/plain"
    headers: Mapping[str, str] = field(default_factory=dict)


class ClosedError(Exception):
    """The socket is over, or has to be: `code` is to be sent, or was received."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


async def read_request(stream: trio.SocketStream) -> Request | None:
    """The first request; None for what is no HTTP, or ends before it has begun."""
    http = h11.Connection(h11.SERVER, max_incomplete_event_size=_MAX_HEAD)
    try:
        while (event := http.next_event()) is h11.NEED_DATA:
            http.receive_data(await stream.receive_some(_MAX_HEAD))
    except (h11.RemoteProtocolError, trio.BrokenResourceError):
        return None
    if not isinstance(event, h11.Request):
        return None
    headers: dict[str, str] = {}
    for raw_name, raw_value in event.headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    path, method = event.target.decode("latin-1"), event.method.decode("latin-1")
    return Request(method, path, headers, bytes(http.trailing_data[0]))


async def respond(stream: trio.SocketStream, response: Response) -> None:
    """Answer, and say that nothing follows."""
    body = response.body.encode()
    headers = {
        "Content-Type": f"{response.content_type}; charset=utf-8",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **_PRIVATE,
        **response.headers,
    }
    head = f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}\r\n"
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    try:
        await stream.send_all(f"{head}{lines}\r\n".encode("latin-1") + body)
        await stream.send_eof()
        while await stream.receive_some():  # see above
            pass
    except trio.BrokenResourceError:
        return


def refuse_upgrade(request: Request) -> Response | None:
    """Why this request opens no WebSocket, if it does not."""
    headers = request.headers
    tokens = {each.strip().lower() for each in headers.get("connection", "").split(",")}
    if headers.get("upgrade", "").lower() != "websocket" or "upgrade" not in tokens:
        return Response(HTTPStatus.UPGRADE_REQUIRED, "This is a WebSocket.", headers=_UPGRADE)
    if headers.get("sec-websocket-version") != "13" or not _is_key(headers):
        return Response(HTTPStatus.BAD_REQUEST, "This is no handshake of a WebSocket.")
    return None


_UPGRADE = {"Upgrade": "websocket", "Sec-WebSocket-Version": "13"}


def _is_key(headers: Mapping[str, str]) -> bool:
    try:
        return len(base64.b64decode(headers.get("sec-websocket-key", ""), validate=True)) == 16
    except (binascii.Error, ValueError):
        return False


class ServerSocket:
    """Made by `open_server_socket`."""

    def __init__(self, channel: Channel, early: bytes, timeouts: Timeouts) -> None:
        self._channel = channel
        self._reader = FrameReader(masked=True, limit=MAX_HELLO)
        self._early = early
        self._timeouts = timeouts
        self._trusted = False
        self._over: ClosedError | None = None
        self._frames = 0
        self.heard_at = trio.current_time()

    @property
    def congested(self) -> bool:
        """`send` would wait."""
        return self._channel.congested

    def trust(self) -> None:
        """From here on the wide limits hold."""
        self._trusted = True
        self._reader.limit = MAX_FRAME

    async def send(self, message: bytes) -> None:
        """Take the whole message; ChromeError once it is closed."""
        await self._channel.send(frame(TEXT, message, b""))

    def offer(self, message: bytes) -> None:
        """Send what nobody waits for, unless too much is unsent."""
        self._channel.offer(frame(TEXT, message, b""))

    def insist(self, message: bytes) -> None:
        """Send what nobody waits for and must arrive: small, and seldom."""
        self._channel.insist(frame(TEXT, message, b""))

    async def receive(self) -> list[bytes]:
        """The texts that have arrived, at least one; ClosedError at the end, again and again."""
        while self._over is None:
            chunk = self._early or await self._read()
            self._early = b""
            if not chunk:
                self._over = ClosedError(_NO_WORD, "it hung up")
            elif messages := self._sort(chunk):
                return messages
        raise self._over

    async def _read(self) -> bytes:
        try:
            chunk = await self._channel.receive()
        except ChromeError:
            return b""
        self.heard_at = trio.current_time()
        return chunk

    def _sort(self, chunk: bytes) -> list[bytes]:
        messages: list[bytes] = []
        try:
            frames = self._reader.feed(chunk)
        except FrameError as error:
            self._over = ClosedError(self._code(error), f"it sent {error}")
            return messages
        self._frames += len(frames)
        said = self._frames + self._reader.begun
        if said > FRAMES_BEFORE_WELCOME and not self._trusted:
            self._over = ClosedError(Close.UNAUTHORIZED, "it sent too many frames")
            return messages
        for opcode, payload in frames:
            if opcode == TEXT or (opcode == BINARY and self._trusted):
                messages.append(payload)  # what a client gives as bytes is often sent as binary
            elif opcode == PING:
                self._channel.offer(frame(PONG, payload, b""))
            elif opcode == CLOSE:
                self._over = ClosedError(int.from_bytes(payload[:2]) or _NO_WORD, "it closed")
                break
            elif opcode == BINARY:
                self._over = ClosedError(Close.MALFORMED, "it sent a binary frame")
                break
        return messages

    def _code(self, error: FrameError) -> Close:
        if not error.too_big:
            return Close.MALFORMED
        return Close.TOO_BIG if self._trusted else Close.UNAUTHORIZED

    async def close(self, code: int, why: str) -> None:
        """Say why, for as long as the other side listens to it, and close."""
        said = b"" if code == _NO_WORD else code.to_bytes(2) + why.encode()[:100]
        self._channel.offer(frame(CLOSE, said, b""))
        with trio.move_on_after(self._timeouts.flush):
            await self._channel.part()
        self._channel.close()

    def leave(self, code: int) -> None:
        """Say why, and close without waiting."""
        self._channel.offer(frame(CLOSE, code.to_bytes(2), b""))
        self._channel.close()

    def abandon(self) -> None:
        """Close without a word."""
        self._channel.close()


async def accept(stream: trio.SocketStream, request: Request) -> Channel | None:
    """Upgrade the connection; None if the other side has gone. The stream is used up."""
    key = accept_key(request.headers["sec-websocket-key"].encode("latin-1")).decode()
    try:
        await stream.send_all(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {key}\r\n\r\n".encode()
        )
    except trio.BrokenResourceError:
        return None
    sock = socket.socket(fileno=stream.socket.detach())
    return Channel(sock, sock)


@asynccontextmanager
async def open_server_socket(
    channel: Channel, early: bytes, timeouts: Timeouts
) -> AsyncIterator[ServerSocket]:
    """Frames over an upgraded connection until the block ends."""
    try:
        async with beside(channel.flush):
            yield ServerSocket(channel, early, timeouts)
    finally:
        channel.close()
