"""A browser, a policy and the tools, put together into the door of one server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from bridge.app.grants import Grants
from bridge.browser.browser import Browser
from bridge.browser.lifecycle import open_lifecycle
from bridge.browser.prelude import PRELUDE, SIZE, viewport
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


@asynccontextmanager
async def open_door(
    launch: LaunchOptions, serve: ServeOptions, policy: Policy, timeouts: Timeouts
) -> AsyncIterator[Door]:
    """A door for as long as the block lasts; its browser starts with the first call."""
    if launch.headless:
        launch = replace(launch, window_size=launch.window_size or SIZE)
    grants = Grants(launch.data_dir)
    guard = Guard(grants.apply(policy), grants.remember)
    names = [name for each in serve.toolsets for name in each.split(",") if name]
    toolsets = Toolsets(names, prefix=serve.tool_prefix)

    def arrange(browser: Browser) -> None:
        """What every page of ours gets before its first script."""
        browser.add_prelude(*PRELUDE)
        if launch.headless:
            size = viewport(launch.window_size or SIZE)
            browser.on_session(lambda session, kind: [size] if kind == "page" else [])

    async with open_lifecycle(launch, timeouts, arrange) as lifecycle:
        yield Tools(Desk(lifecycle, timeouts, _prepare), guard, toolsets, _note)


def _note(*call: object) -> None:
    """Nothing yet."""


async def _prepare(browser: Browser) -> None:
    """Nothing yet."""
