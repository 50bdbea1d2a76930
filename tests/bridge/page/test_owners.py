"""Frames and their elements, with a browser played by hand."""

import pytest

from bridge.errors import PageError
from tests.support.played_page import PAGE, SESSION, PlayedPage, open_played_page
from tests.support.scripted_chrome import settle


async def _owners_asked(page: PlayedPage) -> int:
    return page.chrome.methods(SESSION).count("DOM.getFrameOwner")


async def test_asked_once() -> None:
    """Which element a frame is in is asked once for each of its document's lives."""
    async with open_played_page() as page:
        await page.add_frame("F1", "https://a.example/inner")
        await settle()
        owners, main = page.tab.parts.owners, page.tab.frames.main
        for _ in range(2):
            assert {ref: f.id for ref, f in (await owners.children(main)).items()} == {"e1": "F1"}
        assert await _owners_asked(page) == 1


async def test_frame_that_goes() -> None:
    """A frame that has no element any more is left out."""
    async with open_played_page() as page:
        await page.add_frame("F1", "https://a.example/inner")
        await settle()
        page.chrome.answers["DOM.getFrameOwner"] = lambda _: None
        page.chrome.fake.event("Page.frameDetached", {"frameId": "F1", "reason": "remove"}, SESSION)
        await settle()
        assert await page.tab.parts.owners.children(page.tab.frames.main) == {}


async def test_dialog_ends_it() -> None:
    """A dialog is an error of its own, not a group of errors."""
    async with open_played_page() as page:
        await page.add_frame("F1", "https://a.example/inner")
        opened = {"url": "", "frameId": PAGE, "message": "Well?", "type": "alert"}
        told = {**opened, "hasBrowserHandler": False, "defaultPrompt": ""}
        page.chrome.fake.event("Page.javascriptDialogOpening", told, SESSION)
        await settle()
        with pytest.raises(PageError, match="alert"):
            await page.tab.parts.owners.children(page.tab.frames.main)


async def test_outermost() -> None:
    """A box goes outwards through all documents around it; the page's own stays as it is."""
    async with open_played_page() as page:
        await page.add_frame("F1", "https://a.example/inner")
        await settle()
        page.says["boxAround"] = lambda _, box: [10 + box[0], 20.5, box[2] / 2, box[3]]
        owners, frames = page.tab.parts.owners, page.tab.frames
        assert await owners.outermost(frames.main, (1, 2, 3, 4)) == (1, 2, 3, 4)
        assert await owners.outermost(frames.get("F1"), (1, 2, 3, 4)) == (11, 20.5, 1.5, 4)
        assert frames.get("F1").parent is frames.get(PAGE)
