"""Clients that have gone, with a word or without: the door is told, and of nobody else."""

import httpx2
import pytest
import trio
import trio.testing

from bridge.mcp.crowd import Crowd, Scope
from bridge.timeouts import Timeouts
from tests.bridge.mcp.test_crowd import HEADERS, listing, patient, session, unanswered
from tests.bridge.mcp.test_http import Served
from tests.support.conditions import until
from tests.support.toy_door import ToyDoor

__all__ = ["patient"]
# The SDK's client leaves the streams of its HTTP library to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http(x|core)2:ResourceWarning")


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
        await crowd.serve(app, scope, listing, unanswered)

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
        await crowd.serve(app, scope, listing, unanswered)

    async def leave(client: str) -> None:
        door.gone.append(client)
        await ask("back")

    door.leave = leave  # type: ignore[method-assign]
    for who in ("gone", "back"):
        await ask(who)
    with trio.move_on_after(1_900):
        await crowd.miss()
    assert door.gone == ["gone"]
