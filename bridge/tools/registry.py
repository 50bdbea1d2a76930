"""Tools are declared once, where they work: `@tool(effect=…)` on the function that does it.

Name, summary and arguments come from the function itself. `effect` has no default, so no tool can
be added without answering for its safety; neither can one be used during an open dialog, without a
tab, or in turns with others unless it says so.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from inspect import getdoc
from typing import TYPE_CHECKING, Any

from bridge.policy.rules import Effect
from bridge.tools.schema import Arguments, arguments_of

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
    toolset: str
    destination: str | None  # the argument with the address that the policy is asked about
    tab: bool  # works on a tab, and takes `tabId`
    during_dialog: bool  # works while the page waits for an answer to a dialog
    patient: bool  # keeps its own, longer deadline
    destructive: bool
    idempotent: bool
    open_world: bool

    @property
    def read_only(self) -> bool:
        return self.effect in (Effect.READ, Effect.LOCAL) and not self.destructive

    async def run(self, ctx: "ToolContext", values: dict[str, Any]) -> "Reply":
        return await self.function(ctx, **values)


TOOLS: dict[str, Tool] = {}
"""All there are, by name, in the order of their modules."""


def tool(
    *,
    effect: Effect,
    toolset: str = CORE,
    destination: str | None = None,
    tab: bool = True,
    during_dialog: bool = False,
    patient: bool = False,
    destructive: bool | None = None,
    idempotent: bool = False,
    open_world: bool = True,
    name: str | None = None,
) -> Callable[[Function], Function]:
    """Declare a tool. `destructive` defaults to yes for whatever is no mere reading."""

    def declare(function: Function) -> Function:
        known = name or function.__name__.rstrip("_")
        assert known not in TOOLS, f"two tools are called {known}"
        reading = effect in (Effect.READ, Effect.LOCAL)
        TOOLS[known] = Tool(
            name=known,
            summary=" ".join((getdoc(function) or "").split()),
            function=function,
            arguments=arguments_of(function, tab=tab),
            effect=effect,
            toolset=toolset,
            destination=destination,
            tab=tab,
            during_dialog=during_dialog,
            patient=patient,
            destructive=not reading if destructive is None else destructive,
            idempotent=idempotent or reading,
            open_world=open_world,
        )
        return function

    return declare
