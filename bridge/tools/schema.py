"""Arguments of tools, from type hints: the schema a client sees, and the check we do ourselves.

Outside `cdp` the one module that knows msgspec. The published schema is as small as it can be (it
is in the model's context all the time): no titles, no nulls, no references.
"""

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec

from bridge.errors import UsageError
from bridge.policy.hosts import is_ip, parse_address
from bridge.tools.complaints import complaint

LONGEST_TARGET = 2_000
"""Characters of a selector or ref."""
_LARGEST = 1e300  # of a number; that leaves room to reckon with it

Ref = Annotated[str, msgspec.Meta(max_length=LONGEST_TARGET)]
Selector = Annotated[str, msgspec.Meta(max_length=LONGEST_TARGET)]
Text = Annotated[str, msgspec.Meta(max_length=100_000)]
Tokens = Annotated[int, msgspec.Meta(ge=0)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=10_000)]
Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=120_000)]
Held = Annotated[int, msgspec.Meta(ge=0, le=8_000)]
Latency = Annotated[float, msgspec.Meta(ge=0, le=60_000)]
Kilobits = Annotated[float, msgspec.Meta(ge=1, le=10_000_000)]
Quality = Annotated[int, msgspec.Meta(ge=0, le=100)]


@dataclass(frozen=True, slots=True)
class Arguments:
    """What one tool takes."""

    model: type[msgspec.Struct]
    schema: dict[str, Any]
    fields: Mapping[str, str]  # wire name -> Python name

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Values by Python name; BAD_ARGS names the argument, and the nearest for an unknown."""
        for name in given:
            if name not in self.fields:
                raise _unknown(name, list(self.fields))
            if _is_endless(given[name]):
                why = f"{name}: a number is expected, and one that no computer holds came"
                raise UsageError("BAD_ARGS", why, hint=self.usage)
        try:
            read = msgspec.convert(self._said(given), self.model)
        except msgspec.ValidationError as error:
            raise UsageError(
                "BAD_ARGS", complaint(str(error), given, self.schema), hint=self.usage
            ) from None
        except UnicodeEncodeError as error:  # where a text is looked up, as among fixed values
            half = ascii(error.object[error.start])
            raise UsageError(
                "BAD_ARGS", f"{half} is half of a character, and no value here", hint=self.usage
            ) from None
        return {name: getattr(read, name) for name in self.fields.values()}

    def _said(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Without what is left open by null: some clients have their models name every argument."""
        required = self.schema.get("required", [])
        return {name: given[name] for name in given if given[name] is not None or name in required}

    @property
    def usage(self) -> str:
        """What it takes, in one line."""
        required = self.schema.get("required", [])
        names = [name if name in required else f"{name}?" for name in self.fields]
        return f"Arguments: {', '.join(names)}." if names else "It takes no arguments."


def _is_endless(value: object) -> bool:
    """Whether there is a number in it that Chrome takes for an infinity, as `1e999` or 400 digits.

    Chrome does not even answer a command with one.
    """
    numbers = value if isinstance(value, list) else [value]
    return any(isinstance(each, int | float) and not abs(each) <= _LARGEST for each in numbers)


def arguments_of(function: Callable[..., Any], *, tab: bool) -> Arguments:
    """The arguments a tool's function stands for: all behind its context."""
    hints = get_type_hints(function, include_extras=True)
    fields: list[tuple[str, Any, Any]] = []
    for name, parameter in list(signature(function).parameters.items())[1:]:
        default = parameter.default
        required = default is Parameter.empty
        fields.append((name, _described(hints[name]), msgspec.NODEFAULT if required else default))
    if tab:
        fields.append(("tab_id", str | None, None))
    model = msgspec.defstruct(
        function.__name__,
        [_field(*field) for field in fields],
        rename="camel",
        kw_only=True,
        forbid_unknown_fields=True,
    )
    wire = [field.encode_name for field in msgspec.structs.fields(model)]
    return Arguments(model, _schema(model), dict(zip(wire, (f[0] for f in fields), strict=True)))


def _field(name: str, kind: Any, default: Any) -> tuple[str, Any, Any]:
    if isinstance(default, (list, dict)):
        return name, kind, msgspec.field(default_factory=type(default))
    return name, kind, msgspec.field(default=default)


def _described(hint: Any) -> Any:
    """`Annotated[T, "text"]`, as tools write it, in msgspec's terms."""
    if get_origin(hint) is Annotated:
        inner, *notes = get_args(hint)
        metas = [
            msgspec.Meta(description=note) if isinstance(note, str) else note for note in notes
        ]
        return Annotated[(_described(inner), *metas)]
    return hint


def _schema(model: type[msgspec.Struct]) -> dict[str, Any]:
    (schema,), parts = msgspec.json.schema_components([model])
    plain = _plain(schema, parts)
    assert isinstance(plain, dict)
    plain.setdefault("properties", {})
    return plain


def _plain(value: Any, parts: Mapping[str, Any]) -> Any:
    """Without references, titles, nulls and defaults that say nothing."""
    if isinstance(value, list):
        return [_plain(each, parts) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return _plain(parts[value["$ref"].rpartition("/")[2]], parts)
    if "anyOf" in value:
        choices = [each for each in value["anyOf"] if each.get("type") != "null"]
        rest = {k: v for k, v in value.items() if k != "anyOf"}
        value = {**choices[0], **rest} if len(choices) == 1 else {**rest, "anyOf": choices}
    return {
        key: {name: _plain(inner, parts) for name, inner in each.items()}
        if key == "properties"
        else _plain(each, parts)
        for key, each in value.items()
        if key not in _LEFT_OUT and (key, each) not in _EMPTY
    }


_LEFT_OUT = ("title", "maxLength")
_EMPTY: tuple[tuple[str, Any], ...] = (
    ("required", []),
    ("default", None),
    ("default", False),
    ("default", ""),
    ("default", []),
    ("default", {}),
    ("minimum", 0),  # checked all the same; nobody asks for less than nothing
    ("minimum", 1),
    ("maximum", 10_000),  # or for that much
)


_LONGEST_NAME = 200  # characters: comparing takes a second and 200 MB for each million


def nearest(name: str, known: list[str]) -> str | None:
    """What somebody may have meant; nothing with a name that is far too long to look at."""
    if len(name) > _LONGEST_NAME:
        return None
    close = difflib.get_close_matches(name.lower(), [each.lower() for each in known], 1, 0.6)
    return next((each for each in known if close and each.lower() == close[0]), None)


_ELSEWHERE = {  # what other servers call the same
    "doubleClick": "clickCount",
    "element": "ref",
    "function": "expression",
    "target": "ref",
    "text": "textContains",
    "textGone": "textContains",
    "time": "timeMs",
    "uid": "ref",
}


def _unknown(name: str, known: list[str]) -> UsageError:
    elsewhere = _ELSEWHERE.get(name)
    meant = elsewhere if elsewhere in known else nearest(name, known)
    hint = f"Did you mean {meant}? " if meant else ""
    return UsageError(
        "BAD_ARGS",
        f"there is no argument {name[:100]!r}",
        hint=f"{hint}Arguments: {', '.join(known)}." if known else "It takes no arguments.",
    )


_HOST_ONLY = re.compile(
    r"(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9a-f:]+\])(?::\d+)?(?:[/?#].*)?", re.I | re.S
)


def full_address(url: str) -> str:
    """The address that is meant, with its scheme; BAD_ARGS for what is none.

    What it may be is the policy's business.
    """
    text = url.strip()
    if not text:
        raise UsageError("BAD_ARGS", "url: the address is empty", hint="Give a full address.")
    if _HOST_ONLY.fullmatch(text):
        text = _completed(text)
    if parse_address(text) is None:
        raise UsageError(
            "BAD_ARGS",
            f"url: {text[:200]!r} is not an address",
            hint="Give a full one, such as https://example.com/.",
        )
    return text


def _completed(text: str) -> str:
    """As people write addresses: what has a number or is this machine seldom has a certificate."""
    address = parse_address(f"http://{text}")
    host = address.host if address is not None else ""
    is_plain = is_ip(host) or host == "localhost" or host.endswith(".localhost")
    return f"{'http' if is_plain else 'https'}://{text}"
