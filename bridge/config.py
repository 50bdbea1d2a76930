"""Where options come from: file < environment < flags. Their only reader.

The options themselves are frozen dataclasses in the rooms that use them; flags, help and
`docs/options.md` are made from their fields, so each exists once. A value that cannot be used is an
error that names its source; only an unknown environment variable is merely reported, for another
version may know it.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import click
from platformdirs import user_config_path

from bridge import log
from bridge.errors import UsageError
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.proxy.options import ProxyOptions
from bridge.relay.options import PREFER, LinkOptions, StandingLink
from launcher.options import LaunchOptions

PREFIX = "CHROME_BRIDGE_"
HTTP_TOKEN = f"{PREFIX}HTTP_TOKEN"  # no flag: everybody can read a command line
LINK_TOKEN = f"{PREFIX}LINK_TOKEN"  # nor these
PROXY_TOKEN = f"{PREFIX}PROXY_TOKEN"
_FLAG_NAMES = {
    "executable": "executable-path",
    "extensions": "load-extension",
    "chrome_args": "chrome-arg",
}
_TOKEN_LENGTH = 32
_LINK_TOKEN = re.compile(r"[A-Za-z0-9_-]{32,64}")  # as a person may have to paste it
_CHOICES = {"log_level": tuple(log.LEVELS), "prefer": PREFER}
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """What is written about our own doings."""

    log_level: Annotated[log.Level, "How much is logged: off, important or all."] = "important"
    log_file: Annotated[Path | None, "Log into this file instead of to standard error."] = None


KINDS: tuple[type, ...] = (
    LaunchOptions,
    LinkOptions,
    PolicyOptions,
    ServeOptions,
    ProxyOptions,
    LogOptions,
)


@dataclass(frozen=True, slots=True)
class Option:
    """One field of an options class, as a flag."""

    field: str
    flag: str  # without the dashes in front
    kind: Literal["switch", "text", "number", "path", "size"]
    repeatable: bool
    help: str
    default: object

    @property
    def variable(self) -> str:
        return PREFIX + self.flag.upper().replace("-", "_")


_options: dict[type, tuple[Option, ...]] = {}


def options_of(kind: type) -> tuple[Option, ...]:
    """The flags an options class stands for; worked out once, for every command asks."""
    if kind not in _options:
        _options[kind] = tuple(_read_options(kind))
    return _options[kind]


def _read_options(kind: type) -> Iterator[Option]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        hint, help_text = get_args(hints[field.name])[:2]
        name = _FLAG_NAMES.get(field.name, field.name.replace("_", "-"))
        default = field.default
        if default is MISSING and callable(field.default_factory):
            default = field.default_factory()
        yield Option(field.name, name, _kind(hint), _repeatable(hint), help_text, default)


def _repeatable(hint: object) -> bool:
    return get_origin(hint) is tuple and Ellipsis in get_args(hint)


def _kind(hint: object) -> Literal["switch", "text", "number", "path", "size"]:
    inner = {arg for arg in get_args(hint) if arg not in (type(None), Ellipsis)} or {hint}
    if bool in inner:
        return "switch"
    if any(get_origin(arg) is tuple for arg in inner):
        return "size"
    if int in inner:
        return "number"
    return "path" if Path in inner else "text"


# Flags.


def flags(*kinds: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator that gives a command the flags of these classes and `--config`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed([o for kind in kinds for o in options_of(kind)]):
            command = _flag(option)(command)
        return click.option(
            "config_file",
            "--config",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Read options from this TOML file instead of the usual one.",
        )(command)

    return decorate


def _flag(option: Option) -> Callable[[Callable[..., None]], Callable[..., None]]:
    shown = f"{option.help} [env: {option.variable}]"
    if option.kind == "switch":
        names = f"--{option.flag}/--no-{option.flag}"
        return click.option(option.field, names, default=None, help=shown)
    choices = _CHOICES.get(option.field)
    return click.option(
        option.field,
        f"--{option.flag}",
        default=None,
        multiple=option.repeatable,
        type=click.Choice(choices) if choices else str,
        metavar=None if choices else _METAVARS[option.kind],
        help=shown,
    )


_METAVARS = {"text": "TEXT", "number": "NUMBER", "path": "PATH", "size": "WIDTHxHEIGHT"}


# Values.


def build(
    kind: type[T],
    flag_values: Mapping[str, Any],
    *,
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> T:
    """An options object from all three sources; BAD_ARGS names the one that is wrong."""
    environment = os.environ if environment is None else environment
    from_file, source = _read_file(file)
    values: dict[str, object] = {}
    for option in options_of(kind):
        if option.flag in from_file:
            values[option.field] = _convert(
                option, from_file[option.flag], f"{source}: {option.flag}"
            )
        if option.variable in environment:
            text = environment[option.variable]
            given: object = _several(option, text) if option.repeatable else text
            values[option.field] = _convert(option, given, option.variable)
        if flag_values.get(option.field) not in (None, ()):
            values[option.field] = _convert(option, flag_values[option.field], f"--{option.flag}")
    built = kind(**values)
    if isinstance(built, LaunchOptions):
        check_conflicts(built, values)
    return built


def _several(option: Option, text: str) -> list[str]:
    """The values in one variable: paths as in PATH, all others between blanks.

    Hosts and switches have colons of their own: `example.com:8080` is not the whole of example.com.
    """
    return (text.split(os.pathsep) if option.kind == "path" else text.split()) or [text]


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Variables that look like ours and mean nothing to this version."""
    known = {option.variable for kind in KINDS for option in options_of(kind)}
    known |= {HTTP_TOKEN, LINK_TOKEN, PROXY_TOKEN}
    return sorted(n for n in environment if n.startswith(PREFIX) and n not in known)


def bearer_token(environment: Mapping[str, str], name: str) -> str | None:
    """The token that this variable sets, HTTP_TOKEN or PROXY_TOKEN; BAD_ARGS if it is no secret."""
    token = environment.get(name)
    if token is None:
        return None
    if len(token) < _TOKEN_LENGTH or not token.isascii() or not token.isprintable() or " " in token:
        raise _bad(name, f"a token has at least {_TOKEN_LENGTH} characters, none a space")
    return token


def with_token(link: LinkOptions, environment: Mapping[str, str]) -> LinkOptions:
    """The link with the token that the environment sets; BAD_ARGS if it could not last."""
    token = environment.get(LINK_TOKEN)
    if token is None:
        return link
    if not _LINK_TOKEN.fullmatch(token):
        raise _bad(LINK_TOKEN, "a token is 32 to 64 letters, digits, - and _")
    if not link.link_port:
        raise _bad(LINK_TOKEN, "a browser that knows the token needs --link-port to find us")
    return StandingLink(**asdict(link), token=token)


def default_file() -> Path:
    """The file that is read when none is named."""
    return user_config_path("chrome-bridge", appauthor=False) / "config.toml"


def _read_file(file: Path | None) -> tuple[dict[str, object], str]:
    path = file or default_file()
    try:
        if path.is_fifo():  # each kind of option is read by itself: most would be of an empty file
            raise _bad(str(path), "it is a pipe, which can be read only once; name a file")
        text = path.read_text(encoding="utf-8-sig")  # as editors on Windows begin it
    except FileNotFoundError:
        if file is None:
            return {}, ""
        raise _bad(str(path), "there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _bad(str(path), f"it cannot be read: {error}") from error

    import tomllib  # most have no such file

    try:
        raw = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _bad(str(path), f"it cannot be read: {error}") from error
    values = {name.replace("_", "-"): value for name, value in raw.items()}
    known = {o.flag for kind in KINDS for o in options_of(kind)}
    for name in values:
        if name not in known:
            raise _bad(str(path), f"it sets {name!r}, which is no option", known, name)
    return values, str(path)


def _convert(option: Option, given: object, source: str) -> object:
    if option.repeatable:
        many = given if isinstance(given, list | tuple) else [given]
        return tuple(_convert_one(option, one, source) for one in many)
    return _convert_one(option, given, source)


def _convert_one(option: Option, given: object, source: str) -> object:
    text = str(given).strip()
    try:
        if "\0" in text:  # which the system takes for the end
            raise ValueError(text)
        match option.kind:
            case "switch":
                return given if isinstance(given, bool) else _SWITCH[text.lower()]
            case "number":
                return int(text)
            case "size":
                width, height = text.lower().split("x")
                return int(width), int(height)
            case "path" if isinstance(given, str) and text:  # empty, it would be where we are
                return Path(text).expanduser().absolute()  # who is told of it may be elsewhere
            case "text" if isinstance(given, str):
                return _chosen(option, text)
            case _:  # a number or a table in the file
                raise ValueError(text)
    except (ValueError, KeyError, RuntimeError) as error:  # that of a user without a home
        raise _bad(source, f"{text!r} is not {_EXPECTED[option.kind]}") from error


def _chosen(option: Option, text: str) -> str:
    choices = _CHOICES.get(option.field)
    if not text or (choices is not None and text not in choices):
        raise ValueError(text)
    return text


_SWITCH = {
    **dict.fromkeys(("1", "true", "yes", "on"), True),
    **dict.fromkeys(("0", "false", "no", "off"), False),
}
_EXPECTED = {
    "switch": "yes or no (1, true, on; 0, false, off)",
    "number": "a whole number",
    "size": "a size like 1280x720",
    "path": "a path",
    "text": "a text, or not one of those it may be",
}


def check_conflicts(options: LaunchOptions, given: Mapping[str, object]) -> None:
    """Wishes that exclude each other are an error, never a silent choice."""
    borrowed = [n for n in ("cdp_endpoint", "auto_connect") if getattr(options, n)]
    launching = ("isolated", "user_data_dir", "profile", "executable", "channel", "port")
    if len(borrowed) == 2:
        raise _conflict("cdp_endpoint", "auto_connect", "both name a browser")
    if borrowed:
        for name in launching:
            if name in given and given[name] != _default(name):
                raise _conflict(borrowed[0], name, "the browser runs already")
    if options.isolated:
        for name in ("user_data_dir", "profile", "keep_open"):
            if given.get(name) not in (None, False, _default(name)):
                raise _conflict("isolated", name, "a fresh profile has neither name nor future")
    if options.user_data_dir is not None and given.get("profile") not in (None, "default"):
        raise _conflict("user_data_dir", "profile", "both name the profile")


def _default(name: str) -> object:
    return next(option.default for option in options_of(LaunchOptions) if option.field == name)


def _flag_of(name: str) -> str:
    return "--" + _FLAG_NAMES.get(name, name.replace("_", "-"))


def _conflict(one: str, other: str, why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"{_flag_of(one)} and {_flag_of(other)} exclude each other: {why}",
        hint="Leave one of them out.",
    )


def _bad(source: str, why: str, known: set[str] | None = None, name: str = "") -> UsageError:
    from difflib import get_close_matches

    near = get_close_matches(name, known or (), 1)
    hint = f"Did you mean {near[0]!r}?" if near else "`chrome-bridge serve --help` lists them all."
    return UsageError("BAD_ARGS", f"{source}: {why}", hint=hint)
