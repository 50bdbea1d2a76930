"""Pictures and waits through the door."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from trio.testing import MockClock

from bridge.page.screenshots import Picture
from bridge.tools.look import said_of
from tests.support.played_page import PlayedPage, open_played_page


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab behind a door."""
    async with open_played_page() as opened:
        yield opened


def test_what_is_said_of_a_picture() -> None:
    """Size always; scale, cut and another format where there are any."""
    plain = Picture(data="A" * 4000, format="png", width=1280, height=720)
    assert said_of(plain) == "1280×720 png, 3 KB"
    odd = Picture(
        data="A" * 4000,
        format="jpeg",
        width=196,
        height=1568,
        scale=0.0957,
        full_height=20_000,
        retaken=True,
    )
    assert said_of(odd) == (
        "196×1568 jpeg, 3 KB; scaled: 1 CSS pixel is 0.0957 pixels; "
        "truncated: true, fullHeight: 20000; as jpeg, for it was larger than 1 MB"
    )
    wide = replace(plain, full_width=30_000)
    assert said_of(wide) == "1280×720 png, 3 KB; truncated: true, fullWidth: 30000"


async def test_quality_of_a_png(page: PlayedPage) -> None:
    """A quality is refused where the format knows none, instead of being left out silently."""
    assert (await page.door.refusal("screenshot", quality=5)).startswith("BAD_ARGS: a png has no")


@pytest.mark.parametrize(
    "given", [{}, {"selector": "a", "timeMs": 5}, {"selector": "a", "textContains": "b"}]
)
async def test_one_of_three(page: PlayedPage, given: dict[str, object]) -> None:
    """A wait for nothing, or for two things, is refused."""
    refusal = await page.door.refusal("wait_for", **given)
    assert "one of selector, textContains and timeMs is needed" in refusal


async def test_gone_of_a_time(page: PlayedPage) -> None:
    """A time cannot be gone: who asks for that has meant something else."""
    refusal = await page.door.refusal("wait_for", timeMs=5, gone=True)
    assert refusal.startswith("BAD_ARGS: gone:")


@pytest.mark.parametrize("given", [{"timeMs": 120_001}, {"timeMs": -1}, {"timeoutMs": 121_000}])
async def test_limits(page: PlayedPage, given: dict[str, object]) -> None:
    """Nobody waits longer than two minutes."""
    assert (await page.door.refusal("wait_for", **given)).startswith("BAD_ARGS: time")


async def test_time(page: PlayedPage, autojump_clock: MockClock) -> None:
    """A time passes, with a word to the client every five seconds."""
    assert await page.door.text("wait_for", timeMs=12_000) == "waitedMs: 12000"
    assert page.door.client.told == ["waiting for 5 s", "waiting for 10 s"]


@pytest.mark.parametrize(
    ("tool", "given", "ours"),
    [
        ("wait_for", {"text": "x"}, "textContains"),
        ("wait_for", {"time": 1}, "timeMs"),
        ("eval", {"function": "() => 1"}, "expression"),
        ("click", {"uid": "e1"}, "ref"),
        ("click", {"doubleClick": True}, "clickCount"),
    ],
)
async def test_names_of_other_servers(
    page: PlayedPage, tool: str, given: dict[str, object], ours: str
) -> None:
    """Who has the argument's name from another server is told what it is called here."""
    told = await page.door.refusal(tool, **given)
    assert told.startswith("BAD_ARGS: there is no argument")
    assert f"Did you mean {ours}?" in told
