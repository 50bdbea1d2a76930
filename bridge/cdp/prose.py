"""Descriptions of the protocol as docstrings: refilled, escaped, with the flags said in words."""

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Protocol

WIDTH = 96

_BREAK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")  # a blank line, or before a list item
_RISKY_QUOTE = re.compile(r'"(?="|\Z)')  # could join with another, or with the closing ones


class Described(Protocol):
    """Anything of the protocol that carries a description and flags."""

    description: str
    experimental: bool
    deprecated: bool


def describe(thing: Described, fallback: str = "") -> str:
    """The description followed by its flags; `fallback` where there is none."""
    text = (thing.description.strip() or fallback).rstrip()
    if text and text[-1] not in ".!?:)" and "://" not in text.split()[-1]:
        text += "."
    flags = (("Experimental.", thing.experimental), ("Deprecated.", thing.deprecated))
    return " ".join(part for part in (text, *(word for word, on in flags if on)) if part)


def docstring(text: str, indent: str = "", entries: Sequence[str] = ()) -> list[str]:
    """The lines of a docstring; none at all for an empty text. `entries` form a list below it."""
    width = WIDTH - len(indent)
    body = [*_fill(_escape(text), width)]
    if not body:
        return []
    if entries:
        body += ["", *(line for entry in entries for line in _entry(_escape(entry), width))]
    if len(body) == 1:
        return [f'{indent}"""{body[0]}"""']
    lines = [f'"""{body[0]}', *body[1:], '"""']
    return [f"{indent}{line}".rstrip() for line in lines]


def _escape(text: str) -> str:
    return _RISKY_QUOTE.sub(r'\\"', text.replace("\\", "\\\\"))


def _fill(text: str, width: int) -> Iterator[str]:
    # The protocol's line breaks are those of its source files; only paragraphs and lists matter.
    for paragraph in filter(None, map(_one_line, _BREAK.split(text))):
        yield from _wrap(paragraph, width - 6, "")


def _entry(text: str, width: int) -> Iterator[str]:
    yield from _wrap(_one_line(text), width, "    ")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _wrap(line: str, width: int, hanging: str) -> list[str]:
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
