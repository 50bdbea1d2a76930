"""What is said of dialogs."""

from collections.abc import AsyncIterator

import pytest

from bridge import cdp
from bridge.errors import PageError
from bridge.page.leaving import Dismissed
from bridge.policy.options import PolicyOptions
from bridge.tools.dialogs import dismissed, in_the_way, may_be_told
from tests.support.played_page import SESSION, PlayedPage, open_played_page
from tests.support.scripted_chrome import settle

ANYWHERE = lambda url: True  # noqa: E731
NOWHERE = lambda url: False  # noqa: E731


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab, whose page alone may be read, with a frame of it and one of another site."""
    async with open_played_page(PolicyOptions(allow_domain=("a.example",))) as opened:
        await opened.add_frame("F1", "about:srcdoc")
        await opened.add_frame("F2", "https://b.example/")
        await opened.add_frame("F3", "about:blank", "F2")
        yield opened


@pytest.mark.parametrize(
    ("facts", "way_out"),
    [
        ({"type": "alert"}, "handle_dialog (action: accept or dismiss), then go on."),
        ({"type": "alert", "leaves": True}, "or navigate: that dismisses"),
        ({"type": "beforeunload", "leaves": False}, "action accept leaves the page"),
    ],
)
def test_way_out(facts: dict[str, object], way_out: str) -> None:
    """The tool to answer with is named, with its argument, and what else leads on."""
    failure = PageError("DIALOG_OPEN", "it waits", facts={**facts, "message": "Sure?", "url": ""})
    first, hint, words = in_the_way(failure, [], ANYWHERE).split("\n")
    assert first == "DIALOG_OPEN: it waits"
    assert way_out in hint
    assert words == 'The dialog says: "Sure?"'
    assert "Sure" not in in_the_way(failure, [], NOWHERE)


@pytest.mark.parametrize(
    ("frame", "url", "told"),
    [
        ("F1", "about:srcdoc", True),
        ("F2", "https://b.example/", False),
        ("F3", "about:blank", False),
        ("gone", "about:blank", False),
        ("gone", "https://a.example/", True),
        ("gone", "https://b.example/", False),
    ],
)
async def test_whose_words(page: PlayedPage, frame: str, url: str, told: bool) -> None:
    """A blank frame says what those around it have written, which may be not to be read."""
    readable = page.door.guard.readable
    assert may_be_told(frame, url, [page.tab], readable) is told
    opening: dict[str, object] = {"url": url, "frameId": frame, "message": "Psst"}
    opening |= {"type": "alert", "hasBrowserHandler": False}
    page.chrome.fake.event("Page.javascriptDialogOpening", opening, SESSION)
    await settle()
    assert ("Psst" in await page.door.refusal("get_text")) is told
    last = page.tab.dialogs.current
    assert ("Psst" in dismissed(Dismissed(1, last), page.tab, readable)) is told


async def test_dismissed(page: PlayedPage) -> None:
    """How many there were, and in one line of quotes what the last one said."""
    tab = page.tab
    last = cdp.page.JavascriptDialogOpening(
        url="",
        frame_id=cdp.page.FrameId("F"),
        message='a\n"b"',
        type="alert",
        has_browser_handler=False,
    )
    assert dismissed(Dismissed(), tab, ANYWHERE) == ""
    one = dismissed(Dismissed(1, last), tab, ANYWHERE)
    assert one == 'Note: 1 dialog of the page was dismissed; it said "a \\"b\\"".'
    assert dismissed(Dismissed(400, last), tab, NOWHERE) == "Note: 400 dialogs were dismissed."
