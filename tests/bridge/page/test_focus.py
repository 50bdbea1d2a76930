"""Which frame has the focus, with a page played by hand, and where keys are refused."""

from functools import partial
from typing import Any

import pytest

from bridge.errors import PolicyDenied
from bridge.page.focus import Focus, Leave
from bridge.page.frames import Frame
from bridge.page.keys import parse_key
from bridge.page.pointing import Pointing
from tests.support.acting import QUIET, events, open_acting, target
from tests.support.played_page import PlayedPage

_DENIED = "https://denied.example/"
_FIELD = {"kind": "typed", "secret": False, "keys": "", "mac": False, "empty": True, "matches": 1}
_HELD = {"there": True, "exact": True, "partly": False, "unchanged": False, "value": "x", **QUIET}


class Gatekeeper:
    """Lets no key into frames of the denied host; notes of which it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.granted = False  # as soon as somebody is asked
        self.leave = Leave(self.admit, self.opens)

    async def admit(self, frame: Frame) -> None:
        self.asked.append(frame.url)
        if not self.granted:
            raise PolicyDenied("POLICY_DENIED", "acting on denied.example is not allowed")

    def opens(self, frame: Frame | None) -> bool:
        is_granted = self.granted and bool(self.asked)
        return frame is not None and (is_granted or not frame.url.startswith(_DENIED))


def _focus(page: PlayedPage) -> Focus:
    tab = page.tab
    return Focus(tab.frames, tab.worlds, Pointing(tab.frames, tab.worlds))


async def _with_frame(page: PlayedPage, *focused: str | None) -> list[str | None]:
    """A denied frame in e12; what the page says has the focus in turn, and the last for good."""
    await page.add_frame("F12", _DENIED)
    refs = list(focused)
    page.says |= {
        "focusedFrame": lambda: refs.pop(0) if len(refs) > 1 else refs[0],
        "watch": None,
        "focus": 1,
        "focusField": _FIELD,
        "typed": _HELD,
        "keyed": QUIET,
    }
    return refs


async def test_nobody_guards() -> None:
    """Where nothing is refused, the innermost frame with the focus is the one."""
    async with open_acting() as page:
        await _with_frame(page, "e12", None)
        assert (await _focus(page).frame(None)).id == "F12"


@pytest.mark.parametrize("typing", [False, True])
async def test_refused_before_it_is_looked_at(typing: bool) -> None:
    """A frame that may have no keys gets none, and nothing is asked in it."""
    async with open_acting() as page:
        await _with_frame(page, "e12")
        fields, leave = page.tab.fields, Gatekeeper().leave
        typed = partial(fields.type, None, "a", leave=leave)
        pressed = partial(fields.press, None, parse_key("Enter"), leave=leave)
        with pytest.raises(PolicyDenied, match="the focus is in a frame: acting on denied"):
            await (typed if typing else pressed)()
        assert [name for name, _ in page.calls] == ["focusedFrame", "number"]
        assert events(page) == []


@pytest.mark.parametrize("by_target", [False, True])
async def test_moved_right_before_the_key(by_target: bool) -> None:
    """What the page has moved into such a frame while the key was made ready is noticed."""
    async with open_acting() as page:
        await _with_frame(page, *([] if by_target else [None]), "e12")
        place = target(page) if by_target else None
        with pytest.raises(PolicyDenied):
            await page.tab.fields.press(place, parse_key("Enter"), leave=Gatekeeper().leave)
        assert events(page) == []


async def test_told_late() -> None:
    """A page that has not heard yet who has the focus is asked again before anything is refused."""
    async with open_acting() as page:
        await _with_frame(page, "e12", None)
        keeper = Gatekeeper()
        await page.tab.fields.press(target(page), parse_key("Enter"), leave=keeper.leave)
        assert keeper.asked == []
        assert events(page) == ["keyDown", "keyUp"]


async def test_allowed_when_asked() -> None:
    """Where a user allows it, the key is pressed in that frame."""
    async with open_acting() as page:
        refs = await _with_frame(page, "e12")
        keeper = Gatekeeper()
        keeper.granted = True

        async def admit(frame: Frame) -> None:
            await Gatekeeper.admit(keeper, frame)
            refs[:] = ["e12", None, "e12", None]

        await page.tab.fields.press(None, parse_key("a"), leave=Leave(admit, keeper.opens))
        assert keeper.asked == [_DENIED]
        assert events(page) == ["keyDown", "keyUp"]


async def test_frames_that_are_not_known() -> None:
    """A frame nobody knows gets keys only where every frame may have them."""
    async with open_acting() as page:
        page.says["focusedFrame"] = "e99"
        with pytest.raises(PolicyDenied, match="a frame that is not known"):
            await _focus(page).frame(Gatekeeper().leave)

        async def admit(frame: Frame) -> None:
            raise AssertionError

        anything = Leave(admit, lambda frame: True)
        assert await _focus(page).frame(anything) is page.tab.frames.main
        await _focus(page).check(anything)


async def test_key_by_key() -> None:
    """Beside a frame that may have no keys each one is looked after, and the rest is not sent."""
    async with open_acting() as page:
        await _with_frame(page, None, None, "e12")
        typing: dict[str, Any] = {"key_events": True, "leave": Gatekeeper().leave}
        with pytest.raises(PolicyDenied) as refused:
            await page.tab.fields.type(target(page), "abcdef", **typing)
        assert refused.value.facts["delivered"]
        assert events(page) == ["keyDown", "keyUp"] * 2


async def test_enter_behind_a_text() -> None:
    """Enter is not pressed where a text has moved the focus to such a frame."""
    async with open_acting() as page:
        await _with_frame(page, None, "e12")
        with pytest.raises(PolicyDenied):
            await page.tab.fields.type(target(page), "a", enter=True, leave=Gatekeeper().leave)
        assert events(page) == []
