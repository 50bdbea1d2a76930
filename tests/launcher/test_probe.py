"""Asking a port who it is, with servers that are no browsers in every way."""

import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import trio

from bridge.errors import ChromeError, UsageError
from bridge.timeouts import Timeouts
from launcher.probe import Answer, HttpAddress, TabLine, ask, list_tabs, parse_endpoint, resolve

PATIENCE = Timeouts()
PATH = "/devtools/browser/0a1b"
Serve = Callable[[trio.SocketStream], Awaitable[None]]


@asynccontextmanager
async def _open(serve: Serve, host: str = "127.0.0.1") -> AsyncIterator[HttpAddress]:
    async def guarded(stream: trio.SocketStream) -> None:
        async with stream:
            try:
                await serve(stream)
            except (trio.BrokenResourceError, ConnectionError):
                return

    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host=host)
        nursery.start_soon(trio.serve_listeners, guarded, listeners)
        yield HttpAddress(host, listeners[0].socket.getsockname()[1])
        nursery.cancel_scope.cancel()


def _answer(body: object, head: str = "HTTP/1.1 200 OK") -> Serve:
    async def serve(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        await stream.send_all(f"{head}\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)

    return serve


def _raw(data: bytes) -> Serve:
    async def serve(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        await stream.send_all(data)

    return serve


GOOD = {"Browser": "Chrome/1.2", "webSocketDebuggerUrl": f"ws://localhost:1{PATH}"}


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_browser(host: str) -> None:
    """A browser's own path is used, at the address it was asked at."""
    heard: list[bytes] = []

    async def serve(stream: trio.SocketStream) -> None:
        heard.append(bytes(await stream.receive_some()))
        await stream.send_all(b"HTTP/1.1 200 OK\r\n\r\n" + json.dumps(GOOD).encode())

    async with _open(serve, host) as address:
        answer = await ask(address, PATIENCE)
        assert answer == Answer(f"ws://{address.authority}{PATH}", "Chrome/1.2")
    assert heard[0].startswith(b"GET /json/version HTTP/1.1\r\n")
    assert f"\r\nHost: {address.authority}\r\n".encode() in heard[0]
    assert address.authority.startswith("[::1]" if ":" in host else host)


async def test_resolve() -> None:
    """An http address is asked for its browser; a ws address is taken as it is."""
    async with _open(_answer(GOOD)) as address:
        url = await resolve(f"http://127.0.0.1:{address.port}", PATIENCE)
    assert url == f"ws://127.0.0.1:{address.port}{PATH}"
    assert await resolve(f"ws://127.0.0.1:9{PATH}", PATIENCE) == f"ws://127.0.0.1:9{PATH}"


async def test_keeps_connection_open() -> None:
    """The announced length ends the answer; the connection need not."""

    async def serve(stream: trio.SocketStream) -> None:
        await _answer(GOOD)(stream)
        await trio.sleep_forever()

    async with _open(serve) as address:
        assert (await ask(address, PATIENCE)).product == "Chrome/1.2"


NO_BROWSER: dict[str, tuple[Serve, str]] = {
    "hangs up": (_raw(b""), "does not speak HTTP"),
    "other protocol": (_raw(b"SSH-2.0-x\r\n"), "does not speak HTTP"),
    "HTML": (_answer(b"<html>Hello</html>"), "not as a browser does"),
    "404": (_answer(b"", "HTTP/1.1 404 Not Found"), "it answers 404"),
    "500": (_answer(b"", "HTTP/1.1 500 Host header"), "it answers 500"),
    "redirect": (_answer(b"", "HTTP/1.1 302 Found\r\nLocation: /"), "it answers 302"),
    "no status": (_raw(b"HTTP/1.1"), "does not speak HTTP"),
    "list": (_answer([GOOD]), "not as a browser does"),
    "text": (_answer("ws"), "not as a browser does"),
    "null": (_answer(None), "not as a browser does"),
    "no url": (_answer({"Browser": "Chrome/1"}), "not as a browser does"),
    "url is a number": (_answer({**GOOD, "webSocketDebuggerUrl": 5}), "not as a browser does"),
    "url is bytes-like": (_answer({**GOOD, "webSocketDebuggerUrl": []}), "not as a browser does"),
    "url is broken": (_answer({**GOOD, "webSocketDebuggerUrl": "ws://["}), "not as a browser does"),
    "url without path": (_answer({**GOOD, "webSocketDebuggerUrl": ""}), "not as a browser does"),
    "product is null": (_answer({**GOOD, "Browser": None}), "not as a browser does"),
    "not UTF-8": (_answer(b'{"Browser": "\xff\xfe'), "not as a browser does"),
    "deep": (_answer(b"[" * 100_000), "not as a browser does"),
    "cut": (_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"), "not as a browser does"),
    "number without end": (
        _raw(b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n{}"),
        "not as a browser does",
    ),
}


@pytest.mark.parametrize("kind", NO_BROWSER)
async def test_no_browser(kind: str) -> None:
    """What answers, but is no browser, is NO_BACKEND with what was wrong."""
    serve, why = NO_BROWSER[kind]
    async with _open(serve) as address:
        with pytest.raises(ChromeError, match=why) as caught:
            await ask(address, PATIENCE)
    assert (caught.value.code, bool(caught.value.hint)) == ("NO_BACKEND", True)
    assert address.authority in str(caught.value)


async def test_endless_answer() -> None:
    """An answer that does not end is given up at its limit, not at the end of memory."""

    async def serve(stream: trio.SocketStream) -> None:
        await stream.send_all(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            await stream.send_all(b"x" * 1_000_000)

    async with _open(serve) as address:
        with pytest.raises(ChromeError, match="does not end") as caught:
            await ask(address, Timeouts(connect=20))
    assert caught.value.code == "NO_BACKEND"


async def test_silence() -> None:
    """What accepts and never answers is BROWSER_HUNG."""

    async def serve(stream: trio.SocketStream) -> None:
        await trio.sleep_forever()

    async with _open(serve) as address:
        with pytest.raises(ChromeError, match="does not answer") as caught:
            await ask(address, Timeouts(connect=0.2))
    assert caught.value.code == "BROWSER_HUNG"


async def test_reset() -> None:
    """A connection that is reset is NO_BACKEND."""

    async def serve(stream: trio.SocketStream) -> None:
        await stream.receive_some()
        linger = b"\1\0\0\0\0\0\0\0"
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    async with _open(serve) as address:
        with pytest.raises(ChromeError) as caught:
            await ask(address, PATIENCE)
    assert caught.value.code == "NO_BACKEND"


@pytest.mark.parametrize("host", ["127.0.0.1", "a" * 70 + ".test", "x" * 300, "a..b", "a\0b"])
async def test_nobody(host: str) -> None:
    """Where nobody listens, or nobody can, it is NO_BACKEND."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(ChromeError, match="nothing listens there") as caught:
        await ask(HttpAddress(host, port), PATIENCE)
    assert caught.value.code == "NO_BACKEND"


BAD = {
    "https://127.0.0.1:9222": "must begin with",
    "wss://127.0.0.1:9222/x": "must begin with",
    "file:///etc/passwd": "names no host",
    "9222": "names no host",
    "localhost:9222": "names no host",
    "": "names no host",
    "http://": "names no host",
    "http://:9222": "names no host",
    "http://user@127.0.0.1:9222": "user name",
    "http://user:word@127.0.0.1:9222": "user name",
    "http://:word@127.0.0.1:9222": "user name",
    "http://127.0.0.1:9222 ": "white space",
    "http://127.0.0.1 :9222": "white space",
    "ws://127.0.0.1:9222/a b": "white space",
    "ws://127.0.0.1:9222/a\nb": "white space",
    "ws://127.0.0.1:9222/a\0b": "control character",
    "http://127.0.0.1:0": "port is 0",
    "ws://127.0.0.1:0/x": "port is 0",
    "http://127.0.0.1:99999": "out of range",
    "http://127.0.0.1:x": "could not be cast",
    "http://127.0.0.1:-1": "",
    "http://[::1:9222": "Invalid IPv6",
    "http://[zz]:9222": "",
}


@pytest.mark.parametrize("url", BAD)
def test_bad_endpoint(url: str) -> None:
    """What cannot be an endpoint is BAD_ARGS, names itself, and says how to write one."""
    with pytest.raises(UsageError) as caught:
        parse_endpoint(url)
    assert caught.value.code == "BAD_ARGS"
    assert BAD[url] in str(caught.value)
    assert repr(url) in str(caught.value)
    assert "127.0.0.1:PORT" in caught.value.hint


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:9222", HttpAddress("127.0.0.1", 9222)),
        ("http://127.0.0.1:9222/json/version", HttpAddress("127.0.0.1", 9222)),
        ("HTTP://LocalHost:9222/", HttpAddress("localhost", 9222)),
        ("http://example.test", HttpAddress("example.test", 80)),
        ("http://[::1]:9222", HttpAddress("::1", 9222)),
        ("ws://127.0.0.1:9222/devtools/browser/1", "ws://127.0.0.1:9222/devtools/browser/1"),
    ],
)
def test_good_endpoint(url: str, address: HttpAddress | str) -> None:
    """An http address is host and port; a ws address stays as it is."""
    assert parse_endpoint(url) == address


async def test_tabs() -> None:
    """The pages are listed without anything else that has a target."""
    pages = [
        {"type": "page", "url": "http://a/", "title": "A"},
        {"type": "service_worker", "url": "http://a/sw.js", "title": ""},
    ]
    async with _open(_answer(pages)) as address:
        assert await list_tabs(address, PATIENCE) == [TabLine("http://a/", "A")]
    async with _open(_answer({"no": "list"})) as address:
        with pytest.raises(ChromeError, match="not as a browser does"):
            await list_tabs(address, PATIENCE)
    with pytest.raises(ChromeError, match="nothing listens there"):
        await list_tabs(address, PATIENCE)
