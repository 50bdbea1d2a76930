"""The tools of a server, put together without a browser."""

import json
from pathlib import Path

from bridge.app.ways import open_ways
from bridge.app.workshop import open_tools
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.relay.options import LinkOptions
from bridge.timeouts import Timeouts
from bridge.tools.guard import Guard
from bridge.tools.secrets import Secrets
from launcher.options import LaunchOptions
from tests.support.door import Client


async def test_audit(tmp_path: Path) -> None:
    """What was called is written down by the time the block ends, without a secret."""
    launch = LaunchOptions(data_dir=tmp_path, isolated=True, headless=True)
    guard = Guard(Policy.from_options(PolicyOptions()), lambda host, level: None)
    timeouts, secrets = Timeouts(), Secrets({"WORD": "swordfish"})
    async with open_ways(launch, LinkOptions(), guard, timeouts) as ways:
        tools = open_tools(launch, ServeOptions(), ways, guard, secrets, timeouts)
        async with tools as door:
            answer = await door.call("navigate", {"url": "https://swordfish.test/"}, Client())
    assert answer.text.startswith("POLICY_DENIED")
    [line] = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert (json.loads(line)["tool"], json.loads(line)["code"]) == ("navigate", "POLICY_DENIED")
    assert "swordfish" not in line + answer.text
