"""Refs whose document is gone, with a page played by hand."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.played_page import PlayedPage, open_played_page

TEXT = '- heading "Cart"\n- button "Buy \\"now\\"" [ref=e3] [focused]'


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """Once looked at; then its library knows none of the refs it gave."""
    async with open_played_page() as played:
        answer: dict[str, Any] = {
            "text": TEXT,
            "frames": [],
            "inView": None,
            "suspects": 0,
            "internals": 0,
        }
        played.says["snapshot"] = lambda *_: answer
        await played.door.text("snapshot")
        played.refuses("text", "REF_EXPIRED", "the element of this ref is not in the page any more")
        yield played


async def test_candidates(page: PlayedPage) -> None:
    """What the element was is said, and what is called so now, with its ref."""
    page.says["alike"] = lambda head: ['"button \\"Buy\\" [ref=e9]"']
    told = await page.door.refusal("get_text", ref="e3")
    assert page.calls[-1] == ("alike", ['button "Buy \\"now\\""'])
    first, hint = told.splitlines()
    assert first.startswith("REF_EXPIRED: e3: the element of this ref is not in the page any more;")
    assert first.endswith('now there: "button \\"Buy\\" [ref=e9]"')
    assert hint.startswith("Look at the page again")


async def test_none(page: PlayedPage) -> None:
    """Where nothing is called so any more, what it was is said all the same."""
    page.says["alike"] = []
    told = await page.door.refusal("get_text", ref="e3")
    assert told.splitlines()[0].endswith('it was "button \\"Buy \\\\\\"now\\\\\\"\\""')


@pytest.mark.parametrize("ref", ["e33", "e4"])
async def test_unknown(page: PlayedPage, ref: str) -> None:
    """Of a ref that no snapshot gave out there is nothing to say."""
    told = await page.door.refusal("get_text", ref=ref)
    assert "it was" not in told
    assert "alike" not in [name for name, _ in page.calls]


async def test_known_already(page: PlayedPage) -> None:
    """What the library has found itself is not looked for again."""
    page.refuses("text", "REF_EXPIRED", "gone; now there: x", candidates=["x"])
    assert "it was" not in await page.door.refusal("get_text", ref="e3")


async def test_page_that_does_not_answer(page: PlayedPage) -> None:
    """A page that cannot say what is called so now costs the answer nothing."""
    page.refuses("alike", "BAD_ARGS", "no")
    assert "it was" in await page.door.refusal("get_text", ref="e3")
