"""Sizes of pictures, and how they are asked for."""

import base64
from typing import Any

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from trio.testing import MockClock

from bridge.errors import PageError
from bridge.page.screenshots import (
    LONGEST_SIDE,
    MOST_BYTES,
    MOST_PIXELS,
    TALLEST,
    fitting_scale,
)
from bridge.page.target import Target
from tests.support.fake_chrome import Asked
from tests.support.played_page import SESSION, PlayedPage, open_played_page


def _plays(
    page: PlayedPage, *, width: int = 1280, height: int = 720, density: float = 1, size: int = 9
) -> None:
    page.says["view"] = {
        "view": [0, 100, 1280, 720],
        "scroll": [0, 100],
        "size": [width, height],
        "density": density,
    }
    page.chrome.answers["Page.startScreencast"] = lambda _: {}
    page.chrome.answers["Page.stopScreencast"] = lambda _: {}
    sizes = [size, 9]
    page.chrome.answers["Page.captureScreenshot"] = lambda _: {
        "data": base64.b64encode(b"x" * sizes.pop(0)).decode()
    }


def _captures(page: PlayedPage) -> list[dict[str, Any]]:
    seen: list[Asked] = page.chrome.seen
    return [dict(asked.params) for asked in seen if asked.method == "Page.captureScreenshot"]


@given(st.floats(1, 20_000), st.floats(1, 20_000))
def test_scale_fits(width: float, height: float) -> None:
    """No side and no area is larger than models are shown; nothing is made larger."""
    scale = fitting_scale(width, height)
    assert 0 < scale <= 1
    assert max(width, height) * scale <= LONGEST_SIDE / 0.99 + 1e-6
    assert width * height * scale**2 <= MOST_PIXELS / 0.99**2 + 1


def test_scale_by_a_hair() -> None:
    """A page that is larger by a line or two is taken as it is."""
    assert fitting_scale(1280, 900) == 1
    assert fitting_scale(1280, 920) < 0.99


async def test_viewport_in_css_pixels() -> None:
    """On a dense screen the picture still has the pixels that clicks are given in."""
    async with open_played_page() as page:
        _plays(page, density=2)
        picture = await page.tab.screenshots.viewport()
        (asked,) = _captures(page)
        assert (picture.width, picture.height, picture.scale) == (1280, 720, 1)
        assert asked["clip"] == {"x": 0, "y": 100, "width": 1280, "height": 720, "scale": 0.5}
        assert "captureBeyondViewport" not in asked


async def test_tall_page() -> None:
    """A page that is too tall is cut, said to be, and scaled down."""
    async with open_played_page() as page:
        _plays(page, height=20_000)
        picture = await page.tab.screenshots.page()
        (asked,) = _captures(page)
        assert (picture.height, picture.full_height) == (LONGEST_SIDE, 20_000)
        assert asked["clip"]["height"] == TALLEST
        assert asked["captureBeyondViewport"] is True


async def test_wide_page() -> None:
    """One that is too wide as well."""
    async with open_played_page() as page:
        _plays(page, width=20_000)
        picture = await page.tab.screenshots.page()
        (asked,) = _captures(page)
        assert (picture.full_width, picture.full_height) == (20_000, 0)
        assert asked["clip"]["width"] == TALLEST


async def test_large_picture() -> None:
    """A picture above a megabyte is taken again as a JPEG."""
    async with open_played_page() as page:
        _plays(page, size=MOST_BYTES + 3)
        picture = await page.tab.screenshots.viewport()
        assert [asked["format"] for asked in _captures(page)] == ["png", "jpeg"]
        assert (picture.format, picture.retaken) == ("jpeg", True)


async def test_tab_that_draws_nothing(autojump_clock: MockClock) -> None:
    """A tab that does not answer is woken by a screencast, and from then on at once."""
    async with open_played_page() as page:
        _plays(page)
        answer = page.chrome.answers.pop("Page.captureScreenshot")
        told: list[Asked] = []

        def wake(asked: Asked) -> dict[str, Any]:
            told.append(asked)
            page.chrome.answers["Page.captureScreenshot"] = answer
            page.chrome.fake.answer(pending.pop(), answer(asked))
            return {}

        async def hold() -> None:
            pending.append(await page.chrome.asked.receive())

        pending: list[Asked] = []
        page.chrome.answers["Page.startScreencast"] = wake
        async with trio.open_nursery() as nursery:
            nursery.start_soon(hold)
            await page.tab.screenshots.viewport()
        methods = [method for method in page.chrome.methods(SESSION) if "Screen" in method]
        assert methods == ["Page.captureScreenshot", "Page.startScreencast", "Page.stopScreencast"]


async def test_tab_that_draws() -> None:
    """A tab that answers is not disturbed."""
    async with open_played_page() as page:
        _plays(page)
        await page.tab.screenshots.viewport()
        methods = [method for method in page.chrome.methods(SESSION) if "Screen" in method]
        assert methods == ["Page.captureScreenshot"]


async def test_nothing_to_take() -> None:
    """An element without a size is an error, not a picture of nothing."""
    async with open_played_page() as page:
        _plays(page)
        page.says["boxInView"] = [5, 5, 0, 0]
        target = Target(page.tab.frames.main, {"selector": "p"}, "selector 'p'")
        with pytest.raises(PageError, match="no size") as refused:
            await page.tab.screenshots.element(target)
        assert refused.value.code == "NOT_ACTIONABLE"
