"""What a tool may use while it runs."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.policy.rules import Effect
from bridge.timeouts import Timeouts
from bridge.tools.answer import Caller
from bridge.tools.desk import Desk
from bridge.tools.toolsets import Toolsets


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """One call's surroundings."""

    desk: Desk
    caller: Caller
    allow: Callable[[Effect, str], Awaitable[None]]  # ask the policy about a further address
    readable: Callable[[str], bool]  # may text of this address be shown?
    offer: Toolsets
    opened: Tab | None = None

    @property
    def tab(self) -> Tab:
        """The tab the call is for; only for tools that take one."""
        assert self.opened is not None
        return self.opened

    @property
    def timeouts(self) -> Timeouts:
        return self.desk.timeouts

    async def browser(self) -> Browser:
        """For tools that work on no tab."""
        return await self.desk.browser()
