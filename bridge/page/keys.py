"""Keys of a US keyboard: names, codes, and what they write; pure.

`parse_key("Control+Shift+a")` gives the keys to press, the last one with the others held. A single
character that no key writes is still a key: it comes with its text and without a code.
"""

import difflib
import string
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bridge.errors import UsageError

Modifier = Literal["Alt", "Control", "Meta", "Shift"]
BITS: dict[str, int] = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}


@dataclass(frozen=True, slots=True)
class Key:
    """One key as it is pressed; `text` is what it writes."""

    key: str
    code: str = ""
    number: int = 0  # the Windows virtual key code, which pages see as keyCode
    text: str = ""
    location: int = 0
    keypad: bool = False
    shifted: bool = False  # a person holds Shift to write it


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key, pressed while others are held."""

    key: Key
    held: tuple[str, ...] = ()

    @property
    def bits(self) -> int:
        return sum(BITS[name] for name in self.held)


_NAMED = {
    "Enter": Key("Enter", "Enter", 13, "\r"),
    "Tab": Key("Tab", "Tab", 9),
    "Backspace": Key("Backspace", "Backspace", 8),
    "Delete": Key("Delete", "Delete", 46),
    "Escape": Key("Escape", "Escape", 27),
    "Space": Key(" ", "Space", 32, " "),
    "ArrowLeft": Key("ArrowLeft", "ArrowLeft", 37),
    "ArrowUp": Key("ArrowUp", "ArrowUp", 38),
    "ArrowRight": Key("ArrowRight", "ArrowRight", 39),
    "ArrowDown": Key("ArrowDown", "ArrowDown", 40),
    "Home": Key("Home", "Home", 36),
    "End": Key("End", "End", 35),
    "PageUp": Key("PageUp", "PageUp", 33),
    "PageDown": Key("PageDown", "PageDown", 34),
    "Insert": Key("Insert", "Insert", 45),
    "ContextMenu": Key("ContextMenu", "ContextMenu", 93),
    "CapsLock": Key("CapsLock", "CapsLock", 20),
    "NumLock": Key("NumLock", "NumLock", 144),
    "ScrollLock": Key("ScrollLock", "ScrollLock", 145),
    "Pause": Key("Pause", "Pause", 19),
    "PrintScreen": Key("PrintScreen", "PrintScreen", 44),
    "Alt": Key("Alt", "AltLeft", 18, location=1),
    "Control": Key("Control", "ControlLeft", 17, location=1),
    "Meta": Key("Meta", "MetaLeft", 91, location=1),
    "Shift": Key("Shift", "ShiftLeft", 16, location=1),
    **{f"F{n}": Key(f"F{n}", f"F{n}", 111 + n) for n in range(1, 25)},
    **{
        f"Numpad{n}": Key(str(n), f"Numpad{n}", 96 + n, str(n), location=3, keypad=True)
        for n in range(10)
    },
}

# code, keyCode, plain, with Shift
_SIGNS = (
    ("Backquote", 192, "`~"),
    ("Minus", 189, "-_"),
    ("Equal", 187, "=+"),
    ("BracketLeft", 219, "[{"),
    ("BracketRight", 221, "]}"),
    ("Backslash", 220, "\\|"),
    ("Semicolon", 186, ";:"),
    ("Quote", 222, "'\""),
    ("Comma", 188, ",<"),
    ("Period", 190, ".>"),
    ("Slash", 191, "/?"),
    *((f"Digit{n}", 48 + n, f"{n}{sign}") for n, sign in enumerate(")!@#$%^&*(")),
    *((f"Key{c.upper()}", ord(c.upper()), c + c.upper()) for c in string.ascii_lowercase),
)
_WRITTEN = {
    " ": _NAMED["Space"],
    "\n": _NAMED["Enter"],
    "\r": _NAMED["Enter"],
    "\t": _NAMED["Tab"],
    **{
        sign: Key(sign, code, number, sign, shifted=shifted)
        for code, number, pair in _SIGNS
        for shifted, sign in zip((False, True), pair, strict=True)
    },
}
_ALIASES = {
    "return": "Enter",
    "esc": "Escape",
    "del": "Delete",
    "ins": "Insert",
    "left": "ArrowLeft",
    "up": "ArrowUp",
    "right": "ArrowRight",
    "down": "ArrowDown",
    "spacebar": "Space",
    "ctrl": "Control",
    "cmd": "Meta",
    "command": "Meta",
    "option": "Alt",
}
_LONGEST = 100  # characters of a name that is looked at: comparing a million takes a second
_BY_NAME = {name.lower(): name for name in _NAMED} | _ALIASES
_BY_CODE = {code.lower(): _WRITTEN[pair[0]] for code, _, pair in _SIGNS}


def parse_key(text: str, modifiers: Iterable[str] = ()) -> Stroke:
    """`a`, `Enter`, `Control+A`, `Shift+Tab`; BAD_ARGS names the nearest for an unknown one."""
    *held, last = _split(text)
    key = _find(last)
    pressed = dict.fromkeys([*modifiers, *map(_modifier, held)])
    if (
        key.shifted
        and pressed
        and len(key.key) == 1
        and key.key.isalpha()
        and "Shift" not in pressed
    ):
        key = _WRITTEN[key.key.lower()]  # Control+A is written so, and means no Shift
    return Stroke(key if "Shift" not in pressed else _shifted(key), tuple(pressed))


def key_for(character: str) -> Key:
    """The key that writes a character."""
    return _WRITTEN.get(character) or Key(character, text=character)


def _split(text: str) -> list[str]:
    """At each plus sign, but for the one that is the key itself."""
    if len(text) < 2:
        return [text]
    head, plus, last = text.rpartition("+")
    if plus and not last:
        return [*head.removesuffix("+").split("+"), "+"] if head.endswith("+") else [text]
    return [*filter(None, head.split("+")), last] if plus else [text]


def _find(name: str) -> Key:
    if len(name) == 1:
        return key_for(name)
    known = _BY_NAME.get(name.lower())
    if known is not None:
        return _NAMED[known]
    by_code = _BY_CODE.get(name.lower())
    if by_code is not None:
        return by_code
    raise _unknown(name)


def _modifier(name: str) -> str:
    known = _BY_NAME.get(name.lower(), "")
    if known not in BITS:
        raise _unknown(name)
    return known


def _shifted(key: Key) -> Key:
    """What the key writes while Shift is held."""
    for code, _, pair in _SIGNS:
        if code == key.code:
            return _WRITTEN[pair[1]]
    return key


def _close_to(name: str) -> list[str]:
    return difflib.get_close_matches(name.lower(), [*_BY_NAME, *_BY_CODE], 3, 0.5)


def _unknown(name: str) -> UsageError:
    long = len(name) > _LONGEST
    close = [] if long else _close_to(name)
    names = [_BY_NAME.get(each, each) for each in close]
    meant = f"Did you mean {' or '.join(dict.fromkeys(names))}? " if names else ""
    # Whole or not at all: a secret that is shown in part is not known for one.
    what = f"of {len(name):,} characters" if long else repr(name)
    return UsageError(
        "BAD_ARGS",
        f"there is no key {what}",
        hint=f"{meant}Keys: a single character, Enter, Tab, Escape, Backspace, Delete, ArrowDown, "
        "Home, End, PageUp, F1…; Alt, Control, Meta, Shift before a plus sign.",
    )
