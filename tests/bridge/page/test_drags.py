"""Drags, with a page played by hand: pointer drags, and the browser's own."""

import pytest
import trio

from bridge.errors import PageError, UsageError
from bridge.page.drags import Point
from tests.support.acting import PRESSED, SPOT, events, open_acting, target
from tests.support.fake_chrome import Asked
from tests.support.played_page import SESSION
from tests.support.scripted_chrome import settle

_DATA = {"items": [], "dragOperationsMask": 1}
_FOLLOWED: dict[str, object] = {"missed": None, "begun": False}
_POINTER = ["mouseMoved", "mousePressed", *["mouseMoved"] * 5, "mouseReleased"]


async def test_pointer_drag() -> None:
    """Where the page follows the pointer, it gets moves one by one, and a release."""
    async with open_acting() as page:
        page.says["taken"] = _FOLLOWED
        await page.tab.drags.drag(target(page), Point(200, 100))
        assert events(page) == _POINTER
        last = [a for a in page.chrome.seen if a.method == "Input.dispatchMouseEvent"][-1]
        assert (last.params["x"], last.params["y"]) == (200, 100)


async def test_own_drag() -> None:
    """Where the browser's own drag begins, its data is dropped before the release."""
    async with open_acting() as page:

        def begun() -> dict[str, object]:
            page.chrome.fake.event("Input.dragIntercepted", {"data": _DATA}, SESSION)
            return {"missed": None, "begun": True}

        page.says["taken"] = begun
        await page.tab.drags.drag(target(page), Point(200, 100))
        assert events(page)[-5:] == [
            "dragEnter",
            *["dragOver"] * 2,
            "drop",
            "mouseReleased",
        ]


async def test_put_back() -> None:
    """What cannot be dropped, because its goal is gone, is let go where it was taken."""
    async with open_acting() as page:

        def begun() -> dict[str, object]:
            page.refuses("aim", "REF_EXPIRED", "gone")
            return _FOLLOWED

        page.says["taken"] = begun
        with pytest.raises(UsageError, match="gone"):
            await page.tab.drags.drag(target(page), target(page, "#goal"))
        assert events(page)[-2:] == ["mouseMoved", "mouseReleased"]
        last = [a for a in page.chrome.seen if a.method == "Input.dispatchMouseEvent"][-1]
        assert (last.params["x"], last.params["y"]) == (SPOT["x"], SPOT["y"])


async def test_put_back_in_vain() -> None:
    """Why a drag came to no end is what is told, also where nothing can be let go any more."""
    async with open_acting() as page:

        def begun() -> dict[str, object]:
            page.refuses("aim", "REF_EXPIRED", "gone")
            page.chrome.fake.event("Input.dragIntercepted", {"data": _DATA}, SESSION)
            page.chrome.answers["Input.dispatchMouseEvent"] = release_fails
            return {"missed": None, "begun": True}

        def release_fails(asked: Asked) -> dict[str, object]:
            if asked.params["type"] == "mouseReleased":
                page.chrome.fake.refuse(asked, -32000, "Target is gone")
            return {}

        page.says["taken"] = begun
        with pytest.raises(UsageError, match="gone"):
            await page.tab.drags.drag(target(page), target(page, "#goal"))
        assert "dragCancel" in events(page)


async def test_interception_ends() -> None:
    """Drags are intercepted only while one is made, however it ends."""
    async with open_acting() as page:
        page.says["taken"] = _FOLLOWED
        page.says["pressed"] = {**PRESSED, "presses": 0, "missed": '"div#veil"'}
        with pytest.raises(PageError, match='#b: "div#veil" came over it'):
            await page.tab.drags.drag(target(page), Point(1, 1))
        switched = [
            asked.params["enabled"]
            for asked in page.chrome.seen
            if asked.method == "Input.setInterceptDrags"
        ]
        assert switched == [True, False]


async def test_interception_taken_back() -> None:
    """It ends as well where the call does before Chrome has said that it has begun."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        page.chrome.hold.add("Input.setInterceptDrags")
        nursery.start_soon(page.tab.drags.drag, target(page), Point(1, 1))
        await settle()
        page.chrome.hold.clear()
        nursery.cancel_scope.cancel()
    asked = [each for each in page.chrome.seen if each.method == "Input.setInterceptDrags"]
    assert [each.params["enabled"] for each in asked] == [True, False]


async def test_missed() -> None:
    """A press that was kept from the page is let go, and made anew where the thing is then."""
    async with open_acting() as page:
        answers = [{"missed": '"div#veil"', "begun": False}, _FOLLOWED]
        page.says["taken"] = lambda: answers.pop(0)
        await page.tab.drags.drag(target(page), Point(200, 100))
        begun = ["mouseMoved", "mousePressed", "mouseMoved", "mouseMoved"]
        assert events(page) == [*begun, "mouseReleased", *_POINTER]
