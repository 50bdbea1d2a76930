"""Refs whose document is gone, with a page played by hand."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.played_page import PlayedPage, open_played_page
from tests.support.played_page import Refusal as Given
from tests.support.scripted_chrome import settle

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


@pytest.mark.parametrize(("ref", "number"), [("e7", 7), ("f1e2", 2)])
async def test_of_another_tab(page: PlayedPage, ref: str, number: int) -> None:
    """A ref that another tab gave out is said to be of that tab, whose id is named."""
    page.chrome.say_page("B" * 32, "https://b.example/")
    await settle()
    other = await (await page.door.desk.browser()).take_over("tbbbbbbbb")
    worlds = other.worlds
    if ref.startswith("f"):
        told = {"frameId": "F1", "parentFrameId": "B" * 32}
        page.chrome.fake.event("Page.frameAttached", told, f"S-{'B' * 32}")
        await settle()
        assert worlds.prefix(other.frames.get("F1")) == "f1"
    else:
        page.says["markup"] = lambda *_: Given([number + 1, None])
        await worlds.call(other.frames.main, "markup")
    said = await page.door.refusal("get_text", ref=ref)
    assert said.startswith(f"REF_EXPIRED: {ref}: this is a ref of the tab tbbbbbbbb, and means")
    assert "Name that tab as tabId" in said
