"""Who hears that the tools have changed."""

from typing import Any

import mcp_types as types
import pytest
import trio

from tests.support.mcp_client import ERAS, open_client
from tests.support.toy_door import ToyDoor


@pytest.fixture
def door() -> ToyDoor:
    return ToyDoor()


@pytest.mark.parametrize("era", ERAS)
async def test_tools_changed(door: ToyDoor, era: str) -> None:
    """A client learns that there are other tools now."""
    news: list[str] = []
    told = trio.Event()

    async def hear(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            news.append(message.method)
            told.set()
        await trio.lowlevel.checkpoint()

    async with open_client(door, era, message_handler=hear) as connected:
        if era == "legacy":
            await connected.call_tool("change")
            await told.wait()
        else:
            async with connected.listen(tools_list_changed=True) as events:
                await connected.call_tool("change")
                async for _event in events:
                    break
        assert "more" in {tool.name for tool in (await connected.list_tools()).tools}
