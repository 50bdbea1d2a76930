"""Trusted mouse events, as commands to be sent together.

Sent one by one, each move waits for the next frame of the page; in one go the press flushes it.
"""

from typing import Any, Literal

from bridge import cdp
from bridge.cdp.base import Command

Button = Literal["left", "right", "middle"]
_FARTHEST = 1e6  # CSS pixels a wheel is turned
_BITS = {"none": 0, "left": 1, "right": 2, "middle": 4}


def move(x: float, y: float, *, modifiers: int = 0, held: str = "none") -> Command[Any]:
    """The pointer goes there, with a button held or none."""
    return cdp.input.dispatch_mouse_event(
        "mouseMoved", x, y, button=held, buttons=_BITS[held], modifiers=modifiers
    )


def press(
    x: float, y: float, button: Button = "left", *, count: int = 1, modifiers: int = 0
) -> Command[Any]:
    """A button goes down."""
    return cdp.input.dispatch_mouse_event(
        "mousePressed",
        x,
        y,
        button=button,
        buttons=_BITS[button],
        click_count=count,
        modifiers=modifiers,
    )


def let_go(
    x: float, y: float, button: Button = "left", *, count: int = 1, modifiers: int = 0
) -> Command[Any]:
    """A button comes up."""
    return cdp.input.dispatch_mouse_event(
        "mouseReleased", x, y, button=button, buttons=0, click_count=count, modifiers=modifiers
    )


def click(
    x: float, y: float, button: Button = "left", *, count: int = 1, modifiers: int = 0
) -> list[Command[Any]]:
    """Go there and click once, twice or three times."""
    commands = [move(x, y, modifiers=modifiers)]
    for nth in range(1, count + 1):
        commands.append(press(x, y, button, count=nth, modifiers=modifiers))
        commands.append(let_go(x, y, button, count=nth, modifiers=modifiers))
    return commands


def wheel(x: float, y: float, dx: float, dy: float) -> Command[Any]:
    """Turn the wheel there; Chrome never answers to one turned further than it can count."""
    right, down = (max(-_FARTHEST, min(way, _FARTHEST)) for way in (dx, dy))
    return cdp.input.dispatch_mouse_event("mouseWheel", x, y, delta_x=right, delta_y=down)
