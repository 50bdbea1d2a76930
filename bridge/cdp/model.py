"""The protocol description as typed values: what `/json/protocol` of a browser says.

Unknown keys are refused on purpose. This is read on a developer's machine only, and a key nobody
has thought about may change what a command means; the pinned file is where we want to stumble.
The values are mutable because patches edit them in place before anything is rendered.
"""

from collections.abc import Iterator

import msgspec
from msgspec import Struct, field


class Member(Struct, forbid_unknown_fields=True, kw_only=True):
    """A property, a parameter, a returned value, or the item of an array (then without a name)."""

    name: str = ""
    description: str = ""
    optional: bool = False
    experimental: bool = False
    deprecated: bool = False
    type: str | None = None
    ref: str | None = field(name="$ref", default=None)
    enum: list[str] | None = None
    items: "Member | None" = None
    values: "Member | None" = None  # ours, set by patches: what an object used as a map holds


class TypeDef(Struct, forbid_unknown_fields=True, kw_only=True):
    """A named type of a domain."""

    id: str
    type: str
    description: str = ""
    experimental: bool = False
    deprecated: bool = False
    enum: list[str] | None = None
    items: Member | None = None
    values: Member | None = None
    properties: list[Member] = []


class CommandDef(Struct, forbid_unknown_fields=True, kw_only=True):
    """A command; `redirect` names the domain that implements it nowadays."""

    name: str
    description: str = ""
    experimental: bool = False
    deprecated: bool = False
    redirect: str | None = None
    parameters: list[Member] = []
    returns: list[Member] = []


class EventDef(Struct, forbid_unknown_fields=True, kw_only=True):
    """An event."""

    name: str
    description: str = ""
    experimental: bool = False
    deprecated: bool = False
    parameters: list[Member] = []


class Domain(Struct, forbid_unknown_fields=True, kw_only=True):
    """One domain of the protocol, a module of ours."""

    domain: str
    description: str = ""
    experimental: bool = False
    deprecated: bool = False
    dependencies: list[str] = []
    types: list[TypeDef] = []
    commands: list[CommandDef] = []
    events: list[EventDef] = []


class Version(Struct, forbid_unknown_fields=True):
    """Version of the protocol itself; it has been 1.3 for years and says nothing."""

    major: str
    minor: str


class Protocol(Struct, forbid_unknown_fields=True, kw_only=True):
    """Everything one browser offers; `browser` is the version it was taken from."""

    version: Version
    domains: list[Domain]
    browser: str = ""

    def types(self) -> Iterator[tuple[str, TypeDef]]:
        """Every type under its full name, such as `Page.FrameId`."""
        for domain in self.domains:
            for kind in domain.types:
                yield f"{domain.domain}.{kind.id}", kind

    def find_type(self, name: str) -> TypeDef:
        """The type of this full name; KeyError where the browser has none."""
        return dict(self.types())[name]

    def find_event(self, name: str) -> EventDef:
        """The event of this full name; KeyError where the browser has none."""
        wanted, _, event = name.partition(".")
        found = {(d.domain, e.name): e for d in self.domains for e in d.events}
        return found[wanted, event]


def parse_protocol(text: bytes) -> Protocol:
    """Read a description; msgspec.ValidationError names the key that is not understood."""
    return msgspec.json.decode(text, type=Protocol)


def find_member(members: list[Member], name: str) -> Member:
    """The member of this name; KeyError where there is none."""
    return {member.name: member for member in members}[name]
