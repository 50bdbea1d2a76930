"""What may be done where: `decide(effect, url, policy) -> Verdict`. Pure, and closed by default.

Three lists of hosts: what is in `never` is refused whatever else says so, `read` may be visited and
read, `act` may be acted on as well. Beside them stand the switches, one for each kind of harm.
Schemes are a list of what is allowed, for nobody can list all that should not be.
"""

import tomllib
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from bridge.errors import PolicyDenied, UsageError
from bridge.policy.hosts import Address, is_in_use, parse_address, told
from bridge.policy.options import PolicyOptions
from bridge.policy.patterns import Pattern, parse_pattern

_SHOWN = 20  # patterns in a refusal
_WEB = ("http", "https")
_SOCKETS = ("ws", "wss")
_MADE_IN_PAGE = ("data", "blob")  # their text came from a page, not over the network
_LOCAL = (*_MADE_IN_PAGE, "chrome-extension")  # what a page asks for there stays in the browser
_ERROR_PAGE = "chrome-error://chromewebdata/"  # what Chrome shows itself; it has no site's text
_LISTS = ("never", "read", "act")


class Effect(Enum):
    """What a call does, at its strongest."""

    LOCAL = "working without a page"
    READ = "reading"
    NAVIGATE = "going to"
    ACT = "acting on"
    EVAL = "running a script on"
    DOWNLOAD = "downloading from"
    UPLOAD = "uploading to"


_CHANGING = (Effect.ACT, Effect.EVAL, Effect.UPLOAD)
_KINDS = {
    Effect.ACT: "changing pages",
    Effect.EVAL: "running scripts of the caller",
    Effect.DOWNLOAD: "downloading",
    Effect.UPLOAD: "uploading",
}


class Level(Enum):
    """How much of a host is granted."""

    READ = "read"
    ACT = "act"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Everything the owner has allowed; the default is nothing."""

    never: tuple[Pattern, ...] = ()
    read: tuple[Pattern, ...] = ()
    act: tuple[Pattern, ...] = ()
    granted: tuple[Pattern, ...] = ()  # the user said "act" when asked, so no switch is needed
    mutations: bool = False
    eval: bool = False
    downloads: bool = False
    uploads: bool = False
    uploads_dir: Path | None = None

    @classmethod
    def from_options(cls, options: PolicyOptions, *, file: str = "") -> "Policy":
        """What the flags and the text of the policy file say together; BAD_ARGS where they err."""
        lists = _read_lists(file)
        everywhere = (Pattern(""),) if options.unsafe_all_domains else ()
        return cls(
            never=lists["never"],
            read=(*lists["read"], *map(parse_pattern, options.read_domain)),
            act=(*everywhere, *lists["act"], *map(parse_pattern, options.allow_domain)),
            mutations=options.enable_mutations,
            eval=options.unsafe_enable_eval,
            downloads=options.enable_downloads,
            uploads=options.enable_uploads,
            uploads_dir=options.uploads_dir,
        )

    @property
    def restricts(self) -> bool:
        """Whether there is any host that may not be reached: without one no gate is needed."""
        anywhere = any(not p.host and p.port is None for p in self.visited)
        return bool(self.never) or not anywhere

    @property
    def visited(self) -> tuple[Pattern, ...]:
        """Every pattern that lets a host be reached."""
        return (*self.act, *self.granted, *self.read)

    def with_grant(self, host: str, level: Level) -> "Policy":
        """The same and this host, as the user allowed it when asked."""
        pattern = parse_pattern(host)
        if level is Level.READ:
            return replace(self, read=(*self.read, pattern))
        return replace(self, granted=(*self.granted, pattern))

    def reaches(self, host: str, port: int | None) -> bool:
        """Whether anything may be sent to this canonical host at all."""
        if any(pattern.covers(host, port) for pattern in self.never):
            return False
        return any(pattern.matches(host, port) for pattern in self.visited)

    def is_granted(self, host: str, port: int | None) -> bool:
        """Whether the user said so for this host when asked."""
        return any(pattern.matches(host, port) for pattern in self.granted)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether it may be done; if not why, and which flag would allow it ("" where none would)."""

    allowed: bool
    reason: str = ""
    flag: str = ""
    host: str = ""  # the host in question, as a flag or a grant would name it

    def check(self) -> None:
        """POLICY_DENIED if it may not be done."""
        if not self.allowed:
            raise self.error()

    def error(self) -> PolicyDenied:
        """The refusal, to be raised."""
        hint = (
            f"The owner can allow it by starting with {self.flag}."
            if self.flag
            else "No flag allows this; go on without it."
        )
        facts = {"host": self.host, "flag": self.flag}
        return PolicyDenied("POLICY_DENIED", self.reason, hint=hint, facts=facts)


ALLOWED = Verdict(True)


def decide(effect: Effect, url: str, policy: Policy) -> Verdict:
    """Whether this may be done on, or (NAVIGATE, DOWNLOAD) to, this address."""
    if effect is Effect.LOCAL:
        return ALLOWED
    address = parse_address(url)
    if address is None:
        return _refuse_text(url)
    place = _decide_place(effect, address, policy)
    switch = _missing_switch(effect, address, policy)
    if place.allowed and switch:
        reason = f"{_KINDS[effect]} is switched off altogether"
        return Verdict(False, reason, switch, _name(address))
    if place.flag and switch:
        return replace(place, flag=f"{place.flag} {switch}")
    return place


def decide_request(url: str, policy: Policy) -> Verdict:
    """Whether a page may ask for this; what never leaves the browser may."""
    address = parse_address(url)
    if address is None:
        return _refuse_text(url)
    if address.is_blank or address.scheme in _LOCAL or address.href == "about:srcdoc":
        return ALLOWED
    if address.scheme not in (*_WEB, *_SOCKETS):
        return _refuse_scheme("loading", address)
    return _decide_host("loading", address, policy.visited, policy)


def _decide_place(effect: Effect, address: Address, policy: Policy) -> Verdict:
    """The scheme and the host."""
    if address.is_blank or (effect is Effect.READ and address.href == _ERROR_PAGE):
        return ALLOWED
    if address.scheme in _MADE_IN_PAGE and not policy.restricts:
        return ALLOWED
    made_there = address.scheme == "blob" and address.host and effect is not Effect.NAVIGATE
    if address.scheme not in _WEB and not made_there:
        return _refuse_scheme(effect.value, address)
    lists = (*policy.act, *policy.granted) if effect in _CHANGING else policy.visited
    return _decide_host(effect.value, address, lists, policy)


def _decide_host(
    verb: str, address: Address, lists: tuple[Pattern, ...], policy: Policy
) -> Verdict:
    host, port, name = address.host, address.port, _name(address)
    shown = told(name)
    if any(pattern.covers(host, port) for pattern in policy.never):
        return Verdict(
            False, f'{verb} {shown} is ruled out by "never" in the policy file', host=name
        )
    if any(pattern.matches(host, port) for pattern in lists):
        return ALLOWED
    if not is_in_use(host):  # a star would be a pattern: nobody may be asked to allow that
        return Verdict(False, f"{verb} {shown} is not allowed: no host has such a name", host=name)
    if policy.reaches(host, port):
        allowed = _allowed(lists, "no host may be more than read")
        reason = f"{verb} {shown} is not allowed, only reading it: {allowed}"
    else:
        reason = f"{verb} {shown} is not allowed: {_allowed(lists, 'no host is allowed yet')}"
    return Verdict(False, reason, f"--allow-domain {name}", name)


def _missing_switch(effect: Effect, address: Address, policy: Policy) -> str:
    """The flag for this kind of harm, where it is not given."""
    match effect:
        case Effect.ACT if not policy.mutations:
            granted = policy.is_granted(address.host, address.port)
            return "" if granted else "--enable-mutations"
        case Effect.EVAL if not policy.eval:
            return "--unsafe-enable-eval"
        case Effect.DOWNLOAD if not policy.downloads:
            return "--enable-downloads"
        case Effect.UPLOAD if not policy.uploads or policy.uploads_dir is None:
            folder = "" if policy.uploads_dir else "--uploads-dir FOLDER"
            return f"{'' if policy.uploads else '--enable-uploads'} {folder}".strip()
    return ""


def _refuse_text(url: str) -> Verdict:
    return Verdict(False, f"{_short(url)!r} is not an address a browser could open")


def _refuse_scheme(verb: str, address: Address) -> Verdict:
    reason = f"{verb} {_short(address.scheme)}: addresses is never allowed, only http: and https:"
    return Verdict(False, reason)


def _name(address: Address) -> str:
    """The host as one would allow it: with its port where that is unusual."""
    usual = address.port in (None, 80, 443)
    return address.host if usual else f"{address.host}:{address.port}"


def _allowed(patterns: tuple[Pattern, ...], none: str) -> str:
    if not patterns:
        return none
    shown = ", ".join(map(str, patterns[:_SHOWN]))
    more = f" and {len(patterns) - _SHOWN} more" if len(patterns) > _SHOWN else ""
    return f"allowed are {shown}{more}"


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:100] + "…"


def _read_lists(text: str) -> dict[str, tuple[Pattern, ...]]:
    """The three lists of a policy file."""
    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _bad_file(f"it is not TOML: {error}") from error
    for name in raw:
        if name not in _LISTS:
            raise _bad_file(f"it has {name[:100]!r}, which means nothing there")
    return {name: _read_list(name, raw.get(name, [])) for name in _LISTS}


def _read_list(name: str, entries: object) -> tuple[Pattern, ...]:
    if not isinstance(entries, list):
        raise _bad_file(f"{name!r} is not a list")
    for entry in entries:
        if not isinstance(entry, str):
            raise _bad_file(f"{name!r} has an entry that is no text: {str(entry)[:100]}")
    return tuple(map(parse_pattern, entries))


def _bad_file(why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"the policy file cannot be used: {why}",
        hint='It holds up to three lists, for example: read = ["*.example.com"].',
    )
