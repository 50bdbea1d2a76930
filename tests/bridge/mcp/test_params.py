"""A request that is refused for its parameters is told which, and how to go on."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from mcp.server.context import HandlerResult
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, EmptyResult
from mcp_types.methods import validate_client_request
from pydantic import ValidationError

from bridge.mcp.asking import Context
from bridge.mcp.params import explain
from tests.support.mcp_process import open_server

_ERA = "2025-11-25"


async def _refused(method: str, params: Any) -> str:
    async def go_on(context: Context) -> HandlerResult:
        await trio.lowlevel.checkpoint()
        validate_client_request(method, _ERA, params)
        raise AssertionError("it was taken")

    with pytest.raises(MCPError) as refused:
        await explain(cast(Context, SimpleNamespace(method=method)), go_on)
    assert refused.value.code == INVALID_PARAMS
    assert refused.value.message.startswith("Invalid request parameters: ")
    assert refused.value.message.endswith(". Mend that, and send the request again.")
    return refused.value.message.partition(": ")[2].partition(". Mend")[0]


@pytest.mark.parametrize(
    ("params", "why"),
    [
        (None, "params is missing"),
        ({}, "params.name is missing"),
        ({"name": 7}, "params.name has to be a string"),
        ({"name": "a", "arguments": [1]}, "params.arguments has to be an object"),
        ({"name": "a", "_meta": 5}, "params._meta has to be an object"),
        (
            {"name": "a", "_meta": {"progressToken": []}},
            "params._meta.progressToken has to be a string or a whole number",
        ),
        (
            {"name": 7, "arguments": "x"},
            "params.arguments has to be an object; params.name has to be a string",
        ),
    ],
)
async def test_call(params: Any, why: str) -> None:
    """What is wrong with a call is named."""
    assert await _refused("tools/call", params) == why


async def test_at_second_sight() -> None:
    """So is what only the second of the SDK's checks finds."""
    async with open_server() as server:
        await server.greet()
        await server.send("tools/call", 1, name="echo", _meta={"progressToken": None})
        refused = (await server.until(1))[-1]["error"]
    assert refused["code"] == INVALID_PARAMS
    assert "params._meta.progressToken has to be a string or a whole number" in refused["message"]


async def test_words_of_others() -> None:
    """Where the SDK says what would do, that is told."""
    told = await _refused("logging/setLevel", {"level": "loud"})
    assert told.startswith("params.level is wrong: input should be 'alert'")


async def test_other_errors() -> None:
    """What is refused for another reason is refused as it was."""

    async def go_on(context: Context) -> HandlerResult:
        await trio.lowlevel.checkpoint()
        raise MCPError(INVALID_PARAMS, "of its own")

    with pytest.raises(MCPError, match="of its own"):
        await explain(cast(Context, SimpleNamespace()), go_on)


async def test_error_of_ours() -> None:
    """What goes wrong in the server is no fault of the client's."""

    async def go_on(context: Context) -> HandlerResult:
        await trio.lowlevel.checkpoint()
        return EmptyResult.model_validate({"_meta": 5})

    with pytest.raises(ValidationError):
        await explain(cast(Context, SimpleNamespace()), go_on)


async def test_before_the_handshake() -> None:
    """Whoever asks before it has said who it is is told to begin with that, and may."""
    async with open_server() as server:
        await server.send("tools/list", 1)
        refused = (await server.until(1))[-1]
        assert refused["error"]["code"] == INVALID_PARAMS
        assert "Begin with initialize" in refused["error"]["message"]
        assert "result" in await server.greet()
        await server.send("tools/list", 2)
        assert "result" in (await server.until(2))[-1]
