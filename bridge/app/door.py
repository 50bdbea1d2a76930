"""A browser, a policy and the tools, put together into the door of one server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bridge.app.grants import Grants
from bridge.browser.browser import Browser
from bridge.browser.lifecycle import open_lifecycle
from bridge.mcp.options import ServeOptions
from bridge.policy.rules import Policy
from bridge.timeouts import Timeouts
from bridge.tools import catalogue as catalogue
from bridge.tools.answer import Door
from bridge.tools.call import Tools
from bridge.tools.desk import Desk
from bridge.tools.guard import Guard
from bridge.tools.toolsets import Toolsets
from launcher.options import LaunchOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """Everything the owner of a server has said."""

    launch: LaunchOptions
    policy: Policy
    serve: ServeOptions


@asynccontextmanager
async def open_door(wishes: Wishes, timeouts: Timeouts) -> AsyncIterator[Door]:
    """A door for as long as the block lasts; its browser starts with the first call."""
    grants = Grants(wishes.launch.data_dir)
    guard = Guard(grants.apply(wishes.policy), grants.remember)
    names = [name for each in wishes.serve.toolsets for name in each.split(",") if name]
    toolsets = Toolsets(names, prefix=wishes.serve.tool_prefix)
    async with open_lifecycle(wishes.launch, timeouts) as lifecycle:
        yield Tools(Desk(lifecycle, timeouts, _prepare), guard, toolsets)


async def _prepare(browser: Browser) -> None:
    """Nothing yet."""
