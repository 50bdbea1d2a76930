"""What every generated module builds on: objects, events, commands, and how they are read.

Values come in as `msgspec.Raw` and are decoded where they are used, so a payload that does not
fit hurts its reader and nobody else. `strict=False` lets an integer arrive as `1.0`; unknown
fields are ignored and enums are plain text, for a newer Chrome must not break us. Nothing here
forms a cycle, hence `gc=False`: trees decode a quarter to a half faster untracked.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from bridge.cdp.generated import DOMAINS

__all__ = [
    "UNSET",
    "Command",
    "Event",
    "EventTable",
    "Json",
    "Nothing",
    "Object",
    "Params",
    "Sibling",
    "UnsetType",
    "event_type",
]

if TYPE_CHECKING:
    Json: TypeAlias = object
else:
    Json = Any  # msgspec leaves such a value as it decodes; the checker makes its user look first


class Object(Struct, rename="camel", frozen=True, omit_defaults=True, gc=False):
    """An object of the protocol: a type, a result or an event."""


class Params(Struct, rename="camel", frozen=True, omit_defaults=True, gc=False):
    """The parameters of one command; what was not given is not sent."""


class Nothing(Object, frozen=True):
    """The result of a command that answers with an empty object."""


class Event(Object, frozen=True):
    """Something Chrome tells without being asked."""

    METHOD: ClassVar[str]

    @classmethod
    def read(cls, raw: bytes | Raw) -> Self:
        """Decode the `params` of this event; msgspec.ValidationError if they do not fit."""
        event: Self = _decode(cls, raw)
        return event


EventTable: TypeAlias = dict[str, type[Event]]

R_co = TypeVar("R_co", bound=Object, covariant=True)


class Command(Struct, Generic[R_co], frozen=True, gc=False):
    """One call, ready to send: put `method` and `params` into an envelope and encode that once."""

    method: str
    params: Params | None
    result: type[R_co]

    def encode_params(self) -> bytes:
        """The parameters alone, for transports that want them apart from the envelope."""
        return b"{}" if self.params is None else msgspec.json.encode(self.params)

    def read(self, raw: bytes | Raw) -> R_co:
        """Decode the `result` of this command; msgspec.ValidationError if it does not fit."""
        result: R_co = _decode(self.result, raw)
        return result


class Sibling:
    """Stands for another domain's module in annotations, and imports it when a type is needed.

    Resolving one field resolves its whole class: with real imports the first decoder of Target
    pulled in five further domains. `plain` names the types that are text or numbers, which is
    what nearly all references are.
    """

    def __init__(self, module: str, **plain: object) -> None:
        self._module = module
        self.__dict__.update(plain)

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(f"bridge.cdp.generated.{self._module}"), name)


def event_type(method: str) -> type[Event] | None:
    """The class of `Page.loadEventFired` and the like; None for an event this build never heard of.

    Loads the module of that domain and no other.
    """
    module = DOMAINS.get(method.partition(".")[0])
    return None if module is None else _events(module).get(method)


@cache
def _events(module: str) -> EventTable:
    events: EventTable = import_module(f"bridge.cdp.generated.{module}").EVENTS
    return events


@cache
def _decoder(kind: type[Object]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind, strict=False)


def _decode(kind: type[Object], raw: bytes | Raw) -> Any:
    try:
        return _decoder(kind).decode(raw)
    except RecursionError as error:
        # A page decides how deep its tree is; 500 levels of DOM.Node exhaust Python's stack.
        raise msgspec.ValidationError("Nested too deeply to decode") from error
