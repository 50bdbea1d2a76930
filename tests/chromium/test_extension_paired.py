"""A browser that finds no server by itself, and was paired by hand."""

import json
from pathlib import Path

import pytest

from bridge.relay.server import open_relay
from bridge.transport.link import Sites
from tests.support.browsers import PATIENCE
from tests.support.conditions import limit
from tests.support.linked import Everyday, in_extension, open_outside

pytestmark = [pytest.mark.chromium, pytest.mark.extension]
_TOKEN = "t" * 43


async def test_paired_for_good(everyday: Everyday, tmp_path: Path) -> None:
    """With a port and a token that stay, a browser that was paired once finds each later server."""
    folder, port = tmp_path / "elsewhere", 0  # where no native host looks
    for _ in range(3):
        async with open_relay(
            folder, "a test", Sites(visited=["*"]), timeouts=PATIENCE, port=port, token=_TOKEN
        ) as relay:
            if not port:
                port = relay.port
                text = f"{port}:{_TOKEN}"
                await order(everyday, {"do": "pair", "text": text, "remember": True})
            with limit(10.0):
                await relay.wait_link(None)
    await order(everyday, {"do": "unpair", "port": port})


async def order(everyday: Everyday, message: dict[str, object]) -> None:
    """The extension does what a page of its own asks for."""
    async with open_outside(everyday) as outside:
        said = await in_extension(outside, f"chrome.runtime.sendMessage({json.dumps(message)})")
        assert said == {"ok": True}
