"""What a reference of the protocol is in Python: for the checker, and at run time.

`page.FrameId` is a type of its own to the checker, which then refuses a TargetID in its place. At
run time it is a plain `str`, so that a decoder of another domain need not import Page. An object
type of another domain has no such shortcut; it is looked up when a decoder needs it.
"""

from dataclasses import dataclass

from bridge.cdp.model import Domain, Member, Protocol, TypeDef
from bridge.cdp.naming import module_name, pascal

PRIMITIVES = {
    "string": "str",
    "binary": "str",  # base64: whoever shows an image wants it encoded anyway
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "any": "Json",
    "object": "dict[str, Json]",
}


@dataclass(frozen=True, slots=True)
class Enum:
    """An open enum that stands inline in the protocol and gets a name here."""

    name: str
    values: tuple[str, ...]
    description: str = ""


@dataclass(slots=True)
class References:
    """Resolves the references of one domain and keeps what its module will have to declare."""

    protocol: Protocol
    domain: Domain
    enums: dict[str, Enum]
    siblings: dict[str, dict[str, str]]  # module -> its plain types used here -> run-time type

    def annotation(self, member: Member, owner: str) -> str:
        """The annotation of a member of `owner`, without regard to its being optional."""
        if member.ref:
            return self._reference(member.ref)
        if member.enum:
            return self._inline_enum(member, owner)
        if member.type == "array":
            item = member.items or Member(type="any")
            named = Member(name=member.name, type=item.type, ref=item.ref, enum=item.enum)
            return f"list[{self.annotation(named, owner)}]"
        if member.values:
            return f"dict[str, {self.annotation(member.values, owner)}]"
        return PRIMITIVES[member.type or "any"]

    def _inline_enum(self, member: Member, owner: str) -> str:
        name = f"{owner}{pascal(member.name)}"
        found = Enum(name, tuple(member.enum or ()), member.description)
        if self.enums.setdefault(name, found) != found:
            raise ValueError(f"{self.domain.domain}: two enums would be called {name}")
        return name

    def _reference(self, ref: str) -> str:
        domain, _, name = ref.rpartition(".")
        if not domain or domain == self.domain.domain:
            return name
        module = module_name(domain)
        plain = self.siblings.setdefault(module, {})
        runtime = plain_type(self.protocol, self.protocol.find_type(ref), domain)
        if runtime:
            plain[name] = runtime
        return f"{module}.{name}"


def plain_type(protocol: Protocol, kind: TypeDef, domain: str) -> str | None:
    """What a type of `domain` is at run time if no class is involved, such as `list[float]`."""
    if kind.type == "object":
        return None
    if kind.type != "array":
        return PRIMITIVES[kind.type]
    item = kind.items or Member(type="any")
    if not item.ref:
        return f"list[{PRIMITIVES[item.type or 'any']}]"
    name = item.ref if "." in item.ref else f"{domain}.{item.ref}"
    inner = plain_type(protocol, protocol.find_type(name), name.partition(".")[0])
    return inner and f"list[{inner}]"
