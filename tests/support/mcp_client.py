"""The SDK's client, in both eras of the protocol, connected to a door in memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp import Client

from bridge.mcp.server import make_server
from bridge.tools.answer import Door

ERAS = ["legacy", "auto"]  # with the handshake, and without
VERSION = "1.2.3"


@asynccontextmanager
async def open_client(door: Door, era: str, **options: Any) -> AsyncIterator[Client]:
    """A client of this door."""
    async with Client(make_server(door, VERSION), mode=era, **options) as connected:
        yield connected


def text_of(result: types.CallToolResult) -> str:
    """The text block an answer begins with."""
    first = result.content[0]
    assert isinstance(first, types.TextContent)
    return first.text
