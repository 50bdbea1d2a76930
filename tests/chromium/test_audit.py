"""What the audit of a served browser says of calls that had no answer."""

import json
import sys

import pytest

from tests.support.ground import Ground, ground
from tests.support.mcp_calls import command, open_agent

if sys.platform == "win32":
    pytest.skip("POSIX pipes", allow_module_level=True)

__all__ = ["ground"]
pytestmark = pytest.mark.chromium


async def test_no_answer(ground: Ground) -> None:
    """A call taken back, and one whose client has hung up, say so, and where and how long."""
    async with open_agent(*command(ground, "--isolated")) as agent:
        await agent.well("navigate", url="about:blank")
        taken_back = await agent.begin("wait_for", timeMs=30_000)
        await agent.well("tabs_list")
        await agent.cancel(taken_back)
        await agent.begin("wait_for", timeMs=30_000)
        await agent.well("tabs_list")
        assert await agent.server.end() == 0
    lines = (ground.data / "audit.jsonl").read_text().splitlines()
    waits = [line for line in map(json.loads, lines) if line["tool"] == "wait_for"]
    assert [(line["ok"], line["code"]) for line in waits] == [(False, "CANCELLED")] * 2
    for line in waits:
        assert line["args"] == {"timeMs": 30_000}
        assert line["tab"]
        assert 0 < line["ms"] < 30_000
    await ground.assert_clean()
