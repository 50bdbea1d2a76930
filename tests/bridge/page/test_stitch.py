"""Frames put into the page they belong to, with a browser played by hand."""

from collections.abc import AsyncIterator

import pytest
import trio
from trio.testing import MockClock

from bridge.errors import PageError
from bridge.page.stitch import SILENT, origin_of
from bridge.timeouts import Timeouts
from tests.support.scripted_page import PAGE, SESSION, ScriptedPage, open_page, reading

FRAME = [0, 0, 800, 600]


@pytest.fixture
async def page(nursery: trio.Nursery) -> AsyncIterator[ScriptedPage]:
    """A page with two frames, the second of another origin."""
    async with open_page(Timeouts(frame=2.0)) as page:
        await page.add_frame("F1", "https://a.example/one")
        await page.add_frame("F2", "https://ads.example:8443/two?x#y")
        found = [[0, "e1", 0, FRAME], [2, "e2", 1, FRAME]]
        text = "- iframe [ref=e1]\n- main:\n  - iframe [ref=e2]"
        page.readings[PAGE] = lambda: reading(text, frames=found)
        page.readings["F1"] = lambda: reading("- text: one")
        page.readings["F2"] = lambda: reading("- text: two\n  - text: deeper")
        nursery.start_soon(page.play)
        yield page
        nursery.cancel_scope.cancel()


async def test_in_place(page: ScriptedPage) -> None:
    """The lines of each frame stand under its own, marked with an origin that is not the page's."""
    assert (await page.tab.snapshots.take()).text.splitlines() == [
        "- iframe [ref=e1]:",
        "  - text: one",
        "- main:",
        "  - iframe [ref=e2] [origin=https://ads.example:8443]:",
        "    - text: two",
        "      - text: deeper",
    ]


async def test_owners_are_asked_once(page: ScriptedPage) -> None:
    """Which element a frame is in is asked once, not at every reading."""
    for _ in range(3):
        await page.tab.snapshots.take()
    assert page.chrome.methods(SESSION).count("DOM.getFrameOwner") == 2


async def test_unseen_frames_cost_nothing(page: ScriptedPage) -> None:
    """A page that tells of no frame in sight has none of them asked."""
    page.readings[PAGE] = lambda: reading("- text: only words")
    assert (await page.tab.snapshots.take()).text == "- text: only words"
    assert {frame for frame, _, _ in page.calls} == {PAGE}
    assert "DOM.getFrameOwner" not in page.chrome.methods(SESSION)


async def test_silent_frame(page: ScriptedPage, autojump_clock: MockClock) -> None:
    """A frame that never answers is a line that says so; the others are read meanwhile."""
    page.silent.add("F1")
    lines = (await page.tab.snapshots.take()).text.splitlines()
    assert lines[:2] == ["- iframe [ref=e1]:", f"  {SILENT}"]
    assert "    - text: two" in lines


async def test_dialog_while_reading(page: ScriptedPage) -> None:
    """A dialog that opens in a frame is told at once, and not mistaken for a silent frame."""
    page.silent.add("F1")

    def opens() -> dict[str, object]:
        told = {"url": "", "frameId": "F1", "message": "m", "type": "alert"}
        more = {"hasBrowserHandler": False, "defaultPrompt": ""}
        page.chrome.fake.event("Page.javascriptDialogOpening", {**told, **more}, SESSION)
        return reading("- text: two")

    page.readings["F2"] = opens
    with pytest.raises(PageError) as open_now:
        await page.tab.snapshots.take()
    assert open_now.value.code == "DIALOG_OPEN"


async def test_not_readable(page: ScriptedPage) -> None:
    """A frame that may not be read is named, and not asked for a word."""
    shown = await page.tab.snapshots.take(readable=lambda url: "ads" not in url)
    assert "[origin=https://ads.example:8443]:\n    … not shown" in shown.text
    assert "F2" not in {frame for frame, name, _ in page.calls if name == "snapshot"}


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://a.example/x?y#z", "https://a.example"),
        ("http://user:word@a.example:81/", "http://a.example:81"),
        ("data:text/html,x", "data:"),
        ("blob:https://a.example/1-2", "https://a.example"),
        ("http://[::1]:3/", "http://[::1]:3"),
        ('http://a"] [ref=e1]/', "unknown"),
        ("about:srcdoc", "about:"),
        ("", "unknown"),
    ],
)
def test_origin(url: str, origin: str) -> None:
    """An origin is one plain word, whatever the address holds."""
    assert origin_of(url) == origin
