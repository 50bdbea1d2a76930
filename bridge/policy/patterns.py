"""Host patterns: `*`, `*.example.com`, `example.com`, each with an optional port.

`*.example.com` is example.com and every name below it. There are no other wildcards and no prefix
or substring matches: `*.x.test` must never come to mean evilx.test. Patterns are read by the same
parser as addresses, so both are canonical when they meet.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bridge.errors import UsageError
from bridge.policy.hosts import is_in_use, is_ip, parse_address

_FORM = re.compile(
    r"(?:(?:https?|\*)://)?(\*\.)?([^/?#\\]*)(?:[/?#].*)?", re.IGNORECASE | re.DOTALL
)
_PORT = re.compile(r":(\d{1,5})\Z", re.ASCII)
_HOST = re.compile(r"\[[^\[\]]*\]|[^:]*")  # once its port is off
_MAPPED = re.compile(r"\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]")


@dataclass(frozen=True, slots=True)
class Pattern:
    """One entry of a list."""

    host: str  # canonical; "" means any
    below: bool = False  # names below it as well
    port: int | None = None  # None means any

    def __str__(self) -> str:
        host = self.host or "*"
        name = f"*.{host}" if self.below else host
        return name if self.port is None else f"{name}:{self.port}"

    def matches(self, host: str, port: int | None) -> bool:
        """Whether it means this canonical host."""
        if self.port is not None and self.port != port:
            return False
        return not self.host or host == self.host or (self.below and host.endswith(f".{self.host}"))

    def covers(self, host: str, port: int | None) -> bool:
        """The same for refusals: other spellings that reach the same machine are meant as well."""
        return any(self.matches(name, port) for name in (host, *other_spellings(host)))


def other_spellings(host: str) -> Iterator[str]:
    """A name with the root's dot behind it, and IPv4 written as IPv6, lead to the same place."""
    if mapped := _MAPPED.fullmatch(host):
        high, low = (int(part, 16) for part in mapped.groups())
        yield f"{high >> 8}.{high & 255}.{low >> 8}.{low & 255}"
    elif is_ip(host) and host.count(".") == 3:
        first, second, third, fourth = map(int, host.split("."))
        yield f"[::ffff:{first << 8 | second:x}:{third << 8 | fourth:x}]"
    elif host and not is_ip(host):
        yield host.removesuffix(".") if host.endswith(".") else f"{host}."


def parse_pattern(text: str) -> Pattern:
    """A pattern as people write it; a pasted address is reduced to its host, and its port if named.

    BAD_ARGS says what is wrong with it.
    """
    form = _FORM.fullmatch(text.strip())
    if form is None:
        raise _bad(text, "it is neither a host nor an address of one")
    below, authority = form[1] is not None, form[2]
    port = _PORT.search(authority)
    name = _PORT.sub("", authority)
    if name == "*" and not below:
        return Pattern("", port=_number(text, port))
    if "@" in name:
        raise _bad(text, "users have no say in it, only hosts")
    if "*" in name:
        raise _bad(text, "a star may only stand alone or in front, as in *.example.com")
    address = parse_address(f"http://{name}/") if _HOST.fullmatch(name) else None
    if address is None or not is_in_use(address.host):
        raise _bad(text, "this is not the name of a host")
    if ".." in f".{address.host}":  # Chrome reads such a name, and nobody can have it
        raise _bad(text, "there is nothing in front of one of its dots")
    if below and is_ip(address.host):
        raise _bad(text, "there is nothing below a numeric address")
    return Pattern(address.host, below, _number(text, port))


def _number(text: str, port: re.Match[str] | None) -> int | None:
    if port is None:
        return None
    number = int(port[1])
    if number > 65535:
        raise _bad(text, "there is no such port")
    return number


def _bad(text: str, why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"{text[:100]!r} cannot be a host pattern: {why}",
        hint="Write example.com, *.example.com (with all names below it), example.com:8080, or *.",
    )
