"""Calls that come before the SDK is there get the answers the SDK would have given."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
import trio.testing

from bridge.mcp.early import Early, Plain
from bridge.mcp.envelope import Message
from bridge.mcp.wire import UNSENT, open_wire
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from tests.bridge.mcp.test_hello import handshake, request, sdk_says
from tests.support.toy_door import ToyDoor


class Sink:
    """A client that keeps what it gets, and says nothing."""

    def __init__(self) -> None:
        self.got: list[Any] = []
        self.reads = trio.Event()
        self.reads.set()

    async def read(self) -> bytes:
        await trio.sleep_forever()
        raise AssertionError

    async def write(self, data: bytes) -> None:
        await self.reads.wait()
        self.got += map(json.loads, data.splitlines())


class Played:
    """Early calls of one client at a toy door."""

    def __init__(self, early: Early, sink: Sink, client: Plain) -> None:
        self.door = ToyDoor()
        self.early = early
        self.sink = sink
        self._client = client

    def take(self, message: Message) -> bool:
        return self.early.take(message, self.door, self._client)

    async def got(self) -> list[Any]:
        await trio.testing.wait_all_tasks_blocked()
        return self.sink.got


@pytest.fixture
def played() -> Callable[[], Any]:
    @asynccontextmanager
    async def play() -> AsyncIterator[Played]:
        sink = Sink()
        async with open_wire(sink, sink, Timeouts()) as wire, open_scope() as nursery:
            yield Played(Early(wire, nursery), sink, Plain(wire, "a client"))

    return play


def call(name: str, number: object = 1, **arguments: Any) -> Message:
    return request("tools/call", number, name=name, arguments=arguments)


@pytest.mark.parametrize("name", ["echo", "picture", "half", "large", "none such"])
async def test_same_answer(name: str, played: Callable[[], Any]) -> None:
    """Texts, pictures, errors and halves of characters leave as the SDK sends them."""
    asked = call(name, size=10) if name == "large" else call(name)
    async with played() as calls:
        assert calls.take(asked)
        assert await calls.got() == [await sdk_says(handshake(), asked)]


async def test_notes_of_a_client(played: Callable[[], Any]) -> None:
    """What clients note beside a call for themselves changes nothing."""
    notes = {"progressToken": 1, "claudecode/toolUseId": "a", "vscode.conversationId": "b"}
    asked = request("tools/call", 4, name="echo", arguments={"a": 1}, _meta=notes)
    async with played() as calls:
        assert calls.take(asked)
        assert await calls.got() == [await sdk_says(handshake(), asked)]


@pytest.mark.parametrize(
    "asked",
    [
        request("tools/call", name="echo", _meta={"io.modelcontextprotocol/related-task": {}}),
        request("tools/call", name="echo", _meta={"mcp.dev/a": 1}),
        request("tools/call", name="echo", task={}),
        request("tools/call", name="echo", _meta={"progressToken": True}),
        request("tools/call", name="echo", _meta={"progressToken": 1.5}),
        request("tools/call", name="echo", _meta=[]),
        request("tools/call", name=5),
        request("tools/call", name="echo", arguments=[]),
        request("tools/call", arguments={}),
        request("tools/call"),
        request("tools/list"),
    ],
)
async def test_more_than_plain(asked: Message, played: Callable[[], Any]) -> None:
    """Whatever is not just a name, arguments and a wish for progress is left to the SDK."""
    async with played() as calls:
        assert not calls.take(asked)
        assert calls.door.begun == []


async def test_side_by_side(played: Callable[[], Any]) -> None:
    """A long call holds up no other."""
    async with played() as calls:
        assert calls.take(call("wait", 1))
        assert calls.take(call("echo", 2, a=1))
        assert [each["id"] for each in await calls.got()] == [2]
        calls.door.go.set()
        assert [each["id"] for each in await calls.got()] == [2, 1]


async def test_taken_back(played: Callable[[], Any]) -> None:
    """A cancelled call ends and gets no answer; of others' calls nothing is known here."""
    async with played() as calls:
        calls.take(call("wait", 7))
        await calls.got()
        back = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        for found, known in ((8, False), ([7], False), (7, True)):
            notice = request("notifications/cancelled", requestId=found)
            notice.body.update(back)
            assert calls.take(notice) is known
        assert await calls.got() == []
        assert calls.door.cancelled == ["wait"]


async def test_nobody_reads(
    played: Callable[[], Any], autojump_clock: trio.testing.MockClock
) -> None:
    """Answers that a client does not read do not hold up the end."""
    async with played() as server:
        server.sink.reads = trio.Event()
        for number in range(9):
            assert server.take(call("large", number, size=UNSENT // 4))
        await trio.testing.wait_all_tasks_blocked()
        began = trio.current_time()
    assert trio.current_time() - began == pytest.approx(Timeouts().flush)


async def test_tools_change(played: Callable[[], Any]) -> None:
    """A client whose call changed the tools is told, before it has the answer."""
    async with played() as calls:
        calls.take(call("change", 3))
        notice, answer = await calls.got()
        assert notice["method"] == "notifications/tools/list_changed"
        assert answer["id"] == 3


async def test_nobody_to_ask(played: Callable[[], Any]) -> None:
    """Who cannot be asked declines."""
    asked = call("ask")
    async with played() as calls:
        calls.take(asked)
        assert await calls.got() == [await sdk_says(handshake(), asked)]
        assert not calls.door.callers[0].can_ask


@pytest.mark.parametrize("token", [0, 1, "a"])
async def test_progress(token: str | int, played: Callable[[], Any]) -> None:
    """Whoever gave a token is told how far its call is, as the SDK tells it."""
    asked = request("tools/call", name="steps", _meta={"progressToken": token})
    async with played() as calls:
        assert calls.take(asked)
        *steps, answer = await calls.got()
        assert [step["params"]["message"] for step in steps] == ["step 1", "step 2", "step 3"]
        assert steps[0] == await sdk_says(handshake(), asked)
        assert answer["id"] == asked.body["id"]


async def test_progress_under_half_a_character(played: Callable[[], Any]) -> None:
    """A token that no UTF-8 can carry costs the call nothing."""
    async with played() as calls:
        calls.take(request("tools/call", 7, name="steps", _meta={"progressToken": "\ud83d"}))
        *steps, answer = await calls.got()
        assert [step["params"]["progressToken"] for step in steps] == ["?"] * 3
        assert answer["id"] == 7


async def test_no_progress(played: Callable[[], Any]) -> None:
    """Whoever gave none is told nothing before the answer."""
    async with played() as calls:
        calls.take(request("tools/call", 3, name="steps", _meta={"progressToken": 1}))
        calls.take(request("tools/call", 4, name="steps"))
        got = await calls.got()
        assert {each["id"] for each in got if "id" in each} == {3, 4}
        assert len(got) == 5
