"""The WebSocket: addresses, the handshake byte by byte, and frames that are no messages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import wait_all_tasks_blocked
from wsproto.events import CloseConnection, Event, Ping, Pong, TextMessage

from bridge.errors import ChromeError, DeadlineExceeded, UsageError
from bridge.timeouts import Timeouts
from bridge.transport.base import MAX_UNSENT, Transport
from bridge.transport.websocket import Address, open_websocket, parse_url
from tests.support.peers import SocketPeer, open_server, open_socket_pair

GARBAGE = bytes(range(256)) * 8
UPGRADE = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("ws://127.0.0.1:9222/devtools/browser/a-b", ("127.0.0.1", 9222, "/devtools/browser/a-b")),
        ("WS://LocalHost:1/x?y=%20z", ("localhost", 1, "/x?y=%20z")),
        ("ws://[::1]:9222/x", ("::1", 9222, "/x")),
        ("ws://localhost", ("localhost", 80, "/")),
    ],
)
def test_good_url(url: str, address: tuple[str, int, str]) -> None:
    """An address is host, port and path with query."""
    assert parse_url(url) == Address(*address)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:9222",
        "http://127.0.0.1:9222/",
        "wss://127.0.0.1:9222/",
        "ws:///path",
        "ws://:9222/",
        "ws://h:port/",
        "ws://h:65536/",
        "ws://h:-1/",
        "ws://h:0/",
        "ws://user:secret@h/",
        "ws://h/#fragment",
        "ws://[::1/x",
        "ws://h/ä",
        "ws://h/a b",
        "ws://h/a\x00b",
        "ws://h/a\u2028b",
    ],
)
def test_bad_url(url: str) -> None:
    """What is no such address is refused as the caller's mistake, before any connection."""
    with pytest.raises(UsageError) as caught:
        parse_url(url)
    assert caught.value.code == "BAD_ARGS"


def test_authority_of_ipv6() -> None:
    """An IPv6 address is bracketed in the Host header."""
    assert parse_url("ws://[::1]:9222/x").authority == "[::1]:9222"


async def test_impossible_host() -> None:
    """A host name that cannot even be looked up is the caller's mistake."""
    with pytest.raises(UsageError) as caught:
        async with open_websocket(f"ws://{'a' * 64}.invalid:1/", Timeouts()):
            pass
    assert caught.value.code == "BAD_ARGS"


async def test_request() -> None:
    """The handshake sends no Origin, which Chrome refuses, and offers no extension."""
    async with open_socket_pair() as (_, peer):
        first, *headers = peer.request.decode().split("\r\n")[:-2]
        names = [header.partition(":")[0].lower() for header in headers]
        port = peer.stream.socket.getsockname()[1]
    assert first == "GET /devtools/browser/x HTTP/1.1"
    assert f"Host: 127.0.0.1:{port}" in headers
    assert sorted(names) == [
        "connection",
        "host",
        "sec-websocket-key",
        "sec-websocket-version",
        "upgrade",
    ]


@asynccontextmanager
async def answering(answer: bytes, *, hold: bool) -> AsyncIterator[str]:
    """The address of a server that reads the request, answers this, and closes unless it holds."""

    async def serve(listener: trio.SocketListener) -> None:
        async with await listener.accept() as stream:
            await stream.receive_some(65536)
            await stream.send_all(answer)
            if hold:
                await trio.sleep_forever()

    async with open_server() as (listener, url), trio.open_nursery() as nursery:
        nursery.start_soon(serve, listener)
        yield url
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        pytest.param(b"HTTP/1.1 404 Not Found\r\n\r\n", "404", id="404"),
        pytest.param(b"HTTP/1.1 403 Forbidden\r\nX: y\r\n\r\nno", "403", id="403"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n<!doctype html>", "200", id="a page"),
        pytest.param(b"<!doctype html>\r\n\r\n", "not speak HTTP", id="bare page"),
        pytest.param(b"\x15\x03\x03\0\x02\x02\n\r\n\r\n", "not speak HTTP", id="TLS alert"),
        pytest.param(b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "not speak HTTP", id="ssh"),
        pytest.param(b"HTTP/1.1\r\n\r\n", "not speak HTTP", id="no status"),
        pytest.param(GARBAGE * 20, "no WebSocket", id="garbage"),
        pytest.param(b"HTTP/1.1 101 x\r\n" + b"h: v\r\n" * 5_000, "no WebSocket", id="endless"),
        pytest.param(UPGRADE + b"\r\n", "no WebSocket", id="no proof"),
        pytest.param(
            UPGRADE + b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            "no WebSocket",
            id="another's proof",
        ),
        pytest.param(b"", "closed the connection", id="nothing"),
        pytest.param(UPGRADE, "closed the connection", id="half"),
    ],
)
async def test_refused_handshake(answer: bytes, why: str) -> None:
    """An answer that is no handshake is NO_BACKEND, says what came, and may be tried again."""
    async with answering(answer, hold=False) as url:
        with pytest.raises(ChromeError, match=why) as caught:
            async with open_websocket(url, Timeouts()):
                pass
    assert (caught.value.code, caught.value.retryable) == ("NO_BACKEND", True)


async def test_nobody_listens() -> None:
    """A port where nothing listens is NO_BACKEND."""
    async with open_server() as (_, url):
        pass
    with pytest.raises(ChromeError) as caught:
        async with open_websocket(url, Timeouts()):
            pass
    assert (caught.value.code, caught.value.retryable) == ("NO_BACKEND", True)


@pytest.mark.parametrize("answer", [b"", UPGRADE], ids=["nothing", "half"])
@pytest.mark.parametrize("patience", ["connect", "approve"])
async def test_hanging_handshake(answer: bytes, patience: str) -> None:
    """A server that never finishes the handshake is TIMEOUT, by the field that was spent."""
    short = Timeouts(connect=0.1, approve=0.1)
    async with answering(answer, hold=True) as url:
        with pytest.raises(DeadlineExceeded) as caught:
            async with open_websocket(url, short, patience=patience):
                pass
    assert (caught.value.code, caught.value.facts["timeout"]) == ("TIMEOUT", patience)


async def test_early_frames() -> None:
    """Frames that come in one piece with the handshake's end are not lost."""
    async with open_socket_pair(b"\x81\x05early") as (transport, _):
        assert await transport.receive() == [b"early"]


async def hear(peer: SocketPeer, kind: type[Event]) -> Event:
    """The next frame of this kind that we send."""
    while not any(isinstance(event, kind) for event in peer.others):
        await peer.listen()
    return next(event for event in peer.others if isinstance(event, kind))


async def test_ping() -> None:
    """A ping is answered with its own payload, without disturbing the messages around it."""
    async with open_socket_pair() as (transport, peer):
        before, after = TextMessage(data="before"), TextMessage(data="after")
        await peer.send(before, Ping(payload=b"are you there"), Pong(payload=b"odd"), after)
        assert await transport.receive() == [b"before", b"after"]
        pong = await hear(peer, Pong)
        assert isinstance(pong, Pong)
        assert pong.payload == b"are you there"


async def test_ping_while_stuffed() -> None:
    """Pings of a server that does not read hold up no reading."""
    async with open_socket_pair() as (transport, peer):
        await transport.send(b"x" * (MAX_UNSENT + (16 << 20)))
        await peer.send(Ping(payload=b"1"), Ping(payload=b"2"), TextMessage(data="still here"))
        assert await transport.receive() == [b"still here"]


async def expect_gone(transport: Transport) -> None:
    with pytest.raises(ChromeError) as caught:
        await transport.receive()
    assert caught.value.code == "BROWSER_GONE"


async def test_close_frame() -> None:
    """A close frame ends reading after what came before it, though the connection stays open."""
    async with open_socket_pair() as (transport, peer):
        await peer.send(TextMessage(data="last"), CloseConnection(code=1001))
        assert await transport.receive() == [b"last"]
        await expect_gone(transport)
        close = await hear(peer, CloseConnection)
        assert isinstance(close, CloseConnection)
        assert close.code == 1001


async def test_close_frame_wakes() -> None:
    """A receive that waits is ended by a close frame alone."""
    async with open_socket_pair() as (transport, peer), trio.open_nursery() as nursery:
        nursery.start_soon(expect_gone, transport)
        await wait_all_tasks_blocked()
        await peer.send(CloseConnection(code=1000))


async def test_refused_frame_ends() -> None:
    """A frame that breaks the rules is the end of the browser for whoever reads."""
    async with open_socket_pair() as (transport, peer):
        await peer.stream.send_all(b"\x81\x81mask!")
        await expect_gone(transport)
