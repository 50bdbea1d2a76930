"""The door over HTTP: a real socket, the SDK's client, in both eras; and whoever is not let in."""

import gc
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import h11
import httpx2
import mcp_types as types
import pytest
import trio
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client

from bridge.errors import LaunchError, UsageError
from bridge.mcp.http import open_http
from tests.support.conditions import limit
from tests.support.mcp_client import ERAS, VERSION, text_of
from tests.support.told_page import open_told_page
from tests.support.toy_door import ToyDoor

# The SDK's client leaves the streams of its HTTP library to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning")
TOKEN = "t" * 43
FREE = "127.0.0.1:0"
PATIENCE = 10.0
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class Served:
    url: str
    door: ToyDoor

    @property
    def host(self) -> str:
        return self.url.split("/")[2]

    @property
    def port(self) -> int:
        return int(self.host.rpartition(":")[2])

    @asynccontextmanager
    async def client(self, era: str, **options: object) -> AsyncIterator[Client]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(self.url, http_client=http)
            async with Client(transport, mode=era, **options) as client:  # type: ignore[arg-type]
                yield client
        gc.collect()  # here, where the warning of what the SDK's client left behind is known

    async def request(self, method: str, target: str, *headers: tuple[str, str]) -> tuple[int, str]:
        """One request, raw; status and headers with body as text."""
        connection = h11.Connection(h11.CLIENT)
        async with await trio.open_tcp_stream("127.0.0.1", self.port) as stream:
            head = h11.Request(method=method, target=target, headers=list(headers))
            await stream.send_all(connection.send(head) + connection.send(h11.EndOfMessage()))
            status, text = 0, ""
            while True:
                event = connection.next_event()
                if event is h11.NEED_DATA:
                    connection.receive_data(await stream.receive_some())
                elif isinstance(event, h11.Response):
                    status, text = event.status_code, str(event.headers)
                elif isinstance(event, h11.Data):
                    text += event.data.decode()
                else:
                    return status, text


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    door = ToyDoor()
    async with open_http(door, VERSION, "127.0.0.1:0", TOKEN) as http:
        yield Served(http.url, door)


@pytest.mark.parametrize("era", ERAS)
async def test_call(served: Served, era: str) -> None:
    """Tools are listed and called."""
    async with served.client(era) as client:
        assert "echo" in {tool.name for tool in (await client.list_tools()).tools}
        assert text_of(await client.call_tool("echo", {"a": 1})) == '{"a": 1}'


@pytest.mark.parametrize("era", ERAS)
async def test_ask(served: Served, era: str) -> None:
    """The user can be asked, and progress is heard."""
    heard: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)
        await trio.lowlevel.checkpoint()

    async def answer(context: ClientRequestContext, params: object) -> types.ElicitResult:
        await trio.lowlevel.checkpoint()
        return types.ElicitResult(action="accept", content={"choice": "once"})

    async with served.client(era, elicitation_callback=answer) as client:
        assert text_of(await client.call_tool("ask")) == "chose once"
        await client.call_tool("steps", progress_callback=note)
    assert heard == [1, 2, 3]


@pytest.mark.parametrize("era", ERAS)
async def test_cancelled(served: Served, era: str) -> None:
    """A call the client gives up is cancelled in the door."""
    async with served.client(era) as client:
        with trio.move_on_after(0.2):
            await client.call_tool("wait")
        assert text_of(await client.call_tool("echo")) == "{}"
    assert served.door.cancelled == ["wait"]


@pytest.mark.parametrize("era", ERAS)
async def test_cancelled_is_noted(era: str) -> None:
    """A call that is taken back, or whose client has hung up, is in the audit with its code."""
    async with open_told_page() as page, open_http(page.door.tools, VERSION, FREE, TOKEN) as http:
        async with Served(http.url, ToyDoor()).client(era) as client:
            with trio.move_on_after(0.2):
                await client.call_tool("wait_for", {"timeMs": 30_000})
            await client.call_tool("status")
        assert page.door.notes[0] == ("wait_for", "CANCELLED")


async def unread(served: Served, stream: trio.SocketStream) -> None:
    """Ask for 20 MB, and read nothing but that they begin to come."""
    asked = {"name": "large", "arguments": {"size": 20_000_000}, "_meta": ENVELOPE}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    lines = [
        f"POST /mcp HTTP/1.1\r\nHost: {served.host}\r\nAuthorization: Bearer {TOKEN}",
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: large",
        f"Content-Length: {len(json.dumps(body))}\r\n\r\n{json.dumps(body)}",
    ]
    await stream.send_all("\r\n".join(lines).encode())
    while b"xxxx" not in await stream.receive_some(1_000):
        pass


async def test_unread(served: Served) -> None:
    """Ten clients that do not read their answers keep nobody else from being served."""
    async with AsyncExitStack() as stack:
        for _ in range(10):
            opened = await trio.open_tcp_stream("127.0.0.1", served.port)
            await unread(served, await stack.enter_async_context(opened))
        async with served.client("auto") as client:
            assert text_of(await client.call_tool("echo")) == "{}"


async def test_unread_at_the_end(nursery: trio.Nursery) -> None:
    """A client that does not read its answer does not hold up the end."""
    async with open_http(ToyDoor(), VERSION, FREE, TOKEN) as http:
        served = Served(http.url, ToyDoor())
        stream = await trio.open_tcp_stream("127.0.0.1", served.port)
        await unread(served, stream)
        nursery.start_soon(leave_late, stream)
        began = trio.current_time()
    assert trio.current_time() - began < PATIENCE
    await stream.aclose()


async def test_ended_while_it_starts() -> None:
    """Whoever ends a server that is only starting does not wait for what will never come."""
    with limit(PATIENCE), trio.CancelScope() as scope:
        scope.cancel()
        async with open_http(ToyDoor(), VERSION, FREE, TOKEN):
            pytest.fail("it was let in")
    assert scope.cancelled_caught


async def leave_late(stream: trio.SocketStream) -> None:
    """Hang up in the end, so that a server that waits for it fails instead of hanging."""
    await trio.sleep(PATIENCE)
    await stream.aclose()


@pytest.mark.parametrize("era", ERAS)
async def test_clients_are_told_apart(served: Served, era: str) -> None:
    """Each session is a client of its own; where there are none, each name is."""
    names = [types.Implementation(name=name, version="1") for name in ("one", "other")]
    for name in names:
        async with served.client(era, client_info=name) as client:
            await client.call_tool("echo", {})
            await client.call_tool("echo", {})
    ids = [caller.id for caller in served.door.callers]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert all(ids)


async def test_everybody_hears_of_change(served: Served) -> None:
    """Every session is told of other tools, not only the one that asked for them."""
    told = trio.Event()

    async def hear(message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            told.set()
        await trio.lowlevel.checkpoint()

    async with served.client("legacy", message_handler=hear) as other, served.client("auto") as one:
        await other.list_tools()
        await one.call_tool("change")
        await told.wait()


async def test_no_token(served: Served) -> None:
    """Without the token nothing is served, and the refusal gives nothing away."""
    status, text = await served.request(
        "POST", "/mcp", ("Host", served.host), ("Content-Type", "application/json")
    )
    assert status == 401
    assert TOKEN not in text
    assert "www-authenticate" in text.lower()


async def test_page(served: Served) -> None:
    """A web page is refused without a CORS header."""
    status, text = await served.request(
        "OPTIONS", "/mcp", ("Host", served.host), ("Origin", "http://evil.com")
    )
    assert status == 403
    assert "access-control" not in text.lower()


async def test_health(served: Served) -> None:
    """Health tells the version to who has the token, others that it is there; it is only read."""
    status, text = await served.request("GET", "/health", ("Host", served.host))
    assert status == 200
    assert text.endswith('{"status": "ok"}')
    token = ("Authorization", f"Bearer {TOKEN}")
    status, text = await served.request("GET", "/health", ("Host", served.host), token)
    assert status == 200
    assert f'"version": "{VERSION}"' in text
    assert (await served.request("POST", "/health", ("Host", served.host)))[0] == 405


async def test_websocket(served: Served) -> None:
    """A WebSocket is refused before it opens."""
    status, _ = await served.request(
        "GET",
        "/mcp",
        ("Host", served.host),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Authorization", f"Bearer {TOKEN}"),
    )
    assert status == 403


async def test_ipv6() -> None:
    """The other loopback does as well."""
    if not socket.has_ipv6:
        pytest.skip("there is no IPv6 here")
    async with open_http(ToyDoor(), VERSION, "[::1]:0", TOKEN) as http:
        assert http.url.startswith("http://[::1]:")


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0:8000",
        "192.168.1.5:80",
        "example.com:80",
        ":8000",
        "localhost",
        "127.0.0.1:",
        "127.0.0.1:70000",
        "127.0.0.1:-1",
        "127.0.0.1:٣",
        "[::]:80",
    ],
)
async def test_unusable_address(address: str) -> None:
    """Only a port of this machine alone is served."""
    with pytest.raises(UsageError):
        async with open_http(ToyDoor(), VERSION, address, TOKEN):
            raise AssertionError("it was served")


async def test_taken_port() -> None:
    """A port that somebody has is said to be taken."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(LaunchError, match=f"port {port} of 127.0.0.1 is taken"):
            async with open_http(ToyDoor(), VERSION, f"127.0.0.1:{port}", TOKEN):
                raise AssertionError("it was served")
