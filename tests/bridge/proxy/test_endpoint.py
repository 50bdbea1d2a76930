"""The endpoint on a real port: what it tells whom, and how sockets of guests end."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
import trio

from bridge.errors import LinkError
from bridge.proxy.endpoint import BROWSER, Endpoint, open_endpoint
from bridge.proxy.switchboard import Switchboard
from bridge.timeouts import Timeouts
from bridge.transport.websocket import BINARY
from tests.support.conditions import limit, until
from tests.support.fetch import open_client
from tests.support.guests import open_board
from tests.support.played_extension import HungUp, Played, ask, dial, request
from tests.support.played_link import PlayedLink, info

TOKEN = "t" * 43
SIGNED = {"authorization": f"Bearer {TOKEN}"}
TIMEOUTS = Timeouts(hello=1.0, link=0.5)


@dataclass
class Ground:
    """An endpoint in front of a browser that is played, or of none."""

    endpoint: Endpoint
    link: PlayedLink
    board: Switchboard
    none: list[bool] = field(default_factory=list)
    slow: list[bool] = field(default_factory=list)

    def guest(self, path: str = BROWSER) -> AbstractAsyncContextManager[Played]:
        """A socket of one who knows the token."""
        extra = f"Authorization: Bearer {TOKEN}\r\n"
        return dial(self.endpoint.port, origin=None, path=path, extra=extra)

    async def get(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        """Status, and the JSON of the body or its text."""
        signed = SIGNED if headers is None else headers
        async with open_client(self.endpoint.url) as client:
            await client.ask(path, headers=signed)
            reply = await client.reply()
        is_json = reply.header("content-type").startswith("application/json")
        return reply.status, json.loads(reply.body) if is_json else reply.text


@pytest.fixture
async def ground() -> AsyncIterator[Ground]:
    link = PlayedLink(info("A"), info("X", ""))
    none: list[bool] = []
    slow: list[bool] = []
    async with open_board(link) as board:

        async def there() -> Switchboard:
            if none:
                raise LinkError("EXTENSION_DISCONNECTED", "there is none", hint="Open one.")
            await trio.lowlevel.checkpoint()
            if slow:
                slow.append(True)
                await trio.sleep(0.3)
            return board

        [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with open_endpoint(listener, TOKEN, there, TIMEOUTS) as endpoint:
            yield Ground(endpoint, link, board, none, slow)


async def call(played: Played, method: str, **params: object) -> dict[str, Any]:
    """The answer to a call, whatever is told before it."""
    await played.frame(json.dumps({"id": 7, "method": method, "params": params}).encode())
    while True:
        said = await played.hear()
        if said.get("id") == 7:
            return said


async def test_version(ground: Ground) -> None:
    """Clients are told where to go, by the name they have come by."""
    port = ground.endpoint.port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
        status, told = await ground.get("/json/version", {**SIGNED, "host": host})
        assert (status, told["Browser"]) == (200, "Chrome/156")
        assert told["webSocketDebuggerUrl"] == f"ws://{host}/devtools/browser"


@pytest.mark.parametrize("path", ["/json", "/json/", "/json/list", "/json/list?t=1"])
async def test_list(ground: Ground, path: str) -> None:
    """Tabs are listed as Chrome lists them, but for those that may not be visited."""
    status, [told] = await ground.get(path)
    assert (status, told["id"], told["url"]) == (200, "A", "http://a.test/")
    there = f"ws://127.0.0.1:{ground.endpoint.port}/devtools/page/A"
    assert told["webSocketDebuggerUrl"] == there


@pytest.mark.parametrize("path", ["/", "/json/protocol", "/devtools/page/Z", "/json/new", "*"])
async def test_not_there(ground: Ground, path: str) -> None:
    """There is nothing else."""
    assert (await ground.get(path))[0] == 404


async def test_no_socket(ground: Ground) -> None:
    """A guest comes by WebSocket."""
    assert (await ground.get(BROWSER))[0] == 426


@pytest.mark.parametrize("path", ["/json/version", "/json/list", BROWSER, "/devtools/page/A", "/"])
async def test_strangers(ground: Ground, path: str) -> None:
    """Without the token nothing is told, and pages get nothing with it; no socket is opened."""
    assert (await ground.get(path, {}))[0] == 401
    assert (await ground.get(path, {"authorization": "Bearer x"}))[0] == 401
    assert (await ground.get(path, {**SIGNED, "origin": "http://evil.test"}))[0] == 403
    assert (await ground.get(path, {**SIGNED, "host": "evil.test"}))[0] == 403
    stream = await trio.open_tcp_stream("127.0.0.1", ground.endpoint.port)
    async with stream:
        status, _, _ = await ask(stream, request(ground.endpoint.port, path=path, origin=None))
        assert status == 401


async def test_guest(ground: Ground) -> None:
    """A guest speaks CDP; what it holds is free again the moment it hangs up."""
    async with ground.guest() as played:
        assert (await call(played, "Browser.getVersion"))["result"]["product"] == "Chrome/156"
        await call(played, "Target.setAutoAttach", autoAttach=True)
        assert ground.board.holder("A") is not None
        played.hang_up()
        await until(lambda: ground.board.holder("A") is None)


async def test_bytes(ground: Ground) -> None:
    """A client that sends its calls as bytes is answered."""
    async with ground.guest() as played:
        await played.frame(b'{"id":1,"method":"Browser.getVersion"}', BINARY)
        with limit(5.0):
            await played.listen()
        assert (await played.hear())["result"]["product"] == "Chrome/156"


async def test_one_tab(ground: Ground) -> None:
    """A socket for one tab needs no sessions."""
    async with ground.guest("/devtools/page/A") as played:
        await until(lambda: ground.board.session("A"))
        assert (await call(played, "Page.enable"))["result"] == {"echo": "Page.enable"}
    with pytest.raises(HungUp) as caught:
        async with ground.guest("/devtools/page/X") as played:
            await played.hear()
    assert "not possible" in caught.value.why


async def test_no_browser(ground: Ground) -> None:
    """Where no browser is there clients are told so, and what to do."""
    ground.none.append(True)
    status, why = await ground.get("/json/version")
    assert (status, why) == (503, "EXTENSION_DISCONNECTED: there is none\nOpen one.")


async def test_browser_goes(ground: Ground) -> None:
    """With the browser its guests go, and hear why."""
    async with ground.guest() as played:
        await call(played, "Browser.getVersion")
        ground.link.lose()
        end = await played.ending()
    assert (end.code, end.why) == (1001, "the browser is not connected any more")


async def test_closes(ground: Ground) -> None:
    """Closing the browser is answered and ends the guest alone."""
    async with ground.guest() as other, ground.guest() as played:
        assert (await call(played, "Browser.close"))["result"] == {}
        assert (await played.ending()).code == 1001
        assert "result" in await call(other, "Browser.getVersion")


async def test_token_made_anew(ground: Ground) -> None:
    """Whoever came in with the old token is out, and stays out."""
    async with ground.guest() as played:
        await call(played, "Browser.getVersion")
        ground.endpoint.renew("n" * 43)
        end = await played.ending()
    assert (end.code, end.why) == (1001, "the token was made anew")
    assert (await ground.get("/json/version"))[0] == 401


async def test_token_made_anew_at_the_door(ground: Ground) -> None:
    """Whoever has shown the old token and waits for a browser does not get in any more."""
    ground.slow.append(True)
    stream = await trio.open_tcp_stream("127.0.0.1", ground.endpoint.port)
    async with stream:
        extra = f"Authorization: Bearer {TOKEN}\r\n"
        head = request(ground.endpoint.port, path="/json/list", origin=None, extra=extra)
        await stream.send_all(head)
        await until(lambda: len(ground.slow) == 2)
        ground.endpoint.renew("n" * 43)
        assert await stream.receive_some() == b""


async def test_who_does_not_read(ground: Ground) -> None:
    """A guest that stops reading is dropped, and keeps nobody else."""
    async with ground.guest() as deaf, ground.guest() as other:
        await call(deaf, "Target.setAutoAttach", autoAttach=True)
        flood = {"entry": "x" * 1_000_000}
        for _ in range(60):
            ground.link.say("Log.entryAdded", flood, "tA")
        assert "result" in await call(other, "Browser.getVersion")
        await until(lambda: ground.board.holder("A") is None)


async def test_crowd(ground: Ground) -> None:
    """Silent strangers do not keep a guest out, and are sent away in time."""
    streams = [await trio.open_tcp_stream("127.0.0.1", ground.endpoint.port) for _ in range(40)]
    async with ground.guest() as played:
        assert "result" in await call(played, "Browser.getVersion")
    for stream in streams:
        with trio.move_on_after(5.0) as scope:
            assert await stream.receive_some() == b""
        assert not scope.cancelled_caught
        await stream.aclose()


async def test_crowd_while_there_is_no_browser(ground: Ground) -> None:
    """Nor do they drive out one who has shown the token and waits for a browser."""
    ground.slow.append(True)
    async with AsyncExitStack() as stack, trio.open_nursery() as nursery:
        told: list[tuple[int, Any]] = []

        async def ask_for_tabs() -> None:
            told.append(await ground.get("/json/list"))

        nursery.start_soon(ask_for_tabs)
        await until(lambda: len(ground.slow) == 2)
        for _ in range(40):
            stranger = await trio.open_tcp_stream("127.0.0.1", ground.endpoint.port)
            await stack.enter_async_context(stranger)
        await until(lambda: told)
    assert told[0][0] == 200


@pytest.mark.parametrize("head", [b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET / HTTP/1.1\r\n" * 5000])
async def test_no_http(ground: Ground, head: bytes) -> None:
    """What is no HTTP is left without a word, and the next one is served."""
    stream = await trio.open_tcp_stream("127.0.0.1", ground.endpoint.port)
    async with stream:
        try:
            await stream.send_all(head)
            while await stream.receive_some():
                pass
        except trio.BrokenResourceError:
            pass
    assert (await ground.get("/json/version"))[0] == 200
