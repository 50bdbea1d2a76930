"""How the texts of frames come together, with a browser played by hand."""

from typing import Any

from bridge.page.frames import Frame
from bridge.page.texts import WITHHELD
from tests.support.played_page import PlayedPage, open_played_page
from tests.support.scripted_chrome import settle


def _pieces(*pieces: str, dropped: int = 0) -> dict[str, Any]:
    return {"pieces": list(pieces), "matches": 1, "dropped": dropped, "suspects": 0}


async def _page_with_frame(page: PlayedPage, inner: dict[str, Any]) -> None:
    await page.add_frame("F1", "https://b.example/ad")
    await settle()
    page.says["number"] = "e5"
    answers = [_pieces("above", "e5", "below"), inner]
    page.says["text"] = lambda wanted: answers.pop(0)


def _anything(frame: Frame) -> bool:
    return True


async def test_in_place() -> None:
    """A frame's text stands between what is before and behind it; what was dropped adds up."""
    async with open_played_page() as page:
        await _page_with_frame(page, _pieces("inside", dropped=3))
        read = await page.tab.texts.text(None, _anything)
        assert (read.text, read.dropped) == ("above\ninside\nbelow", 3)


async def test_withheld() -> None:
    """A frame that may not be read is named, and not asked."""
    async with open_played_page() as page:
        await _page_with_frame(page, _pieces("inside"))
        read = await page.tab.texts.text(None, lambda frame: False)
        assert read.text == f"above\n[frame https://b.example/ad]\n{WITHHELD}\nbelow"
        assert len(page.says["text"](None)["pieces"]) == 1  # the frame's answer is still there


async def test_frame_that_is_gone() -> None:
    """A frame that went before it could be asked costs nothing else."""
    async with open_played_page() as page:
        page.says["text"] = _pieces("above", "e9", "below")
        assert (await page.tab.texts.text(None, _anything)).text == "above\nbelow"
