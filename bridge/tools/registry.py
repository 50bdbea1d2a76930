"""Tools are declared once, where they work: `@tool(effect=…)` on the function that does it.

Name, summary and arguments come from the function itself. `effect` has no default, so no tool can
be added without answering for its safety; neither can one be used during an open dialog, without a
tab, or in turns with others unless it says so.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from inspect import getdoc
from types import ModuleType
from typing import TYPE_CHECKING, Any

from bridge.policy.rules import Effect
from bridge.tools.schema import Arguments, arguments_of, full_address

if TYPE_CHECKING:
    from bridge.tools.context import ToolContext
    from bridge.tools.reply import Reply

Function = Callable[..., Awaitable["Reply"]]
CORE = "core"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A declared tool."""

    name: str
    summary: str
    function: Function
    arguments: Arguments
    effect: Effect
    toolset: str = CORE
    destination: str | None = None  # the argument with the address the policy is asked about
    tab: bool = True  # works on a tab, and takes `tabId`
    during_dialog: bool = False  # works while the page waits for an answer to a dialog
    in_turn: bool = (
        True  # waits while something else is being done to its tab, unless it only reads
    )
    patient: bool = False  # keeps its own, longer deadline
    read_only: bool  # leaves everything as it was, the server's own state included
    destructive: bool
    idempotent: bool
    open_world: bool = True

    def destinations(self, values: dict[str, Any]) -> list[str]:
        """The addresses a call wants to go to, which are completed in its values."""
        given = values[self.destination] if self.destination is not None else None
        full = [full_address(url) for url in ([given] if isinstance(given, str) else given or [])]
        if self.destination is not None and given is not None:
            values[self.destination] = full[0] if isinstance(given, str) else full
        return full

    async def run(self, ctx: "ToolContext", values: dict[str, Any]) -> "Reply":
        return await self.function(ctx, **values)


TOOLS: dict[str, Tool] = {}
"""All there are, by name, as clients see them in a list."""


def put_in_order(modules: Sequence[ModuleType]) -> None:
    """List tools in the order of their modules; what is used most should be read first."""
    place = {module.__name__: number for number, module in enumerate(modules)}
    tools = sorted(TOOLS.values(), key=lambda tool: place[tool.function.__module__])
    TOOLS.clear()
    TOOLS.update((tool.name, tool) for tool in tools)


def tool(*, effect: Effect, name: str | None = None, **more: Any) -> Callable[[Function], Function]:
    """Declare a tool; `more` are further fields of Tool that are not as usual."""

    def declare(function: Function) -> Function:
        known = name or function.__name__.rstrip("_")
        assert known not in TOOLS, f"two tools are called {known}"
        TOOLS[known] = _made(known, function, effect, **more)
        return function

    return declare


def _made(
    name: str,
    function: Function,
    effect: Effect,
    *,
    tab: bool = True,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    **more: Any,
) -> Tool:
    """What only reads, or works without a page, changes nothing unless it says otherwise.

    Everything else is destructive, and not to be repeated for nothing.
    """
    harmless = effect in (Effect.READ, Effect.LOCAL) and not destructive
    reading = harmless if read_only is None else read_only
    return Tool(
        name=name,
        summary=" ".join((getdoc(function) or "").split()),
        function=function,
        arguments=arguments_of(function, tab=tab),
        effect=effect,
        tab=tab,
        read_only=reading,
        destructive=not harmless if destructive is None else destructive,
        idempotent=reading if idempotent is None else idempotent,
        **more,
    )
