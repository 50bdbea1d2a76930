"""Bounds of a call: asked before what changes a page, and of nobody else's call."""

import pytest

from bridge.errors import PolicyDenied
from bridge.page.bounds import bounded, check_bounds
from bridge.page.frames import Frame
from tests.support.acting import open_acting
from tests.support.played_page import PlayedPage


def _refuse(frame: Frame) -> None:
    raise PolicyDenied("POLICY_DENIED", f"not at {frame.url}")


async def _refused(page: PlayedPage, function: str, *, acting: bool) -> bool:
    try:
        with bounded(_refuse):
            await page.tab.worlds.call(page.tab.frames.main, function, acting=acting)
    except PolicyDenied:
        return True
    return False


async def test_only_what_changes_a_page() -> None:
    """A call that changes the page is not sent out of bounds; one that looks is."""
    async with open_acting() as page:
        page.says |= {"storeItem": None, "changes": {"changes": ""}}
        assert await _refused(page, "storeItem", acting=True)
        assert page.calls == []
        assert not await _refused(page, "changes", acting=False)
        await page.tab.worlds.call(page.tab.frames.main, "storeItem", acting=True)
        assert [name for name, _ in page.calls] == ["changes", "storeItem"]


async def test_over_with_the_block() -> None:
    """Outside of the block nothing is asked."""
    async with open_acting() as page:
        main = page.tab.frames.main
        with bounded(_refuse), pytest.raises(PolicyDenied):
            check_bounds(main)
        check_bounds(main)
