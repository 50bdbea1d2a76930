"""Tools about the server itself."""

from collections.abc import AsyncIterator

import pytest

from bridge.browser.lifecycle import State
from bridge.errors import ChromeError
from tests.bridge.tools.test_desk import A, creates
from tests.support.door import OpenDoor, open_door
from tests.support.scripted_chrome import open_scripted


@pytest.fixture
async def door() -> AsyncIterator[OpenDoor]:
    """A browser that opens one page, if asked to."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        async with open_door(browser) as opened:
            yield opened


async def test_status_starts_nothing(door: OpenDoor) -> None:
    """Asked how things are, it says so and opens no tab."""
    door.desk.version = "1.2.3"
    state, version = (await door.text("status")).split("\n")
    assert state == "state: connected"
    assert version.startswith("version: chrome-bridge 1.2.3, Python 3.")
    await door.desk.tab()
    assert "current tab: taaaaaaaa about:blank" in await door.text("status")


async def test_status_before_anything(door: OpenDoor) -> None:
    """A browser that was not started yet is told to be so by intention."""
    door.lifecycle.state = State.IDLE
    assert "starts with the first call" in await door.text("status")


async def test_status_names_what_is_wrong(door: OpenDoor) -> None:
    """The last loss, and what the policy cannot hold, are part of how things are."""
    door.lifecycle.lost = ChromeError("BROWSER_GONE", "it went")  # type: ignore[assignment]
    door.desk.gaps = lambda: ("a hole",)
    told = await door.text("status")
    assert "last loss: BROWSER_GONE: it went" in told
    assert "not held by the policy: a hole" in told


async def test_toolsets(door: OpenDoor) -> None:
    """Sets are listed, those off with their tools; once switched on, the client lists again."""
    said = await door.text("toolsets")
    assert "\ndom: off (query_dom, " in said
    assert "\nstate: off (cookies, storage)" in said
    assert "dom: on" in await door.text("toolsets", enable=["dom"])
    await door.text("toolsets", enable=["dom"])
    assert door.client.changes == 1


async def test_unknown_set(door: OpenDoor) -> None:
    """A set that does not exist is refused by name."""
    assert (await door.refusal("toolsets", enable=["x"])).startswith("BAD_ARGS: there is no set")
