"""The real door: open before its tools are there, and without a browser."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
import trio
import trio.testing

from bridge import __version__
from bridge.app.door import OPENERS, Entrance, open_door
from bridge.errors import UsageError
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Effect, Policy
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.tools import catalogue as catalogue
from bridge.tools.answer import Answer, Caller, Card, Question
from bridge.tools.call import Tools
from bridge.tools.guard import Guard
from bridge.tools.toolsets import Toolsets
from launcher.options import LaunchOptions
from tests.support.door import Client


async def names(folder: Path, serve: ServeOptions) -> set[str]:
    launch = LaunchOptions(data_dir=folder, isolated=True, headless=True)
    policy = Policy.from_options(PolicyOptions(unsafe_all_domains=True, enable_mutations=True))
    async with open_door(launch, serve, policy, Timeouts()) as door:
        return {card.name for card in await door.cards(can_ask=False)}


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


class Shop:
    """Tools as a door sees them."""

    def __init__(self) -> None:
        self.expected: list[str] = []

    async def cards(self, *, can_ask: bool) -> list[Card]:
        return []

    def expect(self, name: str) -> None:
        self.expected.append(name)

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        return Answer(text=f"{name} was done")


@dataclass
class Waiting:
    """An entrance without tools, and how often it wanted a browser."""

    started: int = 0
    entrance: Entrance = field(init=False)

    def __post_init__(self) -> None:
        options = PolicyOptions(allow_domain=("a.test",))
        guard = Guard(Policy.from_options(options), lambda host, level: None)
        self.entrance = Entrance(guard, "my_", self.start)

    def start(self) -> None:
        self.started += 1


@pytest.mark.parametrize(
    ("name", "arguments", "started"),
    [
        ("my_navigate", {"url": "https://a.test/"}, 1),
        ("my_tab_new", {"url": "https://a.test/"}, 1),
        ("my_tab_new", {}, 0),
        ("my_navigate", {"url": "https://a.test/", "bogus": 1}, 0),
        ("my_navigate", {"url": "https://b.test/"}, 0),
        ("my_navigate", {"url": 7}, 0),
        ("my_navigate", None, 0),
        ("my_navigate", ["https://a.test/"], 0),
        ("navigate", {"url": "https://a.test/"}, 0),
        ("my_status", {}, 0),
    ],
)
async def test_before_the_tools(name: str, arguments: object, started: int) -> None:
    """A call that is sure to need a browser starts one while the tools come; any waits for them."""
    waiting, shop, answers = Waiting(), Shop(), list[str]()

    async def call() -> None:
        await waiting.entrance.ready(name, arguments)
        answers.append((await waiting.entrance.call(name, {}, Client())).text)

    async with open_scope() as nursery:
        nursery.start_soon(call)
        await trio.testing.wait_all_tasks_blocked()
        assert (waiting.started, answers) == (started, [])
        waiting.entrance.expect(name)
        waiting.entrance.admit(cast(Tools, shop))
        await trio.testing.wait_all_tasks_blocked()
        await call()
        waiting.entrance.expect(name)
    assert waiting.entrance.wanted.is_set() is (not started)
    assert answers == [f"{name} was done"] * 2
    assert (waiting.started, shop.expected) == (started, [name])
    assert await waiting.entrance.cards(can_ask=False) == []


def test_openers() -> None:
    """What starts a browser before the tools are there are tools that go somewhere."""
    toolsets = Toolsets(())
    found = [toolsets.find(name) for name in OPENERS]
    assert {tool.effect for tool in found if tool is not None} == {Effect.NAVIGATE}
    assert None not in found


async def test_ended_by_force(tmp_path: Path) -> None:
    """A call that is cut off because all ends is written down before the end."""
    launch = LaunchOptions(data_dir=tmp_path, isolated=True, headless=True)
    policy = Policy.from_options(PolicyOptions())
    client = Client(can_ask=True)
    asked = trio.Event()

    async def ask(question: Question) -> str | None:
        asked.set()
        return await trio.sleep_forever()

    client.ask = ask  # type: ignore[method-assign]
    with trio.CancelScope() as everything:
        async with open_door(launch, ServeOptions(), policy, Timeouts()) as door, open_scope() as n:
            n.start_soon(door.call, "navigate", {"url": "https://a.test/"}, client)
            await asked.wait()
            everything.cancel()
            await trio.sleep_forever()
    [line] = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert (json.loads(line)["tool"], json.loads(line)["code"]) == ("navigate", "CANCELLED")


async def test_tools_that_do_not_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they cannot be loaded nobody waits for ever: the door ends with the reason."""

    def fail(name: str) -> None:
        raise ImportError(f"no {name}")

    monkeypatch.setattr("bridge.app.door.import_module", fail)
    launch = LaunchOptions(data_dir=tmp_path, isolated=True, headless=True)
    policy = Policy.from_options(PolicyOptions())
    with pytest.raises(ImportError, match=r"no bridge\.app\.workshop"):
        async with open_door(launch, ServeOptions(), policy, Timeouts()) as door:
            await door.call("status", {}, Client())
