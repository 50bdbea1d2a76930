"""The server's half of a WebSocket, frame by frame, on a pair of sockets."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import trio

from bridge.timeouts import Timeouts
from bridge.transport.channel import Channel
from bridge.transport.link import MAX_FRAME
from bridge.transport.websocket import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    FrameReader,
    frame,
)
from bridge.transport.websocket_server import (
    ClosedError,
    Request,
    Response,
    ServerSocket,
    accept,
    open_server_socket,
    read_request,
    respond,
)
from tests.support.conditions import limit
from tests.support.played_extension import masked, request

QUICK = replace(Timeouts(), flush=0.2)


@asynccontextmanager
async def pair(*, trusted: bool = True) -> AsyncIterator[tuple[ServerSocket, trio.SocketStream]]:
    """Our side and the other one's stream."""
    ours, theirs = socket.socketpair()
    stream = trio.SocketStream(trio.socket.from_stdlib_socket(theirs))
    async with open_server_socket(Channel(ours, ours), b"", QUICK) as sock:
        if trusted:
            sock.trust()
        yield sock, stream
    await trio.aclose_forcefully(stream)


async def end(sock: ServerSocket) -> int:
    """With which code it is over."""
    try:
        while True:
            await sock.receive()
    except ClosedError as error:
        return error.code


def piece(opcode: int) -> bytes:
    """A frame with nothing in it, of a message that goes on."""
    return bytes([opcode, 0x80, 0, 0, 0, 0])


async def test_both_ways() -> None:
    """Texts go both ways, unmasked to a client and masked from it; pings are answered."""
    async with pair() as (sock, stream):
        await sock.send(b"one")
        sock.offer(b"two")
        assert FrameReader().feed(await stream.receive_some()) == [(TEXT, b"one"), (TEXT, b"two")]
        await stream.send_all(masked(b"three") + masked(b"p", PING) + masked(b"four"))
        assert await sock.receive() == [b"three", b"four"]
        assert FrameReader().feed(await stream.receive_some()) == [(PONG, b"p")]


@pytest.mark.parametrize(
    ("trusted", "sent", "code"),
    [  # each with a name: the masks are random, and workers of one run compare the names
        pytest.param(False, masked(b"x" * 16_384), None, id="hello"),
        pytest.param(False, masked(b"x" * 16_385), 4401, id="long-hello"),
        pytest.param(False, masked(b"x") * 4, None, id="four-frames"),
        pytest.param(False, masked(b"x") * 5, 4401, id="five-frames"),
        pytest.param(False, masked(b"", PING) * 5, 4401, id="five-pings"),
        pytest.param(False, piece(1) + piece(0) * 4, 4401, id="five-pieces"),
        pytest.param(False, masked(b"x", BINARY), 4400, id="binary-hello"),
        pytest.param(True, masked(b"x") * 500, None, id="many"),
        pytest.param(True, masked(b"x" * 20_000), None, id="long"),
        pytest.param(True, masked(b"x", BINARY) + masked(b"y"), None, id="binary"),
        pytest.param(True, frame(TEXT, b"x", b""), 4400, id="unmasked"),
        pytest.param(True, b"\xc1\x80\0\0\0\0", 4400, id="unknown"),
        pytest.param(True, b"\x81\xff" + (MAX_FRAME + 1).to_bytes(8), 1009, id="too-big"),
        pytest.param(False, b"\x81\xff" + (MAX_FRAME + 1).to_bytes(8), 4401, id="stranger-too-big"),
        pytest.param(True, masked((1001).to_bytes(2) + b"bye", CLOSE), 1001, id="farewell"),
        pytest.param(True, masked(b"", CLOSE), 1006, id="bare-farewell"),
        pytest.param(True, b"", 1006, id="gone"),
    ],
)
async def test_limits(trusted: bool, sent: bytes, code: int | None) -> None:
    """A stranger has narrow limits, a friend wide ones; each breach has its code."""
    async with pair(trusted=trusted) as (sock, stream):
        await stream.send_all(sent)
        if code is None:
            assert await sock.receive()
        else:
            if not sent:
                await stream.aclose()
            with limit():
                assert await end(sock) == code
            assert await end(sock) == code


async def test_odd_frames() -> None:
    """Binary frames of a friend are texts as well: nobody waits for an answer in vain."""
    async with pair() as (sock, stream):
        await stream.send_all(masked(b"x", BINARY) * 2 + masked(b"y"))
        assert await sock.receive() == [b"x", b"x", b"y"]


async def test_texts_before_a_close() -> None:
    """What was said before a goodbye is heard first."""
    async with pair() as (sock, stream):
        await stream.send_all(masked(b"x") + masked(b"", CLOSE) + masked(b"y"))
        assert await sock.receive() == [b"x"]
        assert await end(sock) == 1006


async def test_last_words_arrive() -> None:
    """A code reaches even who is still sending: what they send is read away until they stop."""
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    stream = await trio.open_tcp_stream("127.0.0.1", listener.socket.getsockname()[1])
    accepted = await listener.accept()
    ours = socket.socket(fileno=accepted.socket.detach())
    async with trio.open_nursery() as nursery:

        async def flood() -> None:
            for _ in range(50):
                await stream.send_all(masked(b"x" * 60_000))
            await stream.send_eof()

        async with open_server_socket(Channel(ours, ours), b"", Timeouts()) as sock:
            nursery.start_soon(flood)
            assert await end(sock) == 4401
            await sock.close(4401, "why not")
        data = b""
        while more := await stream.receive_some():
            data += more
        assert FrameReader().feed(data) == [(CLOSE, (4401).to_bytes(2) + b"why not")]
    await stream.aclose()
    await listener.aclose()


async def test_close_ends() -> None:
    """Somebody who neither reads nor leaves is waited for a moment only."""
    async with pair() as (sock, _):
        await sock.send(b"x" * 10_000_000)
        with trio.move_on_after(5) as scope:
            await sock.close(1001, "")
        assert not scope.cancelled_caught


@asynccontextmanager
async def asked(
    data: bytes,
) -> AsyncIterator[tuple[Request | None, trio.SocketStream, trio.SocketStream]]:
    """What is understood of these bytes; our stream and theirs."""
    ours, theirs = trio.socket.socketpair()
    stream = trio.SocketStream(theirs)
    await stream.send_all(data)
    await stream.send_eof()
    server = trio.SocketStream(ours)
    yield await read_request(server), server, stream
    await trio.aclose_forcefully(server)
    await trio.aclose_forcefully(stream)


async def test_request() -> None:
    """A request is method, path and headers, repeated ones joined; what follows is kept."""
    head = request(7, origin="x", extra="Origin: y\r\n")
    async with asked(head + b"early") as (found, _, _):
        assert found is not None
        assert (found.method, found.path, found.early) == ("GET", "/link", b"early")
        assert (found.headers["origin"], found.headers["host"]) == ("x, y", "127.0.0.1:7")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GET / HTTP/1.1\r\n",
        b"\x16\x03\x01",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 10_000,
    ],
)
async def test_no_request(data: bytes) -> None:
    """What is no whole request of HTTP, with one Host, in 16 KB, is none."""
    async with asked(data) as (found, _, _):
        assert found is None


async def test_accepts() -> None:
    """The upgrade is answered with what the RFC says of this key, and no extension."""
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    head = b"GET / HTTP/1.1\r\nHost: a\r\n" + key.encode() + b"\r\n"
    async with asked(head) as (found, server, stream):
        assert found is not None
        channel = await accept(server, found)
        assert channel is not None
        channel.close()
        said = await stream.receive_some()
        assert said.startswith(b"HTTP/1.1 101 ")
        assert b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in said
        assert b"Extensions" not in said


async def test_responds() -> None:
    """No cache keeps an answer and no other site frames or reads it; its headers go above ours."""
    response = Response(200, "ä", headers={"Content-Security-Policy": "mine", "X": "y"})
    async with asked(b"") as (_, server, stream):
        await respond(server, response)
        head, _, body = (await stream.receive_some()).partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        assert lines[0] == "HTTP/1.1 200 OK"
        assert body.decode() == "ä"
        assert {"Content-Length: 2", "Cache-Control: no-store", "X: y"} < set(lines)
        assert "Content-Security-Policy: mine" in lines
        assert "Connection: close" in lines
