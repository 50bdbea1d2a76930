"""The door of one server: a policy before it, a browser and the tools behind it.

Loading the tools takes as long as a third of a browser's start, so whoever calls at once has both
at the same time: the door is open before there are tools, and a first call that will need a
browser starts one.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

import trio

from bridge import log
from bridge.app.grants import Grants
from bridge.app.memory import steady
from bridge.app.ways import open_ways
from bridge.mcp.options import ServeOptions
from bridge.policy.rules import Effect, Policy, decide
from bridge.relay.options import LinkOptions
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.tools.answer import Answer, Caller, Card
from bridge.tools.guard import Guard
from bridge.tools.instructions import INSTRUCTIONS
from bridge.tools.secrets import Secrets, read_secrets
from launcher.options import LaunchOptions, sized

if TYPE_CHECKING:
    from bridge.tools.call import Tools

OPENERS = ("navigate", "tab_new")
"""Tools that a session opens with: given an address and nothing else, they need a browser."""


class Entrance:
    """The door of one server, open before its tools have come: whatever needs them waits."""

    instructions = INSTRUCTIONS

    def __init__(self, guard: Guard, prefix: str, expect: Callable[[], None]) -> None:
        self._guard = guard
        self._openers = [f"{prefix}{each}" for each in OPENERS]
        self._expect = expect
        self._tools: Tools | None = None
        self._came = trio.Event()
        self.wanted = trio.Event()  # by somebody who has nothing else to wait for

    def admit(self, tools: "Tools") -> None:
        """The tools have come."""
        self._tools = tools
        self._came.set()

    async def cards(self, *, can_ask: bool) -> list[Card]:
        """The tools that are on offer now."""
        return await (await self._loaded()).cards(can_ask=can_ask)

    async def ready(self, name: str, arguments: object) -> None:
        """Have the tools; a browser starts meanwhile where this call is sure to need one."""
        if self._tools is None and self._needs_browser(name, arguments):
            self._expect()
            await self._came.wait()
        await self._loaded()

    def expect(self, name: str) -> None:
        """A call of this tool is on its way; what it certainly needs may start."""
        if self._tools is not None:
            self._tools.expect(name)

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        """Do it; failures come as answers, nothing but cancellation and Suspended is raised."""
        return await (await self._loaded()).call(name, arguments, caller)

    async def leave(self, client: str) -> None:
        """A client has gone."""
        if self._tools is not None:
            await self._tools.leave(client)

    async def _loaded(self) -> "Tools":
        if self._tools is None:
            self.wanted.set()
            await self._came.wait()
        assert self._tools is not None
        return self._tools

    def _needs_browser(self, name: str, arguments: object) -> bool:
        match arguments:
            case {"url": str(url), **more} if name in self._openers and not more:
                return decide(Effect.NAVIGATE, url, self._guard.policy).allowed
            case _:
                return False


@asynccontextmanager
async def open_door(
    launch: LaunchOptions,
    serve: ServeOptions,
    policy: Policy,
    timeouts: Timeouts,
    *,
    link: LinkOptions | None = None,
    client: str = "",
    renewals: list[Callable[[], None]] | None = None,
) -> AsyncIterator[Entrance]:
    """A door for as long as the block lasts; its browser starts with the first call."""
    launch = sized(launch)
    secrets = read_secrets(serve.secrets) if serve.secrets is not None else Secrets()
    secrets.cover(log.get_root())
    grants = Grants(launch.data_dir)
    guard = Guard(grants.apply(policy), grants.remember, timeouts)
    wanted = link or LinkOptions()
    opening = open_ways(launch, wanted, guard, timeouts, client=client, renewals=renewals)
    async with opening as ways, open_scope() as nursery:
        entrance = Entrance(guard, serve.tool_prefix, ways.choice.expect)
        left = trio.Event()

        async def load() -> None:
            with trio.move_on_after(timeouts.head_start):
                await entrance.wanted.wait()
            await trio.to_thread.run_sync(_load, abandon_on_cancel=True)
            from bridge.app.workshop import open_tools

            opening = open_tools(launch, serve, ways, guard, secrets, timeouts)
            async with opening as tools:
                entrance.admit(tools)
                with trio.CancelScope(shield=True):  # calls that are cut off are written down, too
                    await left.wait()

        nursery.start_soon(load)
        try:
            yield entrance
        finally:
            left.set()


def _load() -> None:
    import_module("bridge.app.workshop")
    steady()
