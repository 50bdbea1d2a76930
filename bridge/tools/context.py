"""What a tool may use while it runs."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.policy.rules import Effect
from bridge.timeouts import Timeouts
from bridge.tools.answer import Answer, Caller
from bridge.tools.desk import Desk
from bridge.tools.toolsets import Toolsets


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """One call's surroundings."""

    desk: Desk
    caller: Caller
    allow: Callable[[Effect, str], Awaitable[None]]  # ask the policy about a further address
    readable: Callable[[str], bool]  # may text of this address be shown?
    permits: Callable[[Effect, str], bool]  # may it be done there, without asking anybody?
    offer: Toolsets
    again: Callable[[str, Mapping[str, Any]], Awaitable[Answer]]  # a further call, by the same door
    limited: bool = True  # is there anything that the policy keeps pages from by themselves?
    opened: Tab | None = None
    uploads_dir: Path | None = None  # what may be given to pages is in there

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
