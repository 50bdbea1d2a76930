"""Pins a browser's protocol: `python -m bridge.cdp.pin VERSION < answer-of-/json/protocol`.

The answer is 1.6 MB, more than half of it indentation. With one line per type, command and event
0.7 MB remain, and a diff between two browsers reads as a list of what has changed.
"""

import json
import sys
from typing import cast

from bridge.cdp.generate import PINNED
from bridge.cdp.model import parse_protocol

_Entry = dict[str, object]


def format_protocol(raw: bytes, browser: str) -> str:
    """The same description, one entry to a line, under the version it came from."""
    parse_protocol(raw)  # refuse here what the generator would refuse later
    description = cast(_Entry, json.loads(raw))
    domains = ",\n".join(_domain(entry) for entry in cast(list[_Entry], description["domains"]))
    head = f'"browser":{_line(browser)},\n"version":{_line(description["version"])}'
    return f'{{{head},\n"domains":[\n{domains}\n]}}\n'


def _domain(entry: _Entry) -> str:
    parts = [f"{_line(key)}:{_value(value)}" for key, value in entry.items()]
    return "{" + ",\n".join(parts) + "}"


def _value(value: object) -> str:
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(_line(item) for item in value) + "]"
    return _line(value)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    PINNED.write_text(format_protocol(sys.stdin.buffer.read(), sys.argv[1]), "utf-8", newline="\n")
