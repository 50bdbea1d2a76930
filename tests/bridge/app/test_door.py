"""The real door: which tools it offers, without a browser."""

from pathlib import Path

import pytest
import trio

from bridge import __version__
from bridge.app.door import open_door
from bridge.errors import UsageError
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.timeouts import Timeouts
from launcher.options import LaunchOptions
from tests.support.door import Client


async def names(folder: Path, serve: ServeOptions) -> set[str]:
    launch = LaunchOptions(data_dir=folder, isolated=True, headless=True)
    policy = Policy.from_options(PolicyOptions(unsafe_all_domains=True, enable_mutations=True))
    async with open_door(launch, serve, policy, Timeouts()) as door:
        return {card.name for card in door.cards(can_ask=False)}


async def test_offer(tmp_path: Path) -> None:
    """The default sets are on offer, under their own names, and nothing is started."""
    assert {"status", "navigate"} <= await names(tmp_path, ServeOptions())
    assert list(await trio.Path(tmp_path).iterdir()) == []


async def test_prefix(tmp_path: Path) -> None:
    """A prefix is put before every name."""
    found = await names(tmp_path, ServeOptions(tool_prefix="browser_"))
    assert all(name.startswith("browser_") for name in found)


async def test_toolsets(tmp_path: Path) -> None:
    """Sets are named one by one or with commas; one that does not exist is an error."""
    core = await names(tmp_path, ServeOptions(toolsets=("core",)))
    assert core <= await names(tmp_path, ServeOptions(toolsets=("all",)))
    assert core == await names(tmp_path, ServeOptions(toolsets=("core,core",)))
    with pytest.raises(UsageError, match="nonsense"):
        await names(tmp_path, ServeOptions(toolsets=("core,nonsense",)))


async def test_version(tmp_path: Path) -> None:
    """What its status says of itself is this version, and the browser has not been started."""
    launch = LaunchOptions(data_dir=tmp_path, isolated=True, headless=True)
    policy = Policy.from_options(PolicyOptions())
    async with open_door(launch, ServeOptions(), policy, Timeouts()) as door:
        told = (await door.call("status", {}, Client())).text
    assert f"version: chrome-bridge {__version__}, " in told
    assert "The browser starts with the first call" in told
