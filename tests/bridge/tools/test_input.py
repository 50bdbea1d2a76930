"""What the tools of mouse and keyboard answer, with a page played by hand."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from bridge.policy.rules import Effect
from bridge.tools.catalogue import TOOLS
from tests.support.acting import PRESSED, QUIET, SPOT, open_acting
from tests.support.played_page import PlayedPage


@pytest.fixture
async def page() -> AsyncIterator[PlayedPage]:
    """One tab behind a door."""
    async with open_acting() as opened:
        yield opened


@pytest.mark.parametrize(
    ("spot", "pressed", "arguments", "said"),
    [
        ({}, {}, {}, "Clicked e1."),
        (
            {},
            {},
            {"clickCount": 2},
            "Double-clicked e1.\nOnly 1 of 2 clicks arrived; it went away.",
        ),
        ({}, {}, {"button": "right"}, "Clicked (right button) e1."),
        ({"checked": False}, {"checked": True}, {}, "Clicked e1. It is now checked."),
        ({"checked": True}, {"checked": True}, {}, "Clicked e1. It is still checked."),
        (
            {},
            {"clicks": 0, "there": False},
            {},
            "Clicked e1.\nIt was replaced between press and release, so no click event followed.",
        ),
        (
            {},
            {"clicks": 0},
            {},
            "Clicked e1.\nIt moved, or was covered between press and release, so no click event"
            " followed.",
        ),
        (
            {},
            {"presses": None, "clicks": None},
            {},
            "Clicked e1.\nThe page was too busy to tell whether the press arrived: look at it"
            " before you click again.",
        ),
    ],
)
async def test_click(
    page: PlayedPage,
    spot: dict[str, Any],
    pressed: dict[str, Any],
    arguments: dict[str, Any],
    said: str,
) -> None:
    """A click says what was seen of it."""
    page.says |= {"aim": {**SPOT, **spot}, "pressed": {**PRESSED, **pressed}}
    assert await page.door.text("click", ref="e1", **arguments) == said


async def test_one_of_many(page: PlayedPage) -> None:
    """A selector with several matches is said to have them."""
    page.says["aim"] = {**SPOT, "matches": 7}
    assert await page.door.text("click", selector="p") == ("Clicked selector 'p' (1 of 7 matches).")


async def test_point(page: PlayedPage) -> None:
    """A point is told with what is there."""
    page.says["at"] = {"line": '- button "Go" [ref=e3]', "ref": None, "inside": None}
    assert await page.door.text("click", x=1.5, y=2) == (
        'Clicked at (1.5, 2): "button \\"Go\\" [ref=e3]".'
    )
    assert await page.door.text("hover", x=1, y=2) == (
        'The mouse is at (1, 2): "button \\"Go\\" [ref=e3]".'
    )


@pytest.mark.parametrize(
    ("key", "said"),
    [("Enter", "Pressed Enter."), ("Control+A", "Pressed Control+A."), ("+", "Pressed +.")],
)
async def test_press(page: PlayedPage, key: str, said: str) -> None:
    """A key is told as it was given."""
    page.says |= {"focusedFrame": None, "watch": None, "keyed": QUIET}
    assert await page.door.text("press", key=key) == said


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"heard": True, "astray": ""}, ""),
        ({"heard": None, "astray": ""}, ""),
        ({"heard": False, "astray": ""}, "\nThe page was not seen to get it"),
        (
            {"heard": True, "astray": "- body"},
            '\nIt does not take the focus: the key went to "body"',
        ),
    ],
)
async def test_press_arrives(page: PlayedPage, facts: dict[str, Any], said: str) -> None:
    """Where a key did not arrive as it should, or was not seen to, that is told."""
    page.says |= {"focus": 1, "keyed": {**QUIET, **facts}}
    assert (await page.door.text("press", key="a", ref="e1")).startswith(f"Pressed a in e1.{said}")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"toIt": True}, "e1 is in view. The page is at (0, 10) of (0, 100)."),
        ({"moved": True, "page": False}, "A box of the page is at (0, 10) of (0, 100)."),
        ({}, "It was there already. The page is at (0, 10) of (0, 100)."),
    ],
)
async def test_scroll(page: PlayedPage, place: dict[str, Any], said: str) -> None:
    """Scrolling says where the page is then."""
    there = {"matches": 1, "toIt": False, "moved": False, "page": True, "x": 1, "y": 1}
    there |= {"held": False, "left": 0, "top": 10, "mostLeft": 0, "mostTop": 100, **place}
    page.says |= {"scroll": there, "scrolled": QUIET}
    assert await page.door.text("scroll", ref="e1", deltaY=5) == said


async def test_drag(page: PlayedPage) -> None:
    """A drop that the page did not take is told."""
    page.says |= {"taken": {"missed": None, "begun": False}, "pressed": {**PRESSED, "drop": "none"}}
    assert await page.door.text("drag", fromRef="e1", toRef="e2") == (
        "Dragged e1 to e2.\nThe page did not take the drop."
    )


async def test_drag_point(page: PlayedPage) -> None:
    """What is wrong with an end of a drag is told by the names of that end's arguments."""
    said = await page.door.refusal("drag", fromRef="e1", toX=7)
    assert said.splitlines() == [
        "BAD_ARGS: a point needs toX and toY, and neither toRef nor toSelector",
        "Give one of: toRef; toSelector; toX and toY.",
    ]


async def test_dialog_arguments(page: PlayedPage) -> None:
    """A text goes only with accepting; without a dialog there is nothing to answer."""
    refused = await page.door.refusal("handle_dialog", action="dismiss", promptText="x")
    assert refused.startswith("BAD_ARGS: promptText goes with accept")
    refused = await page.door.refusal("handle_dialog", action="accept")
    assert refused.startswith("NOT_ACTIONABLE: no dialog is open")


def test_effects() -> None:
    """Whatever acts on a page says so; only answers to dialogs go through while one is open."""
    acting = ("click", "hover", "press", "scroll", "drag", "handle_dialog")
    assert {TOOLS[name].effect for name in acting} == {Effect.ACT}
    assert [name for name in acting if TOOLS[name].during_dialog] == ["handle_dialog"]
