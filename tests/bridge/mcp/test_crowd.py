"""More requests than are served, larger ones, slower ones: told so, and the next one is served."""

import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from itertools import count
from typing import Any

import httpx2
import mcp_types as types
import pytest
import trio
import trio.testing
from mcp import Client, MCPError

from bridge.mcp.admission import IN_FLIGHT
from bridge.mcp.crowd import LARGEST, Crowd, Scope, Turned
from bridge.mcp.http import Http, open_http
from bridge.timeouts import Timeouts
from tests.bridge.mcp.test_http import FREE, TOKEN, Served
from tests.support.conditions import until
from tests.support.mcp_client import ERAS, VERSION, text_of
from tests.support.mcp_process import HANDSHAKE
from tests.support.toy_door import ToyDoor

# The SDK's client leaves the streams of its HTTP library to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning")
ALONE = 48  # places of a session while there is no other
_IDS = count()
HEADERS = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream"}


@pytest.fixture
async def http() -> AsyncIterator[tuple[Http, Served]]:
    """A server with little patience."""
    door = ToyDoor()
    timeouts = replace(Timeouts(), body=0.2, silence=0.3)
    async with open_http(door, VERSION, FREE, TOKEN, timeouts) as opened:
        yield opened, Served(opened.url, door)


@pytest.fixture
async def patient() -> AsyncIterator[Served]:
    """A server that closes no connection which a client is about to use again."""
    door = ToyDoor()
    async with open_http(door, VERSION, FREE, TOKEN) as opened:
        yield Served(opened.url, door)


@pytest.fixture
def served(http: tuple[Http, Served]) -> Served:
    return http[1]


async def listing() -> dict[str, Any]:
    """The body of a request for the list of tools, whole."""
    await trio.lowlevel.checkpoint()
    asked = {"jsonrpc": "2.0", "id": next(_IDS), "method": "tools/list"}
    return {"type": "http.request", "body": json.dumps(asked).encode()}


async def unheard(message: object) -> None:
    """Where answers go that a test does not look at."""
    await trio.lowlevel.checkpoint()


async def unanswered(message: object) -> None:
    raise AssertionError("it was answered")


@asynccontextmanager
async def raw(served: Served, *headers: str) -> AsyncIterator[trio.SocketStream]:
    """A connection on which the head of a POST has been sent."""
    lines = [
        "POST /mcp HTTP/1.1",
        f"Host: {served.host}",
        "Content-Type: application/json",
        *(f"{name}: {value}" for name, value in HEADERS.items()),
        *headers,
    ]
    async with await trio.open_tcp_stream("127.0.0.1", served.port) as stream:
        await stream.send_all("\r\n".join([*lines, "", ""]).encode())
        yield stream


async def everything(stream: trio.SocketStream) -> str:
    """What comes until the connection is closed."""
    return b"".join([part async for part in stream]).decode()


async def drip(stream: trio.SocketStream) -> None:
    """A byte now and then, for ever."""
    while True:
        await stream.send_all(b"x")
        with trio.move_on_after(0.02):
            assert await stream.receive_some() == b""


async def is_served(served: Served) -> bool:
    async with served.client("auto") as client:
        return text_of(await client.call_tool("echo")) == "{}"


async def session(client: httpx2.AsyncClient, url: str) -> dict[str, str]:
    """The headers of a session that was begun."""
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HANDSHAKE}
    answer = await client.post(url, json=body)
    begun = {"Mcp-Session-Id": answer.headers["mcp-session-id"]}
    told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    await client.post(url, json=told, headers=begun)
    return begun


@pytest.mark.parametrize("era", ERAS)
async def test_share(patient: Served, era: str) -> None:
    """A session with its share at work is told to come back, and another one is patient."""
    noisy, quiet = (types.Implementation(name=name, version="1") for name in ("noisy", "quiet"))
    async with (
        patient.client(era, client_info=noisy) as client,
        patient.client(era, client_info=quiet) as other,
        trio.open_nursery() as all_,
    ):
        for _ in range(ALONE):
            all_.start_soon(_wait, client)
        await until(lambda: patient.door.begun.count("wait") == ALONE)
        with pytest.raises(MCPError, match="48 requests of this client are at work") as refused:
            await client.call_tool("echo")
        assert refused.value.error.code == -32_000
        assert "echo" not in patient.door.begun
        assert text_of(await other.call_tool("echo")) == "{}"
        patient.door.go.set()
    assert await is_served(patient)


async def test_many_sessions() -> None:
    """Busy sessions share the places, and none of them can take the last one from a new one."""
    crowd = Crowd(Timeouts())
    served: Counter[str] = Counter()
    go = trio.Event()

    async def app(scope: Scope, *given: object) -> None:
        served[scope["headers"][0][1].decode()] += 1
        await go.wait()

    async def ask(who: str) -> None:
        scope = {"method": "POST", "headers": [(b"mcp-session-id", who.encode())]}
        with suppress(Turned):
            await crowd.serve(app, scope, listing, unheard)

    async with trio.open_nursery() as nursery:
        for _ in range(IN_FLIGHT):
            for who in ("one", "two"):
                nursery.start_soon(ask, who)
            await trio.testing.wait_all_tasks_blocked()
        assert sorted(served.values()) == [27, 28]
        nursery.start_soon(ask, "three")
        await trio.testing.wait_all_tasks_blocked()
        assert served["three"] == 1
        go.set()


async def _wait(client: Client) -> None:
    assert text_of(await client.call_tool("wait")) == "waited"


async def test_heard_while_full(patient: Served) -> None:
    """A cancellation is heard because all places are taken, and gives one back."""
    async with patient.client("legacy") as client, trio.open_nursery() as nursery:
        scopes = [trio.CancelScope() for _ in range(ALONE)]
        for scope in scopes:
            nursery.start_soon(_wait_within, client, scope)
        await until(lambda: patient.door.begun.count("wait") == ALONE)
        scopes[0].cancel()
        await until(lambda: patient.door.cancelled == ["wait"])
        patient.door.go.set()
    assert await is_served(patient)


async def _wait_within(client: Client, scope: trio.CancelScope) -> None:
    with scope:
        await client.call_tool("wait")


async def test_calls_left_behind() -> None:
    """Calls whose requests are gone still take their places."""
    crowd = Crowd(Timeouts())

    async def app(*given: object) -> None:
        raise AssertionError("it was served")

    async with AsyncExitStack() as stack:
        for _ in range(IN_FLIGHT):
            stack.enter_context(crowd.calling("one"))
        scope = {"method": "POST", "headers": [(b"mcp-session-id", b"one")]}
        with pytest.raises(Turned) as refused:
            await crowd.serve(app, scope, listing, unanswered)
    assert refused.value.status == 429
    assert isinstance(json.loads(refused.value.body)["id"], int)


async def test_share_of_who_hangs_up() -> None:
    """Calls whose requests are gone count for whoever has left them, so others find places."""
    crowd = Crowd(Timeouts())
    served: list[bytes] = []

    async def app(scope: Scope, *given: object) -> None:
        served.append(scope["headers"][0][1])

    async with AsyncExitStack() as stack:
        for _ in range(ALONE):
            stack.enter_context(crowd.calling("one"))
        for who in (b"one", b"two"):
            scope = {"method": "POST", "headers": [(b"mcp-session-id", who)]}
            with suppress(Turned):
                await crowd.serve(app, scope, listing, unheard)
    assert served == [b"two"]


async def test_slow_body(served: Served) -> None:
    """A body that does not come is not waited for."""
    async with raw(served, "Content-Length: 100") as stream:
        await stream.send_all(b"{")
        told = await everything(stream)
    assert told.startswith("HTTP/1.1 408 ")
    assert "send it again" in told
    assert await is_served(served)


async def test_slow_head(served: Served) -> None:
    """A head that does not end is not waited for, though some of it comes all the time."""
    async with await trio.open_tcp_stream("127.0.0.1", served.port) as stream:
        await stream.send_all(b"POST /mcp HTTP/1.1\r\nHost: ")
        began = trio.current_time()
        with pytest.raises(trio.BrokenResourceError):
            await drip(stream)
        assert trio.current_time() - began < 5
    assert await is_served(served)


async def test_announced_100_mb(served: Served) -> None:
    """A body of 100 MB that is announced is refused before it comes."""
    async with raw(served, "Content-Length: 100000000") as stream:
        told = await everything(stream)
    assert told.startswith("HTTP/1.1 413 ")
    assert "send less" in told


async def test_100_mb(served: Served) -> None:
    """A body of 100 MB that is not announced is read as far as the limit, and no further."""
    sent = 0
    async with raw(served, "Transfer-Encoding: chunked") as stream:
        with suppress(trio.BrokenResourceError):
            while sent < 100_000_000:
                await stream.send_all(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
                sent += 65_536
    assert LARGEST <= sent < 50_000_000
    assert await is_served(served)


async def test_200_idle(served: Served) -> None:
    """Connections that say nothing keep nobody out, and are closed."""
    async with AsyncExitStack() as stack:
        idle = [
            await stack.enter_async_context(await trio.open_tcp_stream("127.0.0.1", served.port))
            for _ in range(200)
        ]
        assert await is_served(served)
        assert [await each.receive_some() for each in idle] == [b""] * 200


async def test_vanished_listener(served: Served) -> None:
    """A client whose stream broke off can listen again, as often as it likes."""
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        begun = await session(client, served.url)
        for _ in range(3):
            await until_listening(client, served.url, begun)
    assert await is_served(served)


async def until_listening(client: httpx2.AsyncClient, url: str, begun: dict[str, str]) -> None:
    status = 409  # until the server has noticed that the one before is gone
    with trio.move_on_after(5):
        while status == 409:
            async with client.stream("GET", url, headers=begun) as news:
                status = news.status_code
    assert status == 200


async def test_dismissed(http: tuple[Http, Served]) -> None:
    """With another token the old one is refused, and who listened with it hears no more."""
    opened, served = http
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        begun = await session(client, served.url)
        async with client.stream("GET", served.url, headers=begun) as news:
            assert news.status_code == 200
            opened.renew("n" * 43)
            with pytest.raises(httpx2.RemoteProtocolError):
                [each async for each in news.aiter_bytes()]
        assert (await client.post(served.url, json={})).status_code == 401
        client.headers["Authorization"] = f"Bearer {'n' * 43}"
        assert await session(client, served.url)


@pytest.mark.parametrize("number", [1.5, None, True, [1]])
async def test_unusable_id(served: Served, number: object) -> None:
    """An id nobody can answer to is refused with its reason, as on a line."""
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        begun = await session(client, served.url)
        asked = {"jsonrpc": "2.0", "id": number, "method": "ping"}
        answer = await client.post(served.url, json=asked, headers=begun)
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["code"], error["message"]) == (
        -32_600,
        'the member "id" has to be a string or a whole number',
    )
    assert answer.json()["id"] == (1.5 if number == 1.5 else None)


async def test_unreadable(served: Served) -> None:
    """What is no message is refused in words about a body, whatever it is."""
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        for body, code, why in (
            (b"{", -32_700, "the body is not valid JSON"),
            (b"[]", -32_600, "send one message in each request"),
            (b"7", -32_600, "a message is a JSON object"),
        ):
            answer = await client.post(
                served.url, content=body, headers={"Content-Type": "application/json"}
            )
            assert answer.status_code == 400
            assert answer.json()["error"]["code"] == code
            assert why in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("value", "why"),
    [('"\\ud800"', "half a surrogate pair"), (f"{'[' * 500}{']' * 500}", "recursion limit")],
)
async def test_what_the_sdk_cannot_read(served: Served, value: str, why: str) -> None:
    """A request that our reader takes and the SDK's does not is refused under its own number."""
    asked = f'{{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{{"_meta":{{"a":{value}}}}}}}'
    kind = {"Content-Type": "application/json"}
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        begun = await session(client, served.url)
        answer = await client.post(served.url, content=asked, headers=begun | kind)
    assert (answer.status_code, answer.json()["id"]) == (400, 7)
    assert why in answer.json()["error"]["message"]


async def test_no_session_for_what_begins_none(served: Served) -> None:
    """Only the handshake makes a session; whatever else comes without one is told to begin."""
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        for asked in (
            {"jsonrpc": "2.0", "id": 3, "method": "tools/list"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
        ):
            answer = await client.post(served.url, json=asked)
            assert answer.status_code == 400
            assert "mcp-session-id" not in answer.headers
            assert answer.json()["id"] == asked.get("id")
            assert "begin with initialize" in answer.json()["error"]["message"]
        for method in ("GET", "DELETE"):
            assert (await client.request(method, served.url)).status_code == 400
    assert await is_served(served)


async def test_missed_events(served: Served) -> None:
    """Who wants to hear again what was missed gets a new stream: nothing is kept."""
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        begun = await session(client, served.url)
        begun["Last-Event-ID"] = "7"
        async with client.stream("GET", served.url, headers=begun) as stream:
            assert stream.status_code == 200
            assert stream.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize("again", [7, "7"])
async def test_number_at_work(again: int | str, patient: Served) -> None:
    """A request under the id of one that waits is refused; with its answer the id is free."""

    async def call(who: dict[str, str], number: int | str, tool: str) -> httpx2.Response:
        asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool}}
        return await client.post(patient.url, json=asked, headers=who)

    async with httpx2.AsyncClient(headers=HEADERS) as client, trio.open_nursery() as nursery:
        one, other = [await session(client, patient.url) for _ in range(2)]
        nursery.start_soon(call, one, 7, "wait")
        await until(lambda: patient.door.begun == ["wait"])
        refused = await call(one, again, "echo")
        assert (refused.status_code, refused.json()["id"]) == (400, again)
        assert (await call(other, again, "echo")).status_code == 200
        patient.door.go.set()
        await until(lambda: not nursery.child_tasks)  # it has its answer
        assert (await call(one, again, "echo")).status_code == 200
