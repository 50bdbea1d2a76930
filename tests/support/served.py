"""The fixture `served`: everything `serve` puts together, in this process, with its own browser.

Policy, gate, proxy, audit and downloads are those of a server; only the wire is left out.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bridge.app.door import open_door
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.timeouts import Timeouts
from bridge.tools.answer import Answer, Door
from launcher.options import LaunchOptions
from tests.support.door import Client


@dataclass
class Served:
    """A door and what came out of it."""

    door: Door
    answers: list[str] = field(default_factory=list)

    async def call(self, tool: str, /, **arguments: Any) -> Answer:
        """Any call."""
        answer = await self.door.call(tool, arguments, Client())
        self.answers.append(answer.text)
        return answer

    async def does(self, tool: str, /, **arguments: Any) -> str:
        """The text of a call that has to succeed."""
        answer = await self.call(tool, **arguments)
        assert not answer.is_error, (tool, answer.text)
        return answer.text

    async def refused(self, tool: str, /, **arguments: Any) -> str:
        """The text of a call that has to fail."""
        answer = await self.call(tool, **arguments)
        assert answer.is_error, (tool, answer.text)
        return answer.text


@asynccontextmanager
async def open_served(
    folder: Path, options: PolicyOptions, *, timeouts: Timeouts | None = None
) -> AsyncIterator[Served]:
    """A server without a wire, with all tools that the policy leaves."""
    launch = LaunchOptions(headless=True, isolated=True, data_dir=folder)
    serve = ServeOptions(toolsets=("all",))
    policy = Policy.from_options(options)
    async with open_door(launch, serve, policy, timeouts or Timeouts()) as door:
        yield Served(door)
