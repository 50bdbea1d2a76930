"""Secrets by name: `{{NAME}}` in what is typed, never a value in anything that comes out.

A client writes the name; the value takes its place when the tool runs, and the name takes the
value's place in every text that leaves: answers, log, audit, in whatever form a page may give it
back (in an address, in JSON, in HTML, as base64). It cannot be hidden from a picture of the page,
nor from a script of the caller that takes it apart.
"""

import base64
import json
import logging
import os
import re
import stat
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.errors import UsageError

SHORTEST = 4
"""Characters of a value: a shorter one would be found, and blotted out, in any text."""

_LONGEST = 100_000  # bytes of the file
_FRAGMENT = 8  # characters of base64 that are no coincidence
_START = 6  # characters of a value that are none where a text was cut
_KNOWN = 60  # characters of a value by which the rest of it is known there
_CUT = re.compile(r"…|\\u2026")  # what every text that was cut has at its end, and in JSON
_TORN = r"(?:(?:%[0-9A-Fa-f]{0,2}){1,4}|&\#?\w{0,6}|\\\w{0,4})?"  # an escape that was cut in two
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r"\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}")
_LINE = re.compile(r"(?:export\s+)?(?P<name>[^=\s]+)\s*=\s*(?P<value>.*)")
_SIGN = re.compile("%[0-9A-Fa-f]{2}|.", re.DOTALL)  # an escape in a value may change its letters
_PLAIN = re.compile(r"[A-Za-z0-9_.-]")  # what nobody escapes
_ENTITIES = {"&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos", "\xa0": "nbsp"}
_BASE64 = (base64.b64encode, base64.urlsafe_b64encode)
_TYPED = {"type": "text", "fill_form": "fields", "press": "key"}
Ways = list[str]
"""How one sign of a value may be written: patterns, each of which begins with a character."""


class Secrets:
    """Values by name; without any, texts go through as they are."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})
        for name, value in self._values.items():
            _check(name, value)
        forms = [(form, name) for name, value in self._values.items() for form in _forms(value)]
        forms.sort(key=lambda each: len(each[0]), reverse=True)  # the longest first
        self._named = [(_whole(form), name) for form, name in forms]
        self._found = re.compile("|".join(form for form, _ in self._named)) if forms else None
        self._cut = {name: _cut_pattern(value) for name, value in self._values.items()}

    @property
    def names(self) -> list[str]:
        return sorted(self._values)

    def fill(self, tool: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a tool, with values for names in what it types.

        In nothing else: what is said of a selector, say, may show where it was cut.
        """
        typed = _TYPED.get(tool) if self._values else None
        return {
            name: self._filled(value) if name == typed else value for name, value in values.items()
        }

    def scrub(self, text: str) -> str:
        """The text with names for values."""
        if self._found is None:
            return text
        told = self._found.sub(self._name, text)
        if _CUT.search(told):
            for name, start in self._cut.items():
                told = start.sub(f"{{{{{name}}}}}", told)
        return told

    def cover(self, logger: logging.Logger) -> None:
        """Have everything scrubbed that this logger's handlers write."""
        for handler in logger.handlers:
            handler.setFormatter(_Scrubbing(self, handler.formatter or logging.Formatter()))

    def _name(self, found: re.Match[str]) -> str:
        name = next(name for form, name in self._named if re.fullmatch(form, found[0]))
        return f"{{{{{name}}}}}"

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
    starts = [_start(form) for form in forms if len(form) > _START]
    if not starts:
        return re.compile(r"(?!)")
    return re.compile(f"(?:{'|'.join(starts)}){_TORN}(?={_CUT.pattern})")


def _whole(form: Sequence[Ways]) -> str:
    """All of it. Its ways begin with characters, not with a choice of ways: found ten times sooner.

    (That is measured with 20 secrets in 200 KB of text.)
    """
    first, *others = form
    rest = "".join(map(_either, others))
    return "|".join(f"{way}{rest}" for way in first)


def _start(form: Sequence[Ways]) -> str:
    """Its first signs and any number of those that follow."""
    more = r"\S*" if len(form) > _KNOWN else ""
    for sign in reversed(form[_START:_KNOWN]):
        more = f"(?:{_either(sign)}{more})?"
    return "".join(map(_either, form[:_START])) + more


def _either(ways: Ways) -> str:
    return f"(?:{'|'.join(ways)})" if len(ways) > 1 else ways[0]


def _forms(value: str) -> Iterator[list[Ways]]:
    """How a value may come back: its signs, one after the other."""
    one_line = " ".join(value.split())  # as our own sentences quote it
    for plain in dict.fromkeys((value, one_line, value.strip())):
        yield [_ways(found) for found in _SIGN.findall(plain)]
    data = value.encode(errors="replace")
    encoded = [encode(data).decode() for encode in _BASE64]
    for encode in _BASE64:
        for offset in range(3):
            encoded += _fragment(encode(b"\0" * offset + data).decode(), offset, len(data))
    for text in dict.fromkeys(encoded):
        yield [[re.escape(each)] for each in text]


def _ways(sign: str) -> Ways:
    """Patterns of one sign, in whatever it may have been escaped for.

    Sign by sign, for an address, a form, JSON and HTML each escape other ones, and not all of them.
    """
    if _PLAIN.fullmatch(sign):
        return [re.escape(sign)]
    if len(sign) > 1:
        return [_in_hex(sign), "".join(_either(_ways(each)) for each in sign)]
    number, escaped = ord(sign), json.dumps(sign)[1:-1]
    ways = [
        re.escape(sign),
        re.escape(escaped) if escaped != sign else rf"\\{re.escape(sign)}",
        "".join(_in_hex(f"%{byte:02x}") for byte in sign.encode(errors="replace")),
        rf"\\u{_in_hex(f'{number:04x}')}",
        rf"\\x{_in_hex(f'{number:02x}')}",
        rf"&\#0*{number};",
        rf"&\#[xX]0*{_in_hex(f'{number:x}')};",
    ]
    ways += [r"\+"] if sign == " " else []
    ways += [f"&{_ENTITIES[sign]};"] if sign in _ENTITIES else []
    return ways


def _in_hex(digits: str) -> str:
    """With either kind of letters."""
    return "".join(f"[{c.lower()}{c.upper()}]" if c.isalpha() else c for c in digits)


def _fragment(encoded: str, offset: int, length: int) -> Iterator[str]:
    """The part of a base64 text that is there whatever comes before and after the value."""
    begin, end = -(-offset * 8 // 6), (offset + length) * 8 // 6
    if end - begin >= _FRAGMENT:
        yield encoded[begin:end]
