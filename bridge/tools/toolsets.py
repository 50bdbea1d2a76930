"""Which tools are on offer: named sets, some on from the start, the rest on demand."""

from collections.abc import Iterable

from bridge.errors import UsageError
from bridge.tools.answer import Card
from bridge.tools.registry import CORE, TOOLS, Tool

DEFAULT = ("core", "ask")
ALL = "all"


class Toolsets:
    """The sets one server offers."""

    def __init__(self, names: Iterable[str] = (), *, prefix: str = "") -> None:
        self._on: set[str] = set()
        self._prefix = prefix
        self.enable(names or [name for name in DEFAULT if name in self.known()])

    @staticmethod
    def known() -> list[str]:
        """All sets, core first, then in the order of their tools."""
        names = dict.fromkeys(tool.toolset for tool in TOOLS.values())
        return sorted(names, key=lambda name: name != CORE)

    @property
    def on(self) -> list[str]:
        return [name for name in self.known() if name in self._on]

    def enable(self, names: Iterable[str]) -> bool:
        """Offer these sets too; whether that changed anything."""
        wanted = set(names)
        known = self.known()
        unknown = wanted - {*known, ALL}
        if unknown:
            raise UsageError(
                "BAD_ARGS",
                f"there is no set of tools called {sorted(unknown)[0][:100]!r}",
                hint=f"Sets: {', '.join(known)}, or {ALL}.",
            )
        before = len(self._on)
        self._on |= set(known) if ALL in wanted else wanted
        return len(self._on) > before

    def enabled(self) -> list[Tool]:
        return [tool for tool in TOOLS.values() if tool.toolset in self._on]

    def find(self, name: str) -> Tool | None:
        """A tool on offer by its name; a client's prefix for our names is no obstacle."""
        tool = TOOLS.get(name.removeprefix(self._prefix))
        return tool if tool is not None and tool.toolset in self._on else None

    def where(self, name: str) -> str:
        """Where a tool that is not on offer could be."""
        tool = TOOLS.get(name.removeprefix(self._prefix))
        if tool is None:
            return "List the tools to see their names."
        return f'It is in the set {tool.toolset!r}: call toolsets {{"enable": ["{tool.toolset}"]}}.'

    def card(self, tool: Tool) -> Card:
        return Card(
            name=self._prefix + tool.name,
            title=tool.name.replace("_", " ").capitalize(),
            description=tool.summary,
            schema=tool.arguments.schema,
            read_only=tool.read_only,
            destructive=tool.destructive,
            idempotent=tool.idempotent,
            open_world=tool.open_world,
        )
