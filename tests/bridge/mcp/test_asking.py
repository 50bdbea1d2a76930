"""Questions to the user behind a client, in both eras of the protocol."""

from typing import Any

import mcp_types as types
import pytest
import trio
from mcp.client.context import ClientRequestContext
from mcp.server.runner import modern_on_request
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher, _JSONRPCDispatchContext
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.transport_context import TransportContext

from bridge.mcp.server import make_server
from tests.support.mcp_client import ERAS, VERSION, open_client, text_of
from tests.support.toy_door import ToyDoor


@pytest.fixture
def door() -> ToyDoor:
    return ToyDoor()


def answering(action: Any, choice: str = "") -> Any:
    """A client's user who decides so."""

    async def answer(context: ClientRequestContext, params: Any) -> types.ElicitResult:
        await trio.lowlevel.checkpoint()
        return types.ElicitResult(action=action, content={"choice": choice} if choice else None)

    return answer


@pytest.mark.parametrize("era", ERAS)
async def test_caller(door: ToyDoor, era: str) -> None:
    """The door learns the client's name and that its user cannot be asked."""
    info = types.Implementation(name="a client", version="1")
    async with open_client(door, era, client_info=info) as connected:
        result = await connected.call_tool("ask")
    assert [(caller.name, caller.id) for caller in door.callers] == [("a client", "")]
    assert not door.callers[0].can_ask
    assert text_of(result) == "chose None"


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("action", "choice", "chosen"),
    [("accept", "once", "once"), ("accept", "else", "None"), ("decline", "", "None")],
)
async def test_ask(door: ToyDoor, era: str, action: str, choice: str, chosen: str) -> None:
    """The user's choice reaches the tool; a refusal, or an option that was not there, is None."""
    answer = answering(action, choice)
    async with open_client(door, era, elicitation_callback=answer) as connected:
        assert "ask" in {tool.name for tool in (await connected.list_tools()).tools}
        assert text_of(await connected.call_tool("ask")) == f"chose {chosen}"


@pytest.mark.parametrize("era", ERAS)
async def test_ask_twice(door: ToyDoor, era: str) -> None:
    """Two questions of one call are both answered, each once."""
    asked: list[str] = []

    async def answer(context: ClientRequestContext, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        await trio.lowlevel.checkpoint()
        choice = "once" if len(asked) == 1 else "no"
        return types.ElicitResult(action="accept", content={"choice": choice})

    async with open_client(door, era, elicitation_callback=answer) as connected:
        assert text_of(await connected.call_tool("ask_twice")) == "chose once, no"
    assert asked == ["May it?", "And that?"]


async def test_comes_again(door: ToyDoor) -> None:
    """Without a back channel the call ends where it asks, and comes again with the answer."""
    accept = answering("accept", "once")
    async with open_client(door, "auto", elicitation_callback=accept) as connected:
        await connected.call_tool("ask")
    assert door.begun == ["ask", "ask"]


async def ask_raw(door: ToyDoor, state: str, **responses: Any) -> dict[str, Any]:
    """The call as a client of 2026-07-28 repeats it, with whatever it likes to send back."""
    server = make_server(door, VERSION)
    handle = modern_on_request(server, None)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }
    params = {"name": "ask", "_meta": meta, "requestState": state, "inputResponses": responses}
    async with create_client_server_memory_streams() as (_, (read, write)):
        dispatcher = JSONRPCDispatcher[TransportContext](read, write)
        context = _JSONRPCDispatchContext(
            TransportContext(kind="test", can_send_request=False), dispatcher, 1
        )
        return await handle(context, "tools/call", params)


@pytest.mark.parametrize("state", ["", "no JSON", "[]", '{"a": 5}', '{"other": "once"}'])
async def test_state_of_another_question(door: ToyDoor, state: str) -> None:
    """Nonsense sent back, or the answer to another question, answers nothing: it is asked again."""
    accepted = {"action": "accept", "content": {"choice": "once"}}
    answer = await ask_raw(door, state, other=accepted)
    assert answer["resultType"] == "input_required"


async def test_form(door: ToyDoor) -> None:
    """The question is a form with one choice, whose options have titles."""
    answer = await ask_raw(door, "")
    (asked,) = answer["inputRequests"].values()
    assert asked["params"]["message"] == "May it?"
    assert asked["params"]["requestedSchema"] == {
        "type": "object",
        "properties": {
            "choice": {
                "type": "string",
                "title": "Your decision",
                "oneOf": [
                    {"const": "once", "title": "Allow once"},
                    {"const": "no", "title": "No"},
                ],
            }
        },
        "required": ["choice"],
    }
