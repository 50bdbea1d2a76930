"""The handshake before the SDK is there says what the SDK would have said."""

import json
from typing import Any

import mcp_types as types
import pytest
import trio
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from bridge.mcp.envelope import Message, read
from bridge.mcp.hello import VERSIONS, greeting
from bridge.mcp.server import make_server
from tests.support.toy_door import ToyDoor

CAPABILITIES = [
    {},
    {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}},
    {"sampling": {"context": {}, "tools": {}}, "elicitation": {"form": {}, "url": {}}},
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


async def sdk_says(message: Message) -> Any:
    server = make_server(ToyDoor(), "1.2.3")
    async with (
        create_client_server_memory_streams() as ((read, write), theirs),
        trio.open_nursery() as nursery,
    ):
        nursery.start_soon(server.run, *theirs, server.create_initialization_options())
        request = types.JSONRPCRequest.model_validate(message.body)
        await write.send(SessionMessage(request))
        reply = await read.receive()
        nursery.cancel_scope.cancel()
    assert isinstance(reply, SessionMessage)
    return reply.message.model_dump(by_alias=True, exclude_unset=True)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("capabilities", CAPABILITIES)
async def test_same_answer(version: str, capabilities: dict[str, Any]) -> None:
    """Both answers are the same, for every version and the usual capabilities."""
    message = handshake(protocolVersion=version, capabilities=capabilities)
    answer = greeting(message, "1.2.3", ToyDoor.instructions)
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
        {"capabilities": {"tasks": {}}},
        {"capabilities": {"roots": {"listChanged": 1}}},
        {"capabilities": {"sampling": {"tools": {"a": 1}}}},
        {"capabilities": {"roots": []}},
        {"clientInfo": {"name": "no version"}},
        {"clientInfo": {"name": "a", "version": 1}},
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
