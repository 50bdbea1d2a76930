"""Typing and keys, with a page played by hand: what is sent for which kind of field."""

import pytest

from bridge.errors import PageError
from bridge.page.keys import parse_key
from tests.support.acting import QUIET, events, open_acting, target
from tests.support.played_page import PlayedPage

_HELD = {
    "there": True,
    "exact": True,
    "partly": False,
    "unchanged": False,
    "value": "x",
    "length": 1,
    "limit": None,
    "form": None,
    **QUIET,
}
_TYPED = {
    "kind": "typed",
    "secret": False,
    "keys": "",
    "mac": False,
    "empty": True,
    "matches": 1,
}


def _input(page: PlayedPage) -> list[str]:
    return [asked.method for asked in page.chrome.seen if asked.method.startswith("Input.")]


async def test_inserted_at_once() -> None:
    """A text is inserted in one go, after one call that makes the field ready for it."""
    async with open_acting() as page:
        page.says |= {"focusField": _TYPED, "typed": _HELD}
        await page.tab.fields.type(target(page), "hello")
        assert _input(page) == ["Input.insertText"]
        assert [name for name, _ in page.calls] == ["focusField", "typed"]


async def test_values_that_are_set() -> None:
    """A field that is set in the page needs no input at all."""
    async with open_acting() as page:
        page.says |= {"focusField": {"kind": "set", "secret": False}, "typed": _HELD}
        await page.tab.fields.type(target(page), "2026-01-31")
        assert _input(page) == []


async def test_emptied() -> None:
    """Replacing a text by none erases what was selected."""
    async with open_acting() as page:
        page.says |= {"focusField": {**_TYPED, "empty": False}, "typed": _HELD}
        await page.tab.fields.type(target(page), "", clear=True)
        assert events(page) == ["rawKeyDown", "keyUp"]


@pytest.mark.parametrize(
    ("keys", "mac", "pressed"),
    [
        ("all", False, ["Control", "a"]),
        ("end", False, ["Control", "End"]),
        ("all", True, ["Meta", "a"]),
    ],
)
async def test_placed_by_keys(keys: str, mac: bool, pressed: list[str]) -> None:
    """Where only keys reach the whole of what a field holds, they go before the text."""
    async with open_acting() as page:
        page.says |= {"focusField": {**_TYPED, "keys": keys, "mac": mac}, "typed": _HELD}
        await page.tab.fields.type(target(page), "new", clear=keys == "all")
        assert _input(page) == [*["Input.dispatchKeyEvent"] * 4, "Input.insertText"]
        sent = [asked.params for asked in page.chrome.seen if asked.method.endswith("KeyEvent")]
        assert [each["key"] for each in sent[:2]] == pressed
        assert "commands" in sent[1]


async def test_enter() -> None:
    """Enter comes after the text was seen in the field."""
    async with open_acting() as page:
        page.says |= {"focusField": _TYPED, "typed": _HELD}
        await page.tab.fields.type(target(page), "a", enter=True)
        assert [name for name, _ in page.calls] == ["focusField", "typed", "entered"]
        assert _input(page) == ["Input.insertText", *["Input.dispatchKeyEvent"] * 2]


async def test_key_by_key() -> None:
    """With key events each character is a key, also in great number."""
    async with open_acting() as page:
        page.says |= {"focusField": _TYPED, "typed": _HELD}
        await page.tab.fields.type(target(page), "ab" * 300, key_events=True)
        assert events(page) == ["keyDown", "keyUp"] * 600


async def test_focus_refused() -> None:
    """A field that does not take the focus gets no text."""
    async with open_acting() as page:
        page.says["focusField"] = {"kind": "lost"}
        with pytest.raises(PageError, match="#b: it does not take the focus"):
            await page.tab.fields.type(target(page), "a")
        assert _input(page) == []


async def test_where_the_focus_is() -> None:
    """Without a target the frame that has the focus gets the text."""
    async with open_acting() as page:
        await page.add_frame("F12", "https://a.example/inner")
        refs = ["e12", None]
        page.says |= {
            "focusedFrame": lambda: refs.pop(0),
            "focusField": _TYPED,
            "typed": _HELD,
        }
        await page.tab.fields.type(None, "a")
        names = [name for name, _ in page.calls]
        assert names == ["focusedFrame", "number", "focusedFrame", "focusField", "typed"]


async def test_press() -> None:
    """A key is pressed in its element, once that has the focus."""
    async with open_acting() as page:
        page.says |= {"focus": 3, "keyed": QUIET}
        after = await page.tab.fields.press(target(page), parse_key("Enter"))
        assert events(page) == ["keyDown", "keyUp"]
        assert after.told["matches"] == 3


async def test_choose() -> None:
    """Options are chosen in the page; nothing is typed."""
    async with open_acting() as page:
        page.says["pickOptions"] = {"selected": ["b"], "kept": True, "changed": True, "matches": 1}
        after = await page.tab.fields.choose(target(page), ["b"])
        assert after.told["selected"] == ["b"]
        assert _input(page) == []


_MISSED = {**_HELD, "there": False, "gone": True, "missed": True, "instead": 7}


async def test_replaced() -> None:
    """Text that came to nothing because the page had replaced the field goes to the new one."""
    async with open_acting() as page:
        held = [_MISSED, _HELD]
        page.says |= {"focusField": {**_TYPED, "matches": 2}, "typed": lambda *_: held.pop(0)}
        after = await page.tab.fields.type(target(page), "a")
        assert _input(page) == ["Input.insertText"] * 2
        wanted = [args[0] for name, args in page.calls if name == "focusField"]
        assert wanted == [{"selector": "#b"}, {"ref": 7}]
        assert after.told["matches"] == 2


@pytest.mark.parametrize(
    ("keys", "instead", "tries"), [(True, 7, 1), (False, None, 1), (False, 7, 2)]
)
async def test_lost(keys: bool, instead: int | None, tries: int) -> None:
    """Keys are not sent twice; and what was lost, also a second time, is told as that."""
    async with open_acting() as page:
        page.says |= {"focusField": _TYPED, "typed": {**_MISSED, "instead": instead}}
        with pytest.raises(PageError, match="#b: the page replaced it") as caught:
            await page.tab.fields.type(target(page), "a", key_events=keys)
        assert [name for name, _ in page.calls] == ["focusField", "typed"] * tries
        assert caught.value.facts["delivered"]
