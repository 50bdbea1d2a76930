"""Connections that go wrong in every way: theirs is lost, the server and the others are not."""

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial

import pytest
import trio
import trio.testing

from bridge.mcp.crowd import Scope
from bridge.mcp.exchange import Receive, Send
from bridge.mcp.http import bind, open_app, open_http
from bridge.timeouts import Timeouts
from tests.bridge.mcp.test_http import FREE, TOKEN, Served
from tests.support.conditions import until
from tests.support.mcp_client import VERSION, text_of
from tests.support.mcp_process import HANDSHAKE
from tests.support.toy_door import ToyDoor

# The SDK's client leaves the streams of its HTTP library to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning")
_HELLO = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HANDSHAKE})
_ROUNDS = 40  # of what goes wrong in one of ten


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    door = ToyDoor()
    timeouts = replace(Timeouts(), body=0.2, silence=0.3)
    async with open_http(door, VERSION, FREE, TOKEN, timeouts) as opened:
        yield Served(opened.url, door)


def _request(served: Served, body: str = _HELLO, *, token: str = TOKEN, more: str = "") -> bytes:
    return (
        f"POST /mcp HTTP/1.1\r\nHost: {served.host}\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        f"{more}Content-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


async def _say(served: Served, said: bytes, wait: float = 0.0) -> bytes:
    """Say it, hang up on half of the line, and hear what comes."""
    heard = b""
    async with await trio.open_tcp_stream("127.0.0.1", served.port) as stream:
        try:
            await stream.send_all(said)
            await trio.sleep(wait)
            await stream.send_eof()
            with trio.move_on_after(2):
                heard = b"".join([part async for part in stream])
        except (trio.BrokenResourceError, OSError):
            pass
    return heard


async def _is_served(served: Served) -> bool:
    async with served.client("auto") as client:
        return text_of(await client.call_tool("echo")) == "{}"


def _connections() -> int:
    """How many are at work."""

    def count(task: trio.lowlevel.Task) -> int:
        inner = [each for nursery in task.child_nurseries for each in nursery.child_tasks]
        return ("_run_handler" in task.name) + sum(map(count, inner))

    root = trio.lowlevel.current_root_task()
    assert root is not None
    return count(root)


@pytest.mark.parametrize(
    ("token", "wait"), [("wrong", 0.0), (TOKEN, 0.198)], ids=["refused", "too slow"]
)
async def test_hung_up_while_it_is_told(
    served: Served, token: str, wait: float, caplog: pytest.LogCaptureFixture
) -> None:
    """A client that hangs up in the middle of its request, while it is refused, ends itself."""
    said = _request(served, token=token)[:-20]
    async with trio.open_nursery() as nursery:
        for number in range(_ROUNDS):
            nursery.start_soon(_say, served, said, wait + number / 10_000)
    assert await _is_served(served)
    assert [each for each in caplog.records if each.levelno > logging.INFO] == []


async def test_nonsense_behind_a_request(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    """What is no request, behind one that is being answered, ends its connection alone."""
    said = _request(served, token="wrong")
    async with trio.open_nursery() as nursery:
        for _ in range(_ROUNDS):
            nursery.start_soon(_say, served, said + b"\x16\x03\x01\x02\r\n\r\n")
            nursery.start_soon(_say, served, said + said[:-20])
    assert await _is_served(served)
    assert [each for each in caplog.records if each.levelno > logging.INFO] == []


async def test_more_than_is_answered(served: Served) -> None:
    """A client that hangs up with requests left to be read leaves nothing behind."""
    wait = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":' + json.dumps(HANDSHAKE) + "}"
    for _ in range(10):
        async with await trio.open_tcp_stream("127.0.0.1", served.port) as stream:
            await stream.send_all(_request(served, wait) * 3)
    assert await _is_served(served)
    await until(lambda: _connections() == 0)


async def test_answered_before_it_was_read() -> None:
    """A client that hangs up on an answer which did not wait for all it says holds up no end."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        while scope["type"] == "lifespan":
            await send({"type": f"{(await receive())['type']}.complete"})
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(30_000_000)})

    async with open_app(app, bind(FREE)) as url:
        address = "127.0.0.1", int(url.split(":")[2].partition("/")[0])
        async with await trio.open_tcp_stream(*address) as stream:
            head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            await stream.send_all(head + b"1\r\na\r\n" * 50)
            assert (await stream.receive_some()).startswith(b"HTTP/1.1 200")
            await trio.testing.wait_all_tasks_blocked(0.1)
        await until(lambda: _connections() == 0)


@pytest.mark.parametrize("upgrade", [False, True])
async def test_no_other_protocol(served: Served, upgrade: bool) -> None:
    """HTTP/2 is spoken with nobody, whichever way it is asked for."""
    said = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"
    if upgrade:
        more = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"
        said = _request(served, "", more=more).replace(b"Content-Length: 0\r\n", b"")
    heard = await _say(served, said)
    assert heard.startswith(b"HTTP/1.1 4")
    await until(lambda: _connections() == 0)


async def test_unforeseen(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever goes wrong in one connection is logged, and the next one is served."""

    async def fail(*given: object) -> None:
        raise RuntimeError("unforeseen")

    with monkeypatch.context() as broken:
        broken.setattr("bridge.mcp.connection.Http.handle", fail)
        assert await _say(served, _request(served)) == b""
    assert "a connection failed" in caplog.text
    assert await _is_served(served)


async def test_answered_in_turn(served: Served) -> None:
    """Requests that come before the answer to the first are answered one after the other."""
    ask = partial(_request, served, token="wrong")
    heard = await _say(served, ask("{}") + ask("{}") + ask("{}"), 0.1)
    assert heard.count(b"HTTP/1.1 401") == 3
