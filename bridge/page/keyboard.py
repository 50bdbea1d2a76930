"""Trusted key events, as commands in the order a keyboard sends them.

Shortcuts of editors (select all, copy…) are carried out by the system's key bindings on macOS, and
by the page's own engine elsewhere. Without a window there is no system to do it, so the names of
the editing commands are sent along; where the engine does it anyhow they change nothing.
"""

from typing import Any

from bridge import cdp
from bridge.cdp.base import Command
from bridge.page.keys import BITS, Key, Stroke, key_for, parse_key

_EDITING = {
    "a": "selectAll",
    "c": "copy",
    "v": "paste",
    "x": "cut",
    "z": "undo",
    "y": "redo",
    "end": "moveToEndOfDocument",
}
_EDITING_WITH_SHIFT = {"z": "redo"}


def strokes(stroke: Stroke) -> list[Command[Any]]:
    """Press what is held, the key, and let all go again."""
    commands: list[Command[Any]] = []
    bits = 0
    for name in stroke.held:
        bits |= BITS[name]
        commands.append(_event("rawKeyDown", parse_key(name).key, bits))
    commands.append(_down(stroke.key, bits))
    commands.append(_event("keyUp", stroke.key, bits))
    for name in reversed(stroke.held):
        bits &= ~BITS[name]
        commands.append(_event("keyUp", parse_key(name).key, bits))
    return commands


def writing(text: str) -> list[Command[Any]]:
    """A key for each character."""
    commands: list[Command[Any]] = []
    for character in text.replace("\r\n", "\n"):
        key = key_for(character)
        bits = BITS["Shift"] if key.shifted else 0
        commands += (_down(key, bits), _event("keyUp", key, bits))
    return commands


def _down(key: Key, bits: int) -> Command[Any]:
    shortcut = bits & (BITS["Control"] | BITS["Meta"])
    text = "" if shortcut or bits & BITS["Alt"] else key.text
    known = _EDITING_WITH_SHIFT if bits & BITS["Shift"] else _EDITING
    command = known.get(key.key.lower()) if shortcut else None
    return _event(
        "keyDown" if text else "rawKeyDown", key, bits, text, [command] if command else None
    )


def _event(
    kind: str, key: Key, bits: int, text: str = "", commands: list[str] | None = None
) -> Command[Any]:
    return cdp.input.dispatch_key_event(
        kind,
        modifiers=bits,
        key=key.key,
        code=key.code or None,
        windows_virtual_key_code=key.number,
        text=text or None,
        unmodified_text=text or None,
        location=key.location or None,
        is_keypad=key.keypad or None,
        commands=commands,
    )
