"""What is wrong with an argument, in words of ours: which one, what is expected, what came.

msgspec's own sentences speak of its types, and of paths from a `$` that no caller ever wrote.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from bridge.page.quoting import quoted

_MISSING = re.compile(r"^Object missing required field `(?P<name>[^`]*)`")
_AT = re.compile(r"^(?P<what>.*?)(?: - at (?:`key` in )?`\$\.?(?P<path>[^`]*)`)?$", re.DOTALL)
_KIND = re.compile(
    r"Expected `(?P<kinds>[^`]*)`(?: of length)?(?: (?P<sign><=|>=|<|>) (?P<bound>-?[\d.]+))?"
)
_STEP = re.compile(r"[^.\[\]]+")
_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
_SIGNS = {"<=": "at most", ">=": "at least", "<": "less than", ">": "more than"}
_LONGEST = 80  # characters of what came


def complaint(message: str, given: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """One sentence of msgspec's, said again for whoever made the call."""
    if missing := _MISSING.match(message):
        return f"{missing['name']} is missing"
    found = _AT.match(message)
    if found is None or not found["path"]:
        return quoted(message)
    path = found["path"][:100].removesuffix("[...]")  # it does not say which of an object's values
    return f"{path}: {_expected(found['what'], path, schema)} is expected, {_came(given, path)}"


def _expected(what: str, path: str, schema: Mapping[str, Any]) -> str:
    choices = _choices(path, schema)
    if what.startswith("Invalid enum value") and choices:
        return f"one of {', '.join(map(str, choices))}"
    found = _KIND.match(what)
    if found is None:
        return "something else"
    kinds = [kind for kind in found["kinds"].split(" | ") if kind != "null"]
    *others, last = [_WORDS.get(kind, kind) for kind in kinds]
    words = f"{', '.join(others)} or {last}" if others else last
    if not found["sign"]:
        return words
    unit = " characters" if "of length" in what else ""
    return f"{words} of {_SIGNS[found['sign']]} {found['bound']}{unit}"


def _choices(path: str, schema: Mapping[str, Any]) -> list[Any]:
    """The values an argument may have, where these are few."""
    place: Mapping[str, Any] = schema["properties"].get(_STEP.findall(path)[0], {})
    found = place.get("enum") or place.get("items", {}).get("enum") or []
    return list(found)


def _came(given: Mapping[str, Any], path: str) -> str:
    value: Any = given
    for step in _STEP.findall(path):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, ValueError, TypeError):
            return "and that is not what came"
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"and a text of {len(value)} characters came"
    try:
        written = json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "and what came is nested too deeply to be shown"
    shown = written if len(written) <= _LONGEST else f"{written[: _LONGEST - 1]}…"
    return f"and {''.join(c if c.isprintable() else ' ' for c in shown)} came"
