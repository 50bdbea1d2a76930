"""Scrolling, with a page played by hand."""

import pytest

from bridge.page.scrolling import Way
from tests.support.acting import QUIET, events, open_acting

_PLACE = {
    "matches": 1,
    "toIt": False,
    "left": 0,
    "top": 0,
    "mostLeft": 0,
    "mostTop": 0,
    "page": True,
    "x": 5,
    "y": 5,
    "moved": False,
    "held": False,
}


@pytest.mark.parametrize(
    ("place", "way", "turned"),
    [
        ({}, Way(down=100), ["mouseWheel"]),
        ({"mostTop": 500}, Way(down=100), []),
        ({"moved": True, "mostTop": 500}, Way(down=100), []),
        ({"held": True, "mostTop": 500}, Way(down=100), ["mouseWheel"]),
        ({}, Way(top=0), []),
    ],
)
async def test_wheel(place: dict[str, object], way: Way, turned: list[str]) -> None:
    """The wheel is turned only where nothing could be scrolled by so much."""
    async with open_acting() as page:
        page.says |= {"scroll": {**_PLACE, **place}, "scrolled": QUIET}
        after = await page.tab.scrolling.scroll(None, way)
        assert events(page) == turned
        assert after.told["top"] == 0
