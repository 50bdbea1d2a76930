"""Which element a call means, and which frames it may be in."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bridge import cdp
from bridge.errors import UsageError
from bridge.page.frames import Frame
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Effect
from bridge.tools.targets import addresses_of, bounds_of, is_ref, parse_ref
from tests.support.acting import PRESSED, QUIET, SPOT
from tests.support.door import ANYTHING
from tests.support.played_page import PlayedPage, open_played_page

_HERE_ONLY = PolicyOptions(allow_domain=("a.example",), enable_mutations=True)


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab behind a door."""
    async with open_played_page(ANYTHING) as opened:
        opened.says |= {"text": {"pieces": ["x"], "frames": [], "matches": 1, "dropped": 0}}
        yield opened


@pytest.mark.parametrize(
    ("ref", "parts"), [("e12", ("", 12)), ("f3e1", ("f3", 1)), ("e0", ("", 0))]
)
def test_refs(ref: str, parts: tuple[str, int]) -> None:
    """A ref is a number, behind the frame it is in."""
    assert parse_ref(ref) == parts
    assert is_ref(ref)


@pytest.mark.parametrize(
    "ref", ["", "12", "E12", "e", "ref=e12", "e12 ", "e\u0661", "e" + "9" * 99]
)
def test_no_refs(ref: str) -> None:
    """What is no ref is refused with what one looks like."""
    assert not is_ref(ref)
    with pytest.raises(UsageError, match="is not a ref") as refused:
        parse_ref(ref)
    assert "e12" in refused.value.hint


async def test_exactly_one(page: PlayedPage) -> None:
    """Both or neither is refused, by the names the tool gives them."""
    for given in ({}, {"ref": "e1", "selector": "p"}):
        assert (await page.door.refusal("hover", **given)).startswith(
            "BAD_ARGS: ref or selector is needed, and "
        )
    assert "fromRef or fromSelector is needed" in await page.door.refusal("drag", toX=1, toY=1)


async def test_frame_that_is_gone(page: PlayedPage) -> None:
    """A ref of a frame that is not there any more is expired."""
    assert (await page.door.refusal("hover", ref="f7e1")).startswith("REF_EXPIRED: ref f7e1: ")


async def test_selector_in_a_frame(page: PlayedPage) -> None:
    """A selector that matches nothing in the page means the first frame that has a match."""
    await page.add_frame("F1", "https://a.example/one")
    await page.add_frame("F2", "https://a.example/two")
    first = page.tab.worlds.prefix(list(page.tab.frames)[1])
    counts = [0, 2, 2]
    page.says |= {
        "count": lambda _: counts.pop(0),
        "aim": SPOT,
        "through": {"x": 1, "y": 1},
        "pressed": PRESSED,
    }
    page.chrome.answers["Input.dispatchMouseEvent"] = lambda _: {}
    await page.door.text("hover", selector="#b")
    called: list[Any] = [
        asked.params["arguments"]
        for asked in page.chrome.seen
        if asked.method == "Runtime.callFunctionOn"
    ]
    aimed = [arguments[2]["value"] for arguments in called if arguments[0]["value"] == "aim"]
    assert aimed == [first]


async def test_frames_need_all_around_them(page: PlayedPage) -> None:
    """A frame is a matter of its own address and of each around it, not of what a page wrote."""
    frame = page.tab.frames.main
    for url in ("https://one.example/", "about:srcdoc", "https://two.example/", "data:text/html,x"):
        frame = Frame(cdp.page.FrameId(url), frame, frame.session, url)
    assert list(addresses_of(frame)) == ["https://two.example/", "https://one.example/"]


async def test_frames_of_others() -> None:
    """A frame that may not be acted on is not looked into, and its refs are refused."""
    async with open_played_page(_HERE_ONLY) as page:
        await page.add_frame("F1", "https://other.example/")
        frame = next(frame for frame in page.tab.frames if frame.id == "F1")
        prefix = page.tab.worlds.prefix(frame)
        refused = await page.door.refusal("hover", ref=f"{prefix}e1")
        assert refused.startswith("POLICY_DENIED: acting on other.example is not allowed")
        page.says["count"] = 0
        page.refuses("aim", "SELECTOR_NOT_FOUND", "nothing matches")
        await page.door.refusal("hover", selector="#b")
        assert [name for name, _ in page.calls] == ["count", "aim"]


async def test_keys_in_frames() -> None:
    """Keys may go to frames that may be acted on, and through Chrome's own error page."""
    async with open_played_page(_HERE_ONLY) as page:
        for name, url, opens in (
            ("F1", "https://a.example/", True),
            ("F2", "https://b.example/", False),
            ("F3", "chrome-error://chromewebdata/", True),
        ):
            await page.add_frame(name, url)
            refs = iter([f"e{name[1:]}", None] * 2)
            page.says |= {"focusedFrame": partial(next, refs), "watch": None, "keyed": QUIET}
            page.chrome.answers["Input.dispatchKeyEvent"] = lambda _: {}
            page.chrome.answers["Page.setInterceptFileChooserDialog"] = lambda _: {}
            answer = await page.door.call("press", key="Tab")
            assert answer.is_error is not opens, answer.text


@pytest.mark.parametrize("tool", ["screenshot", "pdf"])
async def test_frames_in_pictures(tool: str, tmp_path: Path) -> None:
    """A page is not pictured with a frame in it that may not be read, wherever that comes from."""
    async with open_played_page(_HERE_ONLY) as page:
        page.door.desk.data_dir = tmp_path
        await page.add_frame("F1", "https://b.example/secret")
        refusal = await page.door.refusal(tool)
        assert refusal.startswith("POLICY_DENIED: the page shows a frame of https://b.example, ")
        assert "Reload the page" in refusal


async def test_bounds(page: PlayedPage) -> None:
    """A call that changes a page is bound by the page, the frame and those around it.

    A frame in which Chrome shows its own error page is none of these.
    """
    asked: list[tuple[Effect, str]] = []
    frame = page.tab.frames.main
    for url in ("https://one.example/", "chrome-error://chromewebdata/"):
        frame = Frame(cdp.page.FrameId(url), frame, frame.session, url)
    for effect in (Effect.UPLOAD, Effect.READ):
        bounds_of(page.tab, effect, lambda *each: asked.append(each))(frame)
    places = [page.tab.url, "https://one.example/"]
    assert asked == [(each, url) for each in (Effect.UPLOAD, Effect.ACT) for url in places]
