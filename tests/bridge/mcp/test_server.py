"""The door over MCP, with the SDK's own client, in both eras of the protocol."""

import mcp_types as types
import pytest
import trio

from tests.support.mcp_client import ERAS, VERSION, open_client, text_of
from tests.support.toy_door import PIXEL, ToyDoor


@pytest.fixture
def door() -> ToyDoor:
    return ToyDoor()


@pytest.mark.parametrize("era", ERAS)
async def test_list(door: ToyDoor, era: str) -> None:
    """A listed tool has what its card says; hints that are the protocol's defaults are left out."""
    async with open_client(door, era) as connected:
        tools = {tool.name: tool for tool in (await connected.list_tools()).tools}
    echo = tools["echo"].model_dump(by_alias=True, exclude_none=True)
    assert echo == {
        "name": "echo",
        "title": "Echo",
        "description": "The tool echo.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": {"readOnlyHint": True},
    }
    assert tools["change"].annotations is None
    assert "ask" not in tools


@pytest.mark.parametrize("era", ERAS)
async def test_identity(door: ToyDoor, era: str) -> None:
    """The server says who it is, in which version, and how it is used."""
    async with open_client(door, era) as connected:
        info = connected.server_info
        assert info is not None
        assert (info.name, info.version) == ("chrome-bridge", VERSION)
        assert connected.instructions == "Use the tools."
        assert connected.server_capabilities.tools is not None
        assert connected.server_capabilities.tools.list_changed


@pytest.mark.parametrize("era", ERAS)
async def test_nothing_but_tools(door: ToyDoor, era: str) -> None:
    """Resources and prompts are not promised, and there are none for a client that asks."""
    async with open_client(door, era) as connected:
        promised = connected.server_capabilities
        assert (promised.resources, promised.prompts) == (None, None)
        assert (await connected.list_resources()).resources == []
        assert (await connected.list_resource_templates()).resource_templates == []
        assert (await connected.list_prompts()).prompts == []


@pytest.mark.parametrize("era", ERAS)
async def test_call(door: ToyDoor, era: str) -> None:
    """Arguments reach the door as they are, and the answer comes back as one text block."""
    async with open_client(door, era) as connected:
        result = await connected.call_tool("echo", {"a": [1, "zwei"], "b": None})
    assert text_of(result) == '{"a": [1, "zwei"], "b": null}'
    assert (len(result.content), result.is_error) == (1, False)
    assert result.structured_content is None


@pytest.mark.parametrize("era", ERAS)
async def test_error(door: ToyDoor, era: str) -> None:
    """What the door calls an error is the tool's error, for the model to read."""
    async with open_client(door, era) as connected:
        result = await connected.call_tool("nonsense", {})
    assert result.is_error
    assert text_of(result).startswith("UNKNOWN_TOOL")


@pytest.mark.parametrize("era", ERAS)
async def test_image(door: ToyDoor, era: str) -> None:
    """Images follow the text."""
    async with open_client(door, era) as connected:
        result = await connected.call_tool("picture")
    image = result.content[1]
    assert isinstance(image, types.ImageContent)
    assert (image.data, image.mime_type) == (PIXEL, "image/png")


@pytest.mark.parametrize("era", ERAS)
async def test_lone_surrogate(door: ToyDoor, era: str) -> None:
    """Half a surrogate pair is replaced; whole ones stay."""
    async with open_client(door, era) as connected:
        result = await connected.call_tool("half")
    assert text_of(result) == "half \ufffd of a pair, and a whole 😀"


@pytest.mark.parametrize("era", ERAS)
async def test_progress(door: ToyDoor, era: str) -> None:
    """Progress reaches the client that asked for it."""
    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))
        await trio.lowlevel.checkpoint()

    async with open_client(door, era) as connected:
        await connected.call_tool("steps", progress_callback=note)
        await connected.call_tool("steps")
    assert seen == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


@pytest.mark.parametrize("era", ERAS)
async def test_cancelled(door: ToyDoor, era: str) -> None:
    """A call the client gives up is cancelled in the door, and the next one is served."""
    async with open_client(door, era) as connected:
        with trio.move_on_after(0.05):
            await connected.call_tool("wait")
        assert text_of(await connected.call_tool("echo", {"a": 1})) == '{"a": 1}'
    assert door.cancelled == ["wait"]
