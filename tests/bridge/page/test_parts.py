"""A question to a page and its frames, with a browser played by hand."""

from typing import Any

import pytest

from bridge.errors import PageError, UsageError
from bridge.page.frames import Frame
from bridge.page.parts import WITHHELD
from bridge.page.stitch import SILENT
from bridge.page.target import Target
from tests.support.played_page import SESSION, PlayedPage, Refusal, open_played_page


def _answer(*frames: str, suspects: int = 0) -> dict[str, Any]:
    return {"frames": list(frames), "suspects": suspects, "internals": 0}


def _anything(frame: Frame) -> bool:
    return True


async def _frames(page: PlayedPage, *ids: str) -> None:
    for frame in ids:
        await page.add_frame(frame, f"https://{frame.lower()}.example/")


async def test_in_order() -> None:
    """Frames come in the order the document names them, those it does not see are not asked."""
    async with open_played_page() as page:
        await _frames(page, "F1", "F2", "F3")
        answers = [_answer("e3", "e1"), _answer(), _answer()]
        page.says["ask"] = lambda wanted: answers.pop(0)
        part = await page.tab.parts.ask("ask", None, readable=_anything)
        assert [each.frame.id for each in part.walk()][1:] == ["F3", "F1"]


async def test_notes() -> None:
    """A frame that may not be asked, and one that is going, leave a note each."""
    async with open_played_page() as page:
        await _frames(page, "F1", "F2")
        answers = [_answer("e1", "e2")]

        def ask(wanted: object) -> object:
            return (
                answers.pop() if answers else Refusal([1, None, "SELECTOR_NOT_FOUND", "gone", {}])
            )

        page.says["ask"] = ask
        told = await page.tab.parts.ask("ask", None, readable=lambda frame: frame.id != "F1")
        assert told.notes.splitlines() == [
            f"[frame https://f1.example] {WITHHELD}",
            f"[frame https://f2.example] {SILENT}",
        ]


async def test_targets_are_of_one_document() -> None:
    """A target's own document is asked for it; an error names it."""
    async with open_played_page() as page:
        main = page.tab.frames.main
        page.refuses("ask", "REF_EXPIRED", "gone")
        with pytest.raises(UsageError, match="e7: gone"):
            await page.tab.parts.ask("ask", Target(main, {"ref": 7}, "e7"), readable=_anything)
        assert page.calls == [("ask", [{"ref": 7}])]


async def test_dialog_ends_it() -> None:
    """A dialog that opens while frames are asked is an error of its own."""
    async with open_played_page() as page:
        await _frames(page, "F1")
        opened = {"url": "", "frameId": "F1", "message": "Well?", "type": "alert"}
        told = {**opened, "hasBrowserHandler": False, "defaultPrompt": ""}

        def ask(wanted: object) -> dict[str, Any]:
            page.chrome.fake.event("Page.javascriptDialogOpening", told, SESSION)
            return _answer("e1")

        page.says["ask"] = ask
        with pytest.raises(PageError, match="alert"):
            await page.tab.parts.ask("ask", None, readable=_anything)
