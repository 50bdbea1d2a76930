"""A person's browser that dials in, played over a real socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio

from bridge.browser.linked import Linking
from bridge.errors import LinkError
from bridge.relay.options import LinkOptions
from bridge.relay.server import Relay, open_relay
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.transport.link import Sites
from tests.support.played_extension import HungUp, Place, Played, dial

HASTY = replace(Timeouts(), link=0.05)
ANSWERS: dict[str, dict[str, Any]] = {
    "Browser.getVersion": {
        "protocolVersion": "1.3",
        "product": "Chrome/156",
        "revision": "",
        "userAgent": "",
        "jsVersion": "",
    }
}


@pytest.fixture
async def relay(tmp_path: Path) -> AsyncIterator[Relay]:
    """Where browsers dial in."""
    async with open_relay(tmp_path / "links", "Test", Sites(visited=["*"])) as opened:
        yield opened


def linking(relay: Relay, timeouts: Timeouts = HASTY, **options: Any) -> Linking:
    """What a lifecycle would use, with nothing to prepare."""
    chosen = LinkOptions(prefer="extension", **options)
    return Linking(relay, chosen, timeouts, lambda browser: None)


async def play(played: Played) -> None:
    """Answer what a browser is asked at first."""
    try:
        while True:
            asked = await played.hear()
            await played.answer(asked, **ANSWERS.get(asked["method"], {}))
    except HungUp:
        return


@asynccontextmanager
async def dialled_in(relay: Relay, **hello: Any) -> AsyncIterator[None]:
    """A browser with the extension."""
    place = Place.read(relay.file)
    async with dial(place.port) as played, open_scope() as nursery:
        await played.enter(place.token, **hello)
        nursery.start_soon(play, played)
        yield


async def test_there(relay: Relay) -> None:
    """A browser that has dialled in is the one we get."""
    async with dialled_in(relay), linking(relay, Timeouts()).open() as (chrome, browser):
        assert (browser.kind, browser.product) == ("extension", "Chrome/156")
        assert (chrome.ownership, browser.exclusive) == ("attached", False)


async def test_comes(relay: Relay) -> None:
    """A server that has just begun waits for the extension to find it."""
    got = trio.Event()

    async def take() -> None:
        async with linking(relay, Timeouts()).open():
            got.set()

    async with open_scope() as nursery:
        nursery.start_soon(take)
        async with dialled_in(relay):
            await got.wait()


async def test_absent(relay: Relay) -> None:
    """Without one the caller hears what to do, and may call again."""
    with pytest.raises(LinkError) as caught:
        async with linking(relay).open():
            pass
    assert (caught.value.code, caught.value.retryable) == ("EXTENSION_DISCONNECTED", True)
    assert "extension status" in caught.value.hint


async def test_nobody_waits_twice(relay: Relay) -> None:
    """Once the server has been there for a while, its absence is known at once."""
    way = linking(relay, replace(Timeouts(), link=0.2))
    for longest in (1.0, 0.1):
        began = trio.current_time()
        with pytest.raises(LinkError):
            async with way.open():
                pass
        assert trio.current_time() - began < longest


async def test_comes_late(relay: Relay) -> None:
    """A browser that is there is had also when nobody waits for one any more."""
    async with dialled_in(relay):
        while [each.state for each in relay.links()] != ["connected"]:
            await trio.lowlevel.checkpoint()
        async with linking(relay, replace(Timeouts(), link=0.0)).open() as (_, browser):
            assert browser.kind == "extension"


async def test_another_name(relay: Relay) -> None:
    """A browser that is not the one asked for is named, and not taken."""
    async with dialled_in(relay, label="Home"):
        while not relay.links():
            await trio.lowlevel.checkpoint()
        with pytest.raises(LinkError) as caught:
            async with linking(relay, browser_label="Work").open():
                pass
    assert "'Work'" in caught.value.message
    assert "Home" in caught.value.message
