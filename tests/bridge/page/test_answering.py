"""Answers to dialogs, with a page played by hand."""

from typing import Any

import pytest

from bridge.errors import PageError
from tests.support.acting import open_acting, tell
from tests.support.conditions import limit
from tests.support.played_page import PAGE, SESSION, PlayedPage
from tests.support.scripted_chrome import settle


async def _open(page: PlayedPage, kind: str) -> None:
    told = {"url": "", "frameId": PAGE, "message": "?", "type": kind, "hasBrowserHandler": False}
    await tell(page, "Page.javascriptDialogOpening", **told)

    def answer(asked: Any) -> dict[str, Any]:
        closed = {"frameId": PAGE, "result": asked.params["accept"], "userInput": ""}
        page.chrome.fake.event("Page.javascriptDialogClosed", closed, SESSION)
        return {}

    page.chrome.answers["Page.handleJavaScriptDialog"] = answer


async def test_answer() -> None:
    """A prompt is answered with a text, and the page is looked at afterwards."""
    async with open_acting() as page:
        await _open(page, "prompt")
        after = await page.tab.answering.answer(accept=True, text="me")
        assert after.dialog is None
        asked = next(a for a in page.chrome.seen if a.method == "Page.handleJavaScriptDialog")
        assert asked.params == {"accept": True, "promptText": "me"}
        assert page.calls == [("changes", [])]


async def test_no_dialog() -> None:
    """Without a dialog there is nothing to answer."""
    async with open_acting() as page:
        with pytest.raises(PageError, match="no dialog is open"):
            await page.tab.answering.answer(accept=True)


async def test_no_text() -> None:
    """Only a prompt takes a text; the dialog stays as it is."""
    async with open_acting() as page:
        await _open(page, "confirm")
        with pytest.raises(PageError, match="takes no text"):
            await page.tab.answering.answer(accept=True, text="x")
        await settle()
        assert page.tab.dialogs.current is not None


async def test_tab_that_goes() -> None:
    """A tab that asked whether to stay, for it was to be closed, is told of as closed."""
    async with open_acting() as page:
        await _open(page, "beforeunload")
        closing = page.chrome.answers["Page.handleJavaScriptDialog"]

        def close(asked: Any) -> dict[str, Any] | None:
            page.chrome.fake.answer(asked, closing(asked))
            page.chrome.fake.event("Target.detachedFromTarget", {"sessionId": SESSION})
            return None

        page.chrome.answers["Page.handleJavaScriptDialog"] = close
        with limit():
            assert (await page.tab.answering.answer(accept=True)).closed
