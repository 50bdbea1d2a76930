"""What is answered before the SDK is there is what the SDK would have answered."""

import json
from contextlib import suppress
from typing import Any

import mcp_types as types
import pytest
import trio
import trio.testing
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from bridge.mcp.early import Early
from bridge.mcp.envelope import Message, read
from bridge.mcp.hello import VERSIONS, Hello, greeting
from bridge.mcp.server import make_server
from bridge.mcp.wire import open_wire
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from tests.support.mcp_client import VERSION
from tests.support.toy_door import ToyDoor

CAPABILITIES = [
    {},
    {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}},
    {"sampling": {"context": {}, "tools": {}}, "elicitation": {"form": {}, "url": {}}},
    {"elicitation": {"form": {"applyDefaults": True}}, "experimental": {"a": {"b": [1]}}},
    {"tasks": {"list": {}, "cancel": {}, "requests": {"elicitation": {"create": {}}}}},
    {"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}},
]


def handshake(**changed: Any) -> Message:
    params = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a client", "version": "1"},
        **changed,
    }
    body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    (found,) = read(json.dumps(body).encode())
    assert isinstance(found, Message)
    return found


def request(method: str, number: object = 1, **params: Any) -> Message:
    body = {"jsonrpc": "2.0", "id": number, "method": method}
    (found,) = read(json.dumps({**body, **({"params": params} if params else {})}).encode())
    assert isinstance(found, Message)
    return found


INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


async def sdk_says(*messages: Message) -> Any:
    """The SDK's answer to the last of these."""
    server = make_server(ToyDoor(), VERSION)
    async with (
        create_client_server_memory_streams() as ((reading, writing), theirs),
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(server.run, *theirs, server.create_initialization_options())
        for message in messages:
            await writing.send(SessionMessage(types.JSONRPCRequest.model_validate(message.body)))
            reply = await reading.receive()
        nursery.cancel_scope.cancel()
    assert isinstance(reply, SessionMessage)
    return reply.message.model_dump(by_alias=True, exclude_unset=True)


class Peer:
    """Says lines, one whenever the other side has nothing to do, and keeps what it gets."""

    def __init__(self, *lines: bytes) -> None:
        self._lines = list(lines)
        self._got = b""

    async def read(self) -> bytes:
        await trio.testing.wait_all_tasks_blocked()
        return self._lines.pop(0) + b"\n" if self._lines else b""

    async def write(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        self._got += data

    @property
    def got(self) -> list[Any]:
        return [json.loads(line) for line in self._got.splitlines()]


async def attended(*lines: bytes, door: ToyDoor | None = None) -> tuple[list[Any], Hello]:
    """What a client that says this gets from us alone, and what is left for the SDK."""
    peer = Peer(*lines)
    async with open_wire(peer, peer, Timeouts()) as wire, open_scope() as calls:
        hello = Hello(wire, VERSION)
        with suppress(trio.EndOfChannel):
            await hello.greet(ToyDoor.instructions)
            await hello.attend(door or ToyDoor(), Early(wire, calls))
    return peer.got, hello


def line(message: Message) -> bytes:
    return json.dumps(message.body).encode()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("capabilities", CAPABILITIES)
async def test_same_answer(version: str, capabilities: dict[str, Any]) -> None:
    """Both answers are the same, for every version and the usual capabilities."""
    message = handshake(protocolVersion=version, capabilities=capabilities)
    answer = greeting(message, VERSION, ToyDoor.instructions)
    assert answer is not None
    assert json.loads(answer) == await sdk_says(message)


def test_versions() -> None:
    """The versions with a handshake are those the SDK knows."""
    assert set(VERSIONS) == set(HANDSHAKE_PROTOCOL_VERSIONS)


@pytest.mark.parametrize(
    "changed",
    [
        {"protocolVersion": "2026-07-28"},
        {"protocolVersion": 5},
        {"protocolVersion": ["2025-06-18"]},
        {"capabilities": None},
        {"capabilities": {"tricks": {"a": {}}}},
        {"capabilities": {"tasks": {"requests": {"elicitation": {"create": 1}}}}},
        {"capabilities": {"roots": {"listChanged": 1}}},
        {"capabilities": {"sampling": {"tools": 1}}},
        {"capabilities": {"experimental": {"a": True}}},
        {"capabilities": {"roots": []}},
        {"clientInfo": {"name": "no version"}},
        {"clientInfo": {"name": "a", "version": 1}},
        {"clientInfo": {"name": "a", "version": "1", "icons": [{"src": "https://a/"}]}},
        {"clientInfo": "a"},
        {"_meta": {"progressToken": 1}},
    ],
)
def test_out_of_the_ordinary(changed: dict[str, Any]) -> None:
    """Whatever is unusual is left to the SDK."""
    assert greeting(handshake(**changed), "", "") is None


def test_other_messages() -> None:
    """Only a handshake is greeted."""
    for line in (b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","method":"a"}'):
        (message,) = read(line)
        assert isinstance(message, Message)
        assert greeting(message, "", "") is None


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("capabilities", [*CAPABILITIES, {"elicitation": {"url": {}}}])
async def test_same_tools(version: str, capabilities: dict[str, Any]) -> None:
    """The list of tools is the SDK's, whatever the client can do, and so is the pong."""
    first = handshake(protocolVersion=version, capabilities=capabilities)
    nothing = ("resources/list", "resources/templates/list", "prompts/list")
    noted = request("tools/list", _meta={"progressToken": 1, "a.note": 2})
    for asked in (request("tools/list"), noted, request("ping", "p"), *map(request, nothing)):
        got, _ = await attended(line(first), INITIALIZED, line(asked))
        assert got[-1] == await sdk_says(first, asked)


async def test_handed_over() -> None:
    """At the first message that is anything else the SDK takes over; what it needs is kept."""
    call = request("tools/call", 2, name="echo", _meta={"mcp.dev/a": 1})
    lines = [line(handshake()), INITIALIZED, line(request("ping")), line(call)]
    door = ToyDoor()
    got, hello = await attended(*lines, line(request("ping", 3)), door=door)
    assert door.expected == ["echo"]
    assert [each["id"] for each in got] == [0, 1]
    assert [each.method for each in hello.heard] == [
        "initialize",
        "notifications/initialized",
        "tools/call",
    ]
    assert hello.greeted


@pytest.mark.parametrize(
    "asked",
    [
        request("tools/list", cursor="x"),
        request("ping", _meta={"mcp.dev/a": 1}),
        request("initialize"),
    ],
)
async def test_unusual_requests(asked: Message) -> None:
    """A request with anything in it is the SDK's."""
    got, hello = await attended(line(handshake()), line(asked))
    assert len(got) == 1
    assert hello.heard[-1].body == asked.body


async def test_unusual_beginning() -> None:
    """After a handshake that was not answered here, nothing is."""
    first = handshake(protocolVersion="1999-01-01")
    got, hello = await attended(line(first), line(request("ping")))
    assert got == []
    assert (hello.greeted, [each.method for each in hello.heard]) == (False, ["initialize"])
