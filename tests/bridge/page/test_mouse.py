"""Mouse events, as they are sent."""

from typing import Any

import msgspec

from bridge.page import mouse


def test_double_click() -> None:
    """A double click goes there, and presses and releases twice, counting."""
    sent: list[dict[str, Any]] = [
        msgspec.to_builtins(command.params)
        for command in mouse.click(3, 4, "right", count=2, modifiers=8)
    ]
    assert [(e["type"], e["button"], e["buttons"], e.get("clickCount")) for e in sent] == [
        ("mouseMoved", "none", 0, None),
        ("mousePressed", "right", 2, 1),
        ("mouseReleased", "right", 0, 1),
        ("mousePressed", "right", 2, 2),
        ("mouseReleased", "right", 0, 2),
    ]
    assert {(e["x"], e["y"], e["modifiers"]) for e in sent} == {(3, 4, 8)}


def test_held_while_moving() -> None:
    """A move in a drag says which button is held; the wheel says how far it turned."""
    held = msgspec.to_builtins(mouse.move(1, 2, held="left").params)
    assert (held["button"], held["buttons"]) == ("left", 1)
    turned = msgspec.to_builtins(mouse.wheel(1, 2, 0, -120).params)
    assert (turned["type"], turned["deltaX"], turned["deltaY"]) == ("mouseWheel", 0, -120)
