"""Clicks, with a page played by hand: what is sent, what is tried again, what is told."""

from functools import partial

import pytest
import trio

from bridge.errors import PageError, PolicyDenied
from bridge.page.frames import Frame
from tests.support.acting import PRESSED, SPOT, events, open_acting, target
from tests.support.scripted_chrome import settle

_MISSED = {**PRESSED, "presses": 0, "clicks": 0, "missed": "div (generic)"}
_CLICK = ["mouseMoved", "mousePressed", "mouseReleased"]


async def test_click() -> None:
    """A click looks once, sends its three events and asks once what came of it."""
    async with open_acting() as page:
        after = await page.tab.actions.click(target(page))
        assert events(page) == _CLICK
        assert [name for name, _ in page.calls] == ["aim", "pressed"]
        assert (after.told["presses"], after.told["matches"]) == (1, 1)


async def test_hold_taken_back() -> None:
    """A button that is to be held comes up, too, where the call ends before its press was heard."""
    async with open_acting() as page, trio.open_nursery() as nursery:
        page.chrome.hold.add("Input.dispatchMouseEvent")
        nursery.start_soon(partial(page.tab.actions.click, target(page), hold=1.0))
        await settle()
        assert events(page) == _CLICK[:-1]
        page.chrome.hold.clear()
        nursery.cancel_scope.cancel()
    assert events(page) == _CLICK


async def test_missed() -> None:
    """A press that the guard kept from the page is made again, at the new place."""
    async with open_acting() as page:
        told = [_MISSED, _MISSED, PRESSED]
        page.says["pressed"] = lambda: told.pop(0)
        await page.tab.actions.click(target(page))
        assert events(page) == 3 * _CLICK
        assert told == []


async def test_half_missed() -> None:
    """What has arrived in part is never made again."""
    async with open_acting() as page:
        page.says["pressed"] = {**_MISSED, "presses": 1}
        after = await page.tab.actions.click(target(page), count=2)
        assert events(page) == _CLICK + _CLICK[1:]
        assert (after.told["presses"], after.told["wanted"]) == (1, 2)


async def test_astray() -> None:
    """A press that nobody saw is an error which says that it was delivered."""
    async with open_acting() as page:
        page.says["pressed"] = {**PRESSED, "presses": 0, "clicks": 0}
        page.says["at"] = {"line": '- dialog "News"', "ref": None}
        with pytest.raises(PageError, match=r'elsewhere.*there is now "dialog \\"News') as refused:
            await page.tab.actions.click(target(page))
        assert refused.value.facts["delivered"] is True
        assert events(page) == _CLICK


async def test_into_a_frame() -> None:
    """A press on a frame goes to the document in it, where nobody watches."""
    async with open_acting() as page:
        page.says["aim"] = {**SPOT, "holdsFrame": True}
        page.says["pressed"] = {**PRESSED, "presses": 0, "clicks": 0}
        after = await page.tab.actions.click(target(page))
        assert after.told["in_frame"] is True


@pytest.mark.parametrize("act", ["click", "hover", "drag"])
async def test_frame_that_is_not_admitted(act: str) -> None:
    """A frame that would get what is done is asked about before, and can be refused."""
    asked: list[str] = []

    async def admit(frame: Frame) -> None:
        await trio.lowlevel.checkpoint()
        asked.append(frame.url)
        raise PolicyDenied("POLICY_DENIED", "not there")

    async with open_acting() as page:
        await page.add_frame("F1", "https://b.example/")
        page.says["aim"] = {**SPOT, "holdsFrame": True}
        inside = {"line": "- iframe", "ref": "e1", "inside": {"x": 1, "y": 2}}
        page.says["at"] = lambda x, *_: inside if x == SPOT["x"] else None
        tab, it = page.tab, target(page)
        acts = {
            "click": partial(tab.actions.click, it),
            "hover": partial(tab.actions.hover, it),
            "drag": partial(tab.drags.drag, it, it),
        }
        with pytest.raises(PolicyDenied):
            await acts[act](admit=admit)
        assert asked == ["https://b.example/"]
        assert events(page) == []


async def test_choosers_are_caught_once() -> None:
    """File choosers are caught from the first click on."""
    async with open_acting() as page:
        await page.tab.actions.click(target(page))
        await page.tab.actions.click(target(page))
        methods = [asked.method for asked in page.chrome.seen]
        assert methods.count("Page.setInterceptFileChooserDialog") == 1


async def test_outside_of_the_viewport() -> None:
    """A point where there is no page is refused before anything is sent."""
    async with open_acting() as page:
        page.says["at"] = None
        with pytest.raises(PageError, match="outside of the viewport"):
            await page.tab.actions.click_at(9000, 1)
        assert events(page) == []


async def test_frames_at() -> None:
    """The frames below a point are found from the outside in."""
    async with open_acting() as page:
        await page.add_frame("F12", "https://a.example/inner")
        found = [
            {"line": "", "ref": "e12", "inside": {"x": 1, "y": 2}},
            {"line": "", "ref": None, "inside": None},
        ]
        page.says["at"] = lambda *_: found.pop(0)
        assert [frame.id for frame in await page.tab.actions.frames_at(5, 6)] == ["F12"]
        assert page.calls[-1] == ("at", [1, 2, False])


async def test_hover() -> None:
    """Hovering moves the mouse, and presses nothing."""
    async with open_acting() as page:
        await page.tab.actions.hover(target(page))
        assert events(page) == ["mouseMoved"]
        assert page.calls[0][1][1]["guarded"] is False
