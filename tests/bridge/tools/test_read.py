"""What reading tools answer, with a page played by hand."""

from collections.abc import AsyncIterator

import pytest

from bridge.tools.registry import TOOLS
from tests.support.played_page import PlayedPage, open_played_page


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab behind a door."""
    async with open_played_page() as opened:
        yield opened


def _said(text: str, *, matches: int = 1, dropped: int = 0) -> dict[str, object]:
    return {"pieces": [text], "matches": matches, "dropped": dropped, "suspects": 0}


async def test_text(page: PlayedPage) -> None:
    """Text comes inside the fence, with its address."""
    page.says["text"] = _said("Good morning")
    answer = await page.door.text("get_text")
    opening, words, closing = answer.splitlines()
    assert opening.endswith("https://a.example/ untrusted>")
    assert (words, closing[:6]) == ("Good morning", "</page")
    assert page.calls == [("text", [None])]


async def test_nothing(page: PlayedPage) -> None:
    """A page without visible text is said to be one."""
    page.says["text"] = _said(" \n")
    assert await page.door.text("get_text") == "There is no visible text."


async def test_one_of_many(page: PlayedPage) -> None:
    """A selector with several matches is said to have them."""
    page.says["text"] = _said("One", matches=7)
    answer = await page.door.text("get_text", selector="p")
    assert answer.startswith("The first visible of 7 matches:\n<page")


async def test_by_cursor(page: PlayedPage) -> None:
    """A long text is read to its end without a second look at the page."""
    text = "\n".join(f"line {number}" for number in range(1000))
    page.says["text"] = _said(text)
    read: list[str] = []
    answer = await page.door.text("get_text", maxTokens=500)
    while True:
        read += [line for line in answer.splitlines() if line.startswith("line")]
        cursor = answer.partition("cursor: ")[2].strip()
        if not cursor:
            break
        answer = await page.door.text("get_text", cursor=cursor, maxTokens=500)
    assert "\n".join(read) == text
    assert len(page.calls) == 1


async def test_too_long_to_be_read(page: PlayedPage) -> None:
    """What was left in the page is counted."""
    page.says["text"] = _said("words", dropped=1234)
    assert "1,234 more characters were not read." in await page.door.text("get_text")


async def test_markup(page: PlayedPage) -> None:
    """Markup is that of the element, or of what is in it."""
    page.says["html"] = {"text": "<p>x</p>", "matches": 1, "dropped": 0}
    assert "<p>x</p>" in await page.door.text("get_html", selector="p", outer=False)
    assert page.calls[-1] == ("html", [{"selector": "p"}, False])


async def test_both_and_neither(page: PlayedPage) -> None:
    """Both a ref and a selector are refused; neither means the page."""
    page.says["text"] = _said("Good morning")
    for name in ("get_text", "get_html", "snapshot", "screenshot"):
        assert (await page.door.refusal(name, ref="e1", selector="p")).startswith("BAD_ARGS: ref")
    assert page.calls == []


async def test_frames_in_place(page: PlayedPage) -> None:
    """A frame's text stands where the frame does; one that is ruled out is named."""
    await page.add_frame("F1", "https://b.example/ad")
    page.says["number"] = "e5"
    page.says["text"] = lambda wanted: (
        {"pieces": ["above", "e5", "below"], "matches": 1, "dropped": 0, "suspects": 0}
        if len(page.calls) == 1
        else _said("in the frame")
    )
    assert "above\nin the frame\nbelow" in await page.door.text("get_text")


def test_reading_tools_are_bounded() -> None:
    """Every tool that reads text takes a budget, and a cursor for what is beyond it."""
    for name in ("snapshot", "get_text", "get_html"):
        assert {"maxTokens", "cursor"} <= set(TOOLS[name].arguments.fields), name
