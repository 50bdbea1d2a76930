"""Secrets by name: `{{NAME}}` in what is typed, never a value in anything that comes out.

A client writes the name; the value takes its place when the tool runs, and the name takes the
value's place in every text that leaves: answers, log, audit, in whatever form a page may give it
back (in an address, in JSON, in HTML, as base64). It cannot be hidden from a picture of the page,
nor from a script of the caller that takes it apart.
"""

import base64
import html
import json
import logging
import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from bridge.errors import UsageError

SHORTEST = 4
"""Characters of a value: a shorter one would be found, and blotted out, in any text."""

_LONGEST = 100_000  # bytes of the file
_FRAGMENT = 8  # characters of base64 that are no coincidence
_START = 6  # characters of a value that are none where a text was cut
_KNOWN = 60  # characters of a value by which the rest of it is known there
_CUT = "…"  # what every text that was cut has at its end
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r"\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}")
_LINE = re.compile(r"(?:export\s+)?(?P<name>[^=\s]+)\s*=\s*(?P<value>.*)")
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_TYPING = ("type", "fill_form", "press")


class Secrets:
    """Values by name; without any, texts go through as they are."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})
        for name, value in self._values.items():
            _check(name, value)
        self._names = {
            _plain(form): name for name, value in self._values.items() for form in _forms(value)
        }
        longest_first = sorted(self._names, key=len, reverse=True)
        self._found = re.compile("|".join(map(_pattern, longest_first))) if longest_first else None
        self._cut = {name: _cut_pattern(value) for name, value in self._values.items()}

    @property
    def names(self) -> list[str]:
        return sorted(self._values)

    def fill(self, tool: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a tool that types, with values for names; others stay as they are."""
        if not self._values or tool not in _TYPING:
            return dict(values)
        return {name: self._filled(value) for name, value in values.items()}

    def scrub(self, text: str) -> str:
        """The text with names for values."""
        if self._found is None:
            return text
        told = self._found.sub(self._name, text)
        if _CUT in told:
            for name, start in self._cut.items():
                told = start.sub(f"{{{{{name}}}}}", told)
        return told

    def cover(self, logger: logging.Logger) -> None:
        """Have everything scrubbed that this logger's handlers write."""
        for handler in logger.handlers:
            handler.setFormatter(_Scrubbing(self, handler.formatter or logging.Formatter()))

    def _name(self, found: re.Match[str]) -> str:
        return f"{{{{{self._names[_plain(found[0])]}}}}}"

    def _filled(self, value: Any) -> Any:
        match value:
            case str():
                return _PLACE.sub(self._value, value)
            case list() | tuple():
                return [self._filled(each) for each in value]
            case dict():
                return {key: self._filled(each) for key, each in value.items()}
            case _:
                return value

    def _value(self, found: re.Match[str]) -> str:
        try:
            return self._values[found[1]]
        except KeyError:
            raise UsageError(
                "BAD_ARGS",
                f"there is no secret called {found[1][:100]}",
                hint=f"Secrets: {', '.join(self.names)}.",
            ) from None


class _Scrubbing(logging.Formatter):
    def __init__(self, secrets: Secrets, inner: logging.Formatter) -> None:
        super().__init__()
        self._secrets = secrets
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        return self._secrets.scrub(self._inner.format(record))


def read_secrets(file: Path) -> Secrets:
    """From TOML (`*.toml`) or lines of NAME=value; BAD_ARGS names what is wrong, never a value."""
    try:
        text = _read_private(file)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise _bad(f"the file of secrets {file} cannot be read: {why}") from None
    return Secrets(_from_toml(text, file) if file.suffix == ".toml" else _from_lines(text, file))


def _read_private(file: Path) -> str:
    with open(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as stream:
        about = os.fstat(stream.fileno())
        if not stat.S_ISREG(about.st_mode):
            raise _bad(f"the file of secrets {file} is not a file")
        if sys.platform != "win32" and about.st_mode & 0o077:
            raise _bad(
                f"the file of secrets {file} is open to others", hint=f"Run: chmod 600 {file}"
            )
        return stream.read(_LONGEST).decode("utf-8-sig")


def _from_toml(text: str, file: Path) -> dict[str, str]:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise _bad(f"the file of secrets {file} is not TOML") from None  # its words may show values
    for name, value in raw.items():
        if not isinstance(value, str):
            raise _bad(f"the secret {name[:100]} in {file} is not a text")
    return raw


def _from_lines(text: str, file: Path) -> dict[str, str]:
    values: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise _bad(f"line {number} of {file} is not NAME=value")
        values[found["name"]] = _unquoted(found["value"])
    return values


def _unquoted(value: str) -> str:
    quotes = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quotes else value


def _check(name: str, value: str) -> None:
    if not _NAME.fullmatch(name):
        raise _bad(f"{name[:100]!r} cannot be the name of a secret: letters, digits and _ can")
    if len(value.strip()) < SHORTEST:
        raise _bad(
            f"the secret {name} is empty or very short",
            hint=f"A secret has at least {SHORTEST} characters, or it would be found in any text.",
        )


def _bad(
    why: str, hint: str = "Lines of NAME=value, or TOML, in a file of mode 0600."
) -> UsageError:
    return UsageError("BAD_ARGS", why, hint=hint)


def _cut_pattern(value: str) -> re.Pattern[str]:
    """What may be left of the value where a text that held it was cut."""
    forms = sorted(_forms(value), key=len, reverse=True)
    starts = [start for form in forms if (start := _start(form))]
    return re.compile(f"(?:{'|'.join(starts)})(?={_CUT})" if starts else r"(?!)")


def _start(form: str) -> str:
    """Its first characters and any number of those that follow; "" for a form that has no more."""
    signs = [_pattern(sign) for sign in re.findall(r"%[0-9A-Fa-f]{2}|.", form, re.DOTALL)]
    more = r"\S*" if len(signs) > _KNOWN else ""
    for sign in reversed(signs[_START:_KNOWN]):
        more = f"(?:{sign}{more})?"
    return "".join(signs[:_START]) + more if len(signs) > _START else ""


def _pattern(form: str) -> str:
    """The form, with either kind of letters in the escapes of addresses."""
    return _ESCAPE.sub(lambda found: f"(?i:{found[0]})", re.escape(form))


def _plain(form: str) -> str:
    """The form with capitals in the escapes of addresses."""
    return _ESCAPE.sub(lambda found: found[0].upper(), form)


def _forms(value: str) -> Iterator[str]:
    """How a value may come back."""
    one_line = " ".join(value.split())  # as our own sentences quote it
    for plain in {value, one_line, value.strip()}:
        yield plain
        for escaped in (json.dumps(plain), json.dumps(plain, ensure_ascii=False)):
            yield escaped[1:-1]
        yield html.escape(plain)
        yield html.escape(plain, quote=False)
        yield from (quote(plain), quote(plain, safe=""), quote_plus(plain))
    data = value.encode(errors="replace")
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(data).decode()
        for offset in range(3):
            yield from _fragment(encode(b"\0" * offset + data).decode(), offset, len(data))


def _fragment(encoded: str, offset: int, length: int) -> Iterator[str]:
    """The part of a base64 text that is there whatever comes before and after the value."""
    begin, end = -(-offset * 8 // 6), (offset + length) * 8 // 6
    if end - begin >= _FRAGMENT:
        yield encoded[begin:end]
