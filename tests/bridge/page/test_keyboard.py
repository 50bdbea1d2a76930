"""Key events in the order a keyboard sends them."""

from typing import Any

import msgspec

from bridge.cdp.base import Command
from bridge.page.keyboard import strokes, writing
from bridge.page.keys import parse_key


def _sent(commands: list[Command[Any]]) -> list[dict[str, Any]]:
    assert all(command.method == "Input.dispatchKeyEvent" for command in commands)
    return [msgspec.to_builtins(command.params) for command in commands]


def test_plain_key() -> None:
    """A key that writes goes down with its text, and up."""
    down, up = _sent(strokes(parse_key("a")))
    assert (down["type"], down["text"], down["code"], down["modifiers"]) == (
        "keyDown",
        "a",
        "KeyA",
        0,
    )
    assert up["type"] == "keyUp"
    assert "text" not in up


def test_shortcut() -> None:
    """What is held goes down first and up last; a shortcut writes nothing and names its command."""
    sent = _sent(strokes(parse_key("Control+Shift+ArrowLeft")))
    assert [(each["type"], each["key"], each["modifiers"]) for each in sent] == [
        ("rawKeyDown", "Control", 2),
        ("rawKeyDown", "Shift", 10),
        ("rawKeyDown", "ArrowLeft", 10),
        ("keyUp", "ArrowLeft", 10),
        ("keyUp", "Shift", 2),
        ("keyUp", "Control", 0),
    ]
    down = _sent(strokes(parse_key("Control+A")))[1]
    assert down["commands"] == ["selectAll"]
    assert "text" not in down


def test_shift_means_another_command() -> None:
    """With Shift a shortcut redoes instead of undoing, and selects instead of going."""
    assert _sent(strokes(parse_key("Control+Z")))[1]["commands"] == ["undo"]
    assert _sent(strokes(parse_key("Control+Shift+Z")))[2]["commands"] == ["redo"]
    assert _sent(strokes(parse_key("Control+Shift+End")))[2].get("commands") is None


def test_writing() -> None:
    """A text is a key for each character, with Shift where a person holds it."""
    sent = _sent(writing("aB\r\n"))
    assert [(each["type"], each["key"], each["modifiers"]) for each in sent] == [
        ("keyDown", "a", 0),
        ("keyUp", "a", 0),
        ("keyDown", "B", 8),
        ("keyUp", "B", 8),
        ("keyDown", "Enter", 0),
        ("keyUp", "Enter", 0),
    ]
