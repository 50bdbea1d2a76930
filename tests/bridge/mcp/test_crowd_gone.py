"""Clients that have gone, with a word or without: the door is told, and of nobody else."""

import json
from collections.abc import AsyncIterator

import httpx2
import pytest
import trio
import trio.testing

from bridge.mcp.crowd import Crowd, Scope
from bridge.mcp.exchange import Send
from bridge.mcp.http import Http, open_http
from bridge.timeouts import Timeouts
from tests.bridge.mcp.test_crowd import (
    HEADERS,
    everything,
    listing,
    patient,
    raw,
    session,
    unheard,
)
from tests.bridge.mcp.test_http import ENVELOPE, FREE, TOKEN, Served
from tests.support.conditions import until
from tests.support.mcp_client import VERSION
from tests.support.mcp_process import HANDSHAKE
from tests.support.toy_door import ToyDoor

__all__ = ["patient"]
WAIT = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {"name": "wait", "_meta": ENVELOPE},
}
MODERN = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "wait",
}
HELLO = json.dumps(
    {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HANDSHAKE}
).encode()
# The SDK's client leaves the streams of its HTTP library to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning")


@pytest.fixture
async def patient_http() -> AsyncIterator[tuple[Http, Served]]:
    """The same, with what is made anew in it."""
    door = ToyDoor()
    async with open_http(door, VERSION, FREE, TOKEN) as opened:
        yield opened, Served(opened.url, door)


async def test_end_of_a_session(patient: Served) -> None:
    """The door is told of a client that ends its session, once it has its answer."""
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        one, other = [await session(client, patient.url) for _ in range(2)]
        assert (await client.delete(patient.url, headers=one)).status_code == 200
        await until(lambda: patient.door.gone == [one["Mcp-Session-Id"]])
        assert (await client.delete(patient.url, headers=one)).status_code == 404
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert (await client.post(patient.url, json=ping, headers=other)).status_code == 200
    assert patient.door.gone == [one["Mcp-Session-Id"]]


async def test_gone_without_a_word(autojump_clock: trio.testing.MockClock) -> None:
    """Who asks for nothing in half an hour has gone; who listens to a stream has not."""
    crowd, door = Crowd(Timeouts()), ToyDoor()
    crowd.counted(door)

    async def app(scope: Scope, *given: object) -> None:
        await trio.lowlevel.checkpoint()
        if scope["method"] == "GET":
            await trio.sleep_forever()

    async def ask(who: str, method: str = "POST") -> None:
        scope = {"method": method, "headers": [(b"mcp-session-id", who.encode())]}
        await crowd.serve(app, scope, listing, unheard)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(crowd.miss)
        nursery.start_soon(ask, "listens", "GET")
        await ask("listens")
        await ask("left")
        for _ in range(20):
            await ask("works")
            await trio.sleep(100)
        assert door.gone == ["left"]
        await trio.sleep(2_000)
        assert door.gone == ["left", "works"]
        nursery.cancel_scope.cancel()


async def test_back_in_time(autojump_clock: trio.testing.MockClock) -> None:
    """Who asks again while another one's tabs are being closed has not gone."""
    crowd, door = Crowd(Timeouts()), ToyDoor()
    crowd.counted(door)

    async def app(*given: object) -> None:
        await trio.lowlevel.checkpoint()

    async def ask(who: str) -> None:
        scope = {"method": "POST", "headers": [(b"mcp-session-id", who.encode())]}
        await crowd.serve(app, scope, listing, unheard)

    async def leave(client: str) -> None:
        door.gone.append(client)
        await ask("back")

    door.leave = leave  # type: ignore[method-assign]
    for who in ("gone", "back"):
        await ask(who)
    with trio.move_on_after(1_900):
        await crowd.miss()
    assert door.gone == ["gone"]


async def _waiting(
    nursery: trio.Nursery, served: Served, headers: dict[str, str]
) -> trio.MemoryReceiveChannel[httpx2.Response]:
    """Begin a call that does not end; gives what its client hears."""
    send, receive = trio.open_memory_channel[httpx2.Response](1)

    async def ask() -> None:
        async with httpx2.AsyncClient(headers=HEADERS) as client:
            send.send_nowait(await client.post(served.url, json=WAIT, headers=headers))

    nursery.start_soon(ask)
    await until(lambda: served.door.begun == ["wait"])
    return receive


def _error(answer: httpx2.Response) -> tuple[int, str]:
    """Of a stream, or of a body, which holds one message alone."""
    told = [line for line in answer.text.splitlines() if line.startswith(("data: {", "{"))]
    assert len(told) == 1
    body = json.loads(told[0].removeprefix("data: "))
    assert body["id"] == 7
    return body["error"]["code"], body["error"]["message"]


async def test_call_of_an_ended_session(patient: Served, nursery: trio.Nursery) -> None:
    """A call whose session is ended is over, and its client hears so, and what to do."""
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        begun = await session(client, patient.url)
        heard = await _waiting(nursery, patient, begun)
        await client.delete(patient.url, headers=begun)
    code, why = _error(await heard.receive())
    assert code == -32_000
    assert why.startswith("The session was ended")
    assert "Begin another with initialize" in why
    assert patient.door.cancelled == ["wait"]


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_call_at_the_end(era: str, nursery: trio.Nursery) -> None:
    """A call whose server ends is answered first, though the end is a cancellation."""
    door = ToyDoor()
    with trio.CancelScope() as scope:
        async with open_http(door, VERSION, FREE, TOKEN) as http:
            served = Served(http.url, door)
            headers = MODERN
            if era == "legacy":
                async with httpx2.AsyncClient(headers=HEADERS) as client:
                    headers = await session(client, http.url)
            heard = await _waiting(nursery, served, headers)
            scope.cancel()
    code, why = _error(await heard.receive())
    assert code == -32_000
    assert "Start it again" in why
    assert door.cancelled == ["wait"]


async def test_call_under_the_old_token(patient_http: tuple[Http, Served]) -> None:
    """A call that came with a token which is no good any more ends, and its client hears why."""
    http, served = patient_http
    async with httpx2.AsyncClient(headers=HEADERS) as client, trio.open_nursery() as nursery:
        heard = await _waiting(nursery, served, await session(client, served.url))
        http.renew("n" * 43)
        assert "Come with the new one" in _error(await heard.receive())[1]
        await until(lambda: served.door.cancelled == ["wait"])


async def test_cut_off_in_its_request(patient_http: tuple[Http, Served]) -> None:
    """Who is still saying what it wants hears why nobody listens any more."""
    http, served = patient_http
    async with raw(served, f"Content-Length: {len(HELLO)}") as stream:
        await stream.send_all(HELLO[:-1])
        await trio.testing.wait_all_tasks_blocked(0.1)
        http.renew("n" * 43)
        heard = await everything(stream)
    assert heard.startswith("HTTP/1.1 503")
    assert "Come with the new one" in heard


async def test_left_before_a_new_token(
    patient_http: tuple[Http, Served], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a client had is given up to its end, whatever token there is by then."""
    http, served = patient_http
    door, gone = served.door, list[str]()

    async def leave(client: str) -> None:
        await door.go.wait()
        gone.append(client)

    monkeypatch.setattr(door, "leave", leave)
    async with httpx2.AsyncClient(headers=HEADERS) as client:
        begun = await session(client, served.url)
        await client.delete(served.url, headers=begun)
    await trio.testing.wait_all_tasks_blocked(0.05)
    http.renew("n" * 43)
    door.go.set()
    await until(lambda: gone == [begun["Mcp-Session-Id"]])


async def test_left_once_its_calls_are_over(autojump_clock: trio.testing.MockClock) -> None:
    """What a client had is given up when no call of it can open more."""
    crowd, door = Crowd(Timeouts()), ToyDoor()
    counted = crowd.counted(door)
    order: list[str] = []

    async def app(scope: Scope, receive: object, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    async def call() -> None:
        with crowd.calling("one"):
            await trio.sleep(1)
            order.append("over")

    async def leave(client: str) -> None:
        order.append("left")

    door.leave = leave  # type: ignore[method-assign]
    assert counted is not door
    async with trio.open_nursery() as nursery:
        nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked()
        scope = {"method": "DELETE", "headers": [(b"mcp-session-id", b"one")]}
        await crowd.serve(app, scope, listing, unheard)
    assert order == ["over", "left"]


async def test_closed_behind_an_answer(patient: Served) -> None:
    """A client that wants its connection closed behind the answer has it closed."""
    with trio.move_on_after(3) as limit:
        async with raw(patient, "Connection: close", f"Content-Length: {len(HELLO)}") as stream:
            await stream.send_all(HELLO)
            assert '"serverInfo"' in await everything(stream)
    assert not limit.cancelled_caught
