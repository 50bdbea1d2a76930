"""JSON with comments and commas before closing brackets, as editors keep their settings.

`bare` lays spaces over what JSON does not know, so that everything else stays at its place in the
text; `put` writes one member there, and leaves every other character, comments too, as it was.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_STRING = r'("(?:[^"\\\n]|\\.)*")'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LAST_COMMA = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_INDENT = re.compile(r'\n([ \t]+)"')
_DECODER = json.JSONDecoder()


def bare(text: str) -> str:
    """The JSON in it, every character where it was."""
    return _LAST_COMMA.sub(_blank, _COMMENT.sub(_blank, text))


def _blank(found: re.Match[str]) -> str:
    return found[0] if found[1] else re.sub(r"[^\n]", " ", found[0])


def put(text: str, path: Sequence[str], value: object) -> str:
    """The text with this value at the end of this path of names; what `bare` says is JSON."""
    json_text = bare(text)
    unit = found[1] if (found := _INDENT.search(json_text)) else "  "
    start = end = _skip(json_text, 0)
    for depth, name in enumerate(path):
        members = {each.name: each for each in _members(json_text, start)}
        if name not in members:
            for inner in reversed(path[depth + 1 :]):
                value = {inner: value}
            told = f"{json.dumps(name)}: {_dump(value, unit, depth + 1)}"
            return _inserted(text, start + 1, told + "," * bool(members), unit, depth)
        start, end = members[name].start, members[name].end
    return text[:start] + _dump(value, unit, len(path)) + text[end:]


@dataclass(frozen=True, slots=True)
class _Member:
    """One of an object, and where its value is."""

    name: str
    start: int
    end: int


def _members(text: str, at: int) -> Iterator[_Member]:
    if text[at : at + 1] != "{":
        raise ValueError("there is something else where an object has to be")
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)  # behind the colon
        _, end = _DECODER.raw_decode(text, start)
        yield _Member(name, start, end)
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _dump(value: object, unit: str, depth: int) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"\n{unit * depth}")


def _inserted(text: str, at: int, told: str, unit: str, depth: int) -> str:
    """Before what else the object has; on a line of its own."""
    rest = text[at:]
    ends_line = rest.lstrip(" \t").startswith(("\n", "\r", "//"))
    after = "" if ends_line else "\n" + unit * (depth if rest.lstrip()[:1] == "}" else depth + 1)
    return f"{text[:at]}\n{unit * (depth + 1)}{told}{after}{rest if ends_line else rest.lstrip()}"
