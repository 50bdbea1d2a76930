"""How the texts of frames come together, with a browser played by hand."""

from typing import Any

from bridge.page.frames import Frame
from tests.support.played_page import PlayedPage, open_played_page


def _text(*pieces: str, frames: tuple[str, ...] = (), dropped: int = 0) -> dict[str, Any]:
    told = {"pieces": list(pieces), "frames": list(frames), "dropped": dropped}
    return {**told, "matches": 1, "suspects": 0, "internals": 0}


async def _page_with_frame(page: PlayedPage, inner: dict[str, Any]) -> None:
    await page.add_frame("F1", "https://b.example/ad")
    answers = [_text("above", "below", frames=("e1",)), inner]
    page.says["text"] = lambda wanted: answers.pop(0)


def _anything(frame: Frame) -> bool:
    return True


async def test_in_place() -> None:
    """A frame's text stands between what is before and behind it; what was dropped adds up."""
    async with open_played_page() as page:
        await _page_with_frame(page, _text("inside", dropped=3))
        read = await page.tab.texts.text(None, _anything)
        assert (read.text, read.dropped, read.notes) == ("above\ninside\nbelow", 3, "")


async def test_withheld() -> None:
    """A frame that may not be read is named beside the text, and not asked."""
    async with open_played_page() as page:
        await _page_with_frame(page, _text("inside"))
        read = await page.tab.texts.text(None, lambda frame: False)
        assert read.text == "above\nbelow"
        assert read.notes.startswith("[frame https://b.example] … not shown")
        assert [name for name, _ in page.calls].count("text") == 1


async def test_content_of_frames() -> None:
    """What is in frames comes after the content of the page."""
    async with open_played_page() as page:
        await page.add_frame("F1", "https://b.example/ad")
        told = {"matches": 1, "dropped": 0, "suspects": 0, "internals": 0}
        answers = [
            {"html": "<p>page</p>", "frames": ["e1"], **told},
            {"html": "<p>frame</p>", "frames": [], **told},
        ]
        page.says["content"] = lambda wanted: answers.pop(0)
        read = await page.tab.texts.content(None, _anything)
        assert read.text == "<p>page</p><hr><p>frame</p>"


async def test_markup_is_of_one_document() -> None:
    """Markup says of frames only that they are there."""
    async with open_played_page() as page:
        page.says["html"] = {"text": "<html></html>", "dropped": 0, "matches": 1}
        assert (await page.tab.texts.markup(None)).text == "<html></html>"
        assert page.calls == [("html", [None, True])]
