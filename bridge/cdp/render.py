"""One domain of the protocol as the text of a Python module.

Everything the module needs is found first (annotations note siblings and inline enums as they are
resolved), the head is written last. Two things of one module that would share a name are an error
here rather than a surprise there.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from bridge.cdp.model import CommandDef, Domain, EventDef, Member, Protocol, TypeDef
from bridge.cdp.naming import is_irregular, module_name, pascal, python_name
from bridge.cdp.prose import WIDTH, describe, docstring
from bridge.cdp.references import PRIMITIVES, Enum, References

_HEAD = """\
from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NewType, TypeAlias

from msgspec import UNSET, UnsetType, field

from bridge.cdp.base import Command, Event, EventTable, Json, Nothing, Object, Params, Sibling
"""


class Renderer:
    """Writes one domain; `names` counts what the module defines."""

    def __init__(self, protocol: Protocol, domain: Domain) -> None:
        self._protocol = protocol
        self._domain = domain
        self._refs = References(protocol, domain, {}, {})
        self._names: Counter[str] = Counter()
        self._find_siblings()

    def module(self) -> str:
        """The whole text."""
        domain = self._domain
        aliases = [line for kind in domain.types for line in self._alias(kind)]
        newtypes = [line for kind in domain.types for line in self._newtype(kind)]
        classes = [line for kind in domain.types for line in self._class(kind)]
        commands = [line for command in domain.commands for line in self._command(command)]
        events = [line for event in domain.events for line in self._event(event)]
        title = describe(domain, f"The {domain.domain} domain.")
        lines = [_origin(self._protocol), *docstring(title), "", _HEAD]
        lines += [*self._checked_only(), *newtypes, *classes, *aliases, *commands, *events]
        lines += ["", *self._event_table()]
        self._refuse_collisions()
        return "\n".join(lines).rstrip() + "\n"

    def _find_siblings(self) -> None:
        # All of them before the first name is chosen: a member must give way to any of them.
        domain = self._domain
        groups = [kind.properties or [_unnamed(kind)] for kind in domain.types]
        groups += [group for c in domain.commands for group in (c.parameters, c.returns)]
        groups += [event.parameters for event in domain.events]
        scratch = References(self._protocol, domain, {}, self._refs.siblings)
        for number, group in enumerate(groups):
            for member in group:
                scratch.annotation(member, f"Scratch{number}")

    def _name(self, member: Member) -> str:
        return python_name(member.name, self._refs.siblings.keys())

    def _define(self, name: str) -> str:
        self._names[name] += 1
        return name

    def _refuse_collisions(self) -> None:
        twice = [name for name, count in self._names.items() if count > 1]
        if twice:
            raise ValueError(f"{self._domain.domain}: defined twice: {', '.join(twice)}")

    # -- types -----------------------------------------------------------------------------------

    def _newtype(self, kind: TypeDef) -> list[str]:
        if kind.type in ("object", "array") or kind.enum:
            return []
        name = self._define(kind.id)
        if kind.type == "number":  # a quantity, not an identifier: 0.5 ought to be welcome
            return [f"{name}: TypeAlias = float", *docstring(describe(kind))]
        return [f'{name} = NewType("{name}", {PRIMITIVES[kind.type]})', *docstring(describe(kind))]

    def _alias(self, kind: TypeDef) -> list[str]:
        if kind.enum:
            self._refs.enums[kind.id] = Enum(kind.id, tuple(kind.enum), describe(kind))
            return []
        if kind.type == "array" or (kind.type == "object" and not kind.properties):
            target = self._refs.annotation(_unnamed(kind), kind.id)
            name = self._define(kind.id)
            return [f"{name}: TypeAlias = {target}", *docstring(describe(kind))]
        return []

    def _class(self, kind: TypeDef) -> list[str]:
        if not kind.properties:
            return []
        return self._struct(kind.id, "Object", describe(kind, f"{kind.id}."), kind.properties)

    def _struct(
        self, name: str, base: str, doc: str, members: Sequence[Member], *first: str
    ) -> list[str]:
        self._define(name)
        head = f"class {name}({base}, kw_only=True, frozen=True):"
        lines = ["", "", head, *docstring(doc, "    "), "", *first]
        for member in members:
            lines.append(f"    {self._name(member)}: {self._field(member, name)}")
            lines += docstring(describe(member), "    ")
        return lines

    def _field(self, member: Member, owner: str) -> str:
        """Annotation and default of a field."""
        annotation, default = self._optional(member, self._refs.annotation(member, owner))
        if is_irregular(member.name, self._name(member)):
            given = f"default={default}, " if default else ""
            return f'{annotation} = field({given}name="{member.name}")'
        return f"{annotation} = {default}" if default else annotation

    @staticmethod
    def _optional(member: Member, annotation: str) -> tuple[str, str]:
        if not member.optional:
            return annotation, ""
        if annotation == "Json":  # to V8 null is a value, and not the same as none given
            return "Json | UnsetType", "UNSET"
        return f"{annotation} | None", "None"

    # -- commands and events ---------------------------------------------------------------------

    def _command(self, command: CommandDef) -> list[str]:
        params = sorted(command.parameters, key=lambda member: member.optional)
        result = f"{pascal(command.name)}Result" if command.returns else "Nothing"
        lines: list[str] = []
        if command.returns:
            doc = f"What {self._domain.domain}.{command.name} returns."
            lines += self._struct(result, "Object", doc, command.returns)
        if params:
            lines += self._params(command, params)
        return [*lines, *self._function(command, params, result)]

    def _params(self, command: CommandDef, params: Sequence[Member]) -> list[str]:
        name = self._define(f"_{pascal(command.name)}Params")
        lines = ["", "", f"class {name}(Params, frozen=True):"]
        owner = pascal(command.name)
        return lines + [f"    {self._name(m)}: {self._field(m, owner)}" for m in params]

    def _function(self, command: CommandDef, params: Sequence[Member], result: str) -> list[str]:
        name = self._define(python_name(command.name, self._refs.siblings.keys()))
        owner = pascal(command.name)
        made = _call(f"_{owner}Params", map(self._name, params), "        ") if params else "None"
        method = json.dumps(f"{self._domain.domain}.{command.name}")
        entries = [f"{self._name(m)}: {describe(m)}" for m in params if describe(m)]
        head = [f"def {name}(", *self._signature(params, owner), f") -> Command[{result}]:"]
        return [
            "",
            "",
            *(head if params else ["".join(head)]),
            *docstring(self._command_text(command), "    ", entries),
            f"    return {_call('Command', (method, made, result), '    ')}",
        ]

    def _signature(self, params: Sequence[Member], owner: str) -> list[str]:
        lines: list[str] = []
        for member in params:
            if member.optional and "    *," not in lines:
                lines.append("    *,")
            annotation, default = self._optional(member, self._refs.annotation(member, owner))
            tail = f" = {default}" if default else ""
            lines.append(f"    {self._name(member)}: {annotation}{tail},")
        return lines

    def _command_text(self, command: CommandDef) -> str:
        text = describe(command, f"Send {self._domain.domain}.{command.name}.")
        return f"{text} Redirects to {command.redirect}." if command.redirect else text

    def _event(self, event: EventDef) -> list[str]:
        method = f"{self._domain.domain}.{event.name}"
        doc = describe(event, f"{method}.")
        constant = f'    METHOD = "{method}"'
        return self._struct(pascal(event.name), "Event", doc, event.parameters, constant)

    def _event_table(self) -> list[str]:
        entries = [
            f'    "{self._domain.domain}.{event.name}": {pascal(event.name)},'
            for event in self._domain.events
        ]
        if not entries:
            return ["", "EVENTS: EventTable = {}"]
        return ["", "EVENTS: EventTable = {", *entries, "}"]

    # -- what only the checker sees --------------------------------------------------------------

    def _checked_only(self) -> list[str]:
        enums = [self._refs.enums[name] for name in sorted(self._refs.enums)]
        siblings = sorted(self._refs.siblings)
        if not enums and not siblings:
            return []
        return [
            "if TYPE_CHECKING:",
            *(f"    from bridge.cdp.generated import {module}" for module in siblings),
            *(line for enum in enums for line in self._enum(enum)),
            "else:",
            *(self._sibling(module) for module in siblings),
            *(f"    {enum.name} = str" for enum in enums),
            "",
        ]

    def _enum(self, enum: Enum) -> list[str]:
        name = self._define(enum.name)
        values = [json.dumps(value) for value in enum.values]
        line = f"    {name}: TypeAlias = Literal[{', '.join(values)}] | str"
        if len(line) > WIDTH:
            lines = [f"    {name}: TypeAlias = Literal["]
            lines += [*(f"        {value}," for value in values), "    ] | str"]
        else:
            lines = [line]
        return [*lines, *docstring(enum.description, "    ")]

    def _sibling(self, module: str) -> str:
        plain = self._refs.siblings[module]
        given = "".join(f", {name}={plain[name]}" for name in sorted(plain))
        return f'    {module} = Sibling("{module}"{given})'


def _origin(protocol: Protocol) -> str:
    return f"# Generated by bridge.cdp.generate from Chromium {protocol.browser}. Do not edit."


def _call(function: str, arguments: Iterable[str], indent: str) -> str:
    """A call; on a line per argument where one line would be too long to read in a diff."""
    given = list(arguments)
    line = f"{function}({', '.join(given)})"
    if len(indent) + len(line) <= WIDTH and "\n" not in line:
        return line
    inner = "".join(f"{indent}    {argument},\n" for argument in given)
    return f"{function}(\n{inner}{indent})"


def _unnamed(kind: TypeDef) -> Member:
    return Member(type=kind.type, items=kind.items, values=kind.values)


def render_domain(protocol: Protocol, domain: Domain) -> str:
    """The text of the module of one domain."""
    return Renderer(protocol, domain).module()


def render_index(protocol: Protocol) -> str:
    """The text of the package's own module: which domains there are, and from which browser."""
    modules = {domain.domain: module_name(domain.domain) for domain in protocol.domains}
    names = sorted(modules.values())
    lines = [
        _origin(protocol),
        '"""One module per domain of the protocol; each is imported when it is first used."""',
        "",
        "from typing import TYPE_CHECKING",
        "",
        "if TYPE_CHECKING:",
        *(f"    from bridge.cdp.generated import {name} as {name}" for name in names),
        "",
        f'CHROMIUM = "{protocol.browser}"',
        "",
        "DOMAINS = {",
        *(f'    "{domain}": "{modules[domain]}",' for domain in sorted(modules)),
        "}",
        "",
        "__all__ = [",
        *(f'    "{name}",' for name in names),
        "]",
    ]
    return "\n".join(lines) + "\n"
