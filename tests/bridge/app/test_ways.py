"""The ways to a browser of one server, without any browser."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import trio

from bridge.app.ways import Ways, open_ways
from bridge.browser.tab import Tab
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Level, Policy
from bridge.relay.invitation import FOLDER
from bridge.relay.options import LinkOptions
from bridge.timeouts import Timeouts
from bridge.tools.guard import Guard
from launcher.options import LaunchOptions
from tests.support.played_extension import Place, dial

ALLOWED = PolicyOptions(allow_domain=("*.a.test",), read_domain=("b.test:8080",))


def guard() -> Guard:
    """Of a server that may go to two hosts."""
    return Guard(Policy.from_options(ALLOWED), lambda host, level: None)


@asynccontextmanager
async def opened(folder: Path, link: LinkOptions, guard: Guard) -> AsyncIterator[Ways]:
    launch = LaunchOptions(data_dir=folder)
    async with open_ways(launch, link, guard, Timeouts(), client="Codex", renewals=[]) as ways:
        yield ways


async def test_no_port_unasked(tmp_path: Path) -> None:
    """Where CDP is preferred nothing listens, and no extension is told of us."""
    async with opened(tmp_path, LinkOptions(), guard()) as ways:
        assert not (tmp_path / FOLDER).exists()
        assert (ways.choice.kind, list(ways.gates)) == ("cdp", ["cdp"])
        assert ways.gate is ways.gates["cdp"]()


async def test_extension(tmp_path: Path) -> None:
    """Where the extension is preferred it is told of us, until we go."""
    link = LinkOptions(prefer="extension")
    async with opened(tmp_path, link, guard()) as ways:
        [file] = (tmp_path / FOLDER).glob("*.json")
        assert file.stat().st_mode & 0o777 == 0o600
        assert json.loads(file.read_text())["clientName"] == "Codex"
        assert set(ways.gates) == {"cdp", "extension"}
        assert ways.choice.describe() == ["backend: extension is preferred"]
    assert not file.exists()


async def test_gate_of_a_tab(tmp_path: Path) -> None:
    """A tab is held by the gate of its own browser, whichever was chosen last."""
    async with opened(tmp_path, LinkOptions(prefer="extension"), guard()) as ways:
        assert ways.gate is ways.gates["extension"]()
        for kind, way in (("extension", "extension"), ("websocket", "cdp"), ("pipe", "cdp")):
            tab = SimpleNamespace(session=SimpleNamespace(connection=SimpleNamespace(kind=kind)))
            assert ways.gate_of(cast(Tab, tab)) is ways.gates[way]()


async def test_nothing_to_fall_back_to(tmp_path: Path) -> None:
    """Without a fallback there is one way alone."""
    link = LinkOptions(prefer="extension", fallback=False)
    async with opened(tmp_path, link, guard()) as ways:
        assert list(ways.gates) == ["extension"]


async def test_grants_are_told(tmp_path: Path) -> None:
    """What the user allows later is told to the extension that is there."""
    guarded = guard()
    async with opened(tmp_path, LinkOptions(prefer="extension"), guarded):
        [file] = (tmp_path / FOLDER).glob("*.json")
        place = Place.read(file)
        async with dial(place.port) as played:
            welcome = await played.enter(place.token)
            assert welcome["sites"] == {"visited": ["*.a.test", "b.test:8080"], "never": []}
            await played.say("Target.targetInfoChanged")  # whatever: we are heard
            await trio.testing.wait_all_tasks_blocked(0.01)
            wider = guarded.policy.with_grant("c.test", Level.READ)
            for tell in guarded.watchers:
                tell(wider)
            told = await played.hear()
            assert told["method"] == "Bridge.setPolicy"
            assert "c.test" in told["params"]["sites"]["visited"]


async def test_renewed(tmp_path: Path) -> None:
    """Whoever renews tokens renews that of the link as well."""
    renewals: list[Callable[[], None]] = []
    launch, link = LaunchOptions(data_dir=tmp_path), LinkOptions(prefer="extension")
    async with open_ways(launch, link, guard(), Timeouts(), renewals=renewals):
        [file] = (tmp_path / FOLDER).glob("*.json")
        before = Place.read(file)
        for renew in renewals:
            renew()
        after = Place.read(file)
    assert (after.port, after.server_id) == (before.port, before.server_id)
    assert after.token != before.token
