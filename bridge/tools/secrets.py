"""Secrets by name: `{{NAME}}` in what is typed, never a value in anything that comes out.

A client writes the name; the value takes its place when the tool runs, and the name takes the
value's place in every text that leaves: answers, log, audit, in whatever form a page may give it
back (in an address, in JSON, in HTML, as base64, in other letters: `writing.py` has them all). It
cannot be hidden from a picture of the page, nor from a script of the caller that takes it apart.
"""

import logging
import os
import re
import stat
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bridge.errors import UsageError
from bridge.tools import writing

SHORTEST = 4
"""Characters of a value: a shorter one would be found, and blotted out, in any text."""

_LONGEST = 100_000  # bytes of the file
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r"\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}")
_LINE = re.compile(r"(?:export\s+)?(?P<name>[^=\s]+)\s*=\s*(?P<value>.*)")
_TYPED = {"type": "text", "fill_form": "fields"}


class Secrets:
    """Values by name; without any, texts go through as they are."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})
        for name, value in self._values.items():
            _check(name, value)
        self._written = writing.Written(self._values) if self._values else None

    @property
    def names(self) -> list[str]:
        return sorted(self._values)

    def fill(self, tool: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a tool, with values for names in what it types.

        In nothing else: what is said of a selector, say, may show where it was cut, and of a key
        what stands behind a plus sign. No key is called like a secret anyway.
        """
        typed = _TYPED.get(tool) if self._values else None
        return {
            name: self._filled(value) if name == typed else value for name, value in values.items()
        }

    def scrub(self, text: str) -> str:
        """The text with names for values."""
        return self._written.replaced(text) if self._written else text

    def cover(self, logger: logging.Logger) -> None:
        """Have everything scrubbed that this logger's handlers write."""
        for handler in logger.handlers:
            handler.setFormatter(_Scrubbing(self, handler.formatter or logging.Formatter()))

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
