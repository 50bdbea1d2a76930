"""Calls of a server in parallel, each answer to its own call, timed at the client.

Above `mcp_process.Server`, which speaks the lines. One task reads for as long as the block lasts.
"""

import re
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import trio

from bridge.scope import open_scope
from tests.support.ground import Ground
from tests.support.mcp_process import Server, open_server

LOCAL = ("--allow-domain", "127.0.0.1", "--allow-domain", "localhost")
ABLE = ("--enable-mutations", "--unsafe-enable-eval")
_CODE = re.compile(r"^([A-Z][A-Z_]+): ", re.MULTILINE)
_FENCED = re.compile(r"^<page .*?>\n(.*?)\n</page ", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Told:
    """An answer."""

    text: str
    failed: bool
    seconds: float

    @property
    def code(self) -> str:
        """Of a failed call."""
        found = _CODE.search(self.text) if self.failed else None
        return found.group(1) if found else ""

    @property
    def value(self) -> str:
        """What a page said, without its fence and our words."""
        fenced = _FENCED.search(self.text)
        return fenced.group(1) if fenced else ""


class Pending:
    """A call that was sent."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.began = trio.current_time()
        self._answered = trio.Event()
        self._message: Mapping[str, Any] = {}
        self.seconds = 0.0  # until the answer came

    def answer(self, message: Mapping[str, Any]) -> None:
        self._message, self.seconds = message, trio.current_time() - self.began
        self._answered.set()

    @property
    def answered(self) -> bool:
        return self._answered.is_set()

    async def message(self) -> Mapping[str, Any]:
        """The whole answer."""
        await self._answered.wait()
        return self._message

    async def told(self) -> Told:
        """The answer of a tool."""
        message = await self.message()
        assert "result" in message, message
        result = message["result"]
        text = "\n".join(each.get("text", "") for each in result["content"])
        return Told(text, result.get("isError", False), self.seconds)


class Agent:
    """Made by `open_agent`."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.unasked: list[Mapping[str, Any]] = []  # answers nobody waits for
        self._pending: dict[int, Pending] = {}
        self._number = 0
        self._sending = trio.Lock()

    @property
    def resident(self) -> int:
        """Bytes of memory the server has."""
        with open(f"/proc/{self.server.process.pid}/status", encoding="ascii") as file:
            (line,) = (line for line in file if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    async def begin(self, tool: str, /, **arguments: Any) -> Pending:
        """Call without waiting for the answer."""
        return await self.request("tools/call", name=tool, arguments=arguments)

    async def call(self, tool: str, /, **arguments: Any) -> Told:
        """Call and wait."""
        return await (await self.begin(tool, **arguments)).told()

    async def well(self, tool: str, /, **arguments: Any) -> Told:
        """A call that has to succeed."""
        told = await self.call(tool, **arguments)
        assert not told.failed, told.text
        return told

    async def request(self, method: str, **params: Any) -> Pending:
        """Any request."""
        self._number += 1
        pending = self._pending[self._number] = Pending(self._number)
        async with self._sending:
            pending.began = trio.current_time()
            await self.server.send(method, pending.number, **params)
        return pending

    async def cancel(self, pending: Pending) -> None:
        """Take a call back; it gets no answer."""
        del self._pending[pending.number]
        async with self._sending:
            await self.server.send("notifications/cancelled", requestId=pending.number)

    async def listen(self) -> None:
        """Read until the server is gone."""
        while True:
            try:
                message = await self.server.receive()
            except trio.EndOfChannel:
                return
            pending = self._pending.pop(message.get("id", 0), None)
            if pending is None:
                self.unasked.append(message)
            else:
                pending.answer(message)


def command(ground: Ground, *flags: str, changed: Mapping[str, float] | None = None) -> list[str]:
    """Of a server on this ground that may use the fixture site; `changed` deadlines, if any."""
    start = [sys.executable, "-m", "bridge"]
    if changed:
        hurried = [f"{name}={seconds}" for name, seconds in changed.items()]
        start = [sys.executable, "-m", "tests.support.hasty_server", *hurried, "--"]
    where = ["--data-dir", str(ground.data), "--log-level", "off"]
    return [*start, "serve", "--headless", *where, *LOCAL, *ABLE, *flags]


@asynccontextmanager
async def open_agent(*argv: str) -> AsyncIterator[Agent]:
    """A client of the server that this command starts, greeted; killed if it is still there."""
    async with open_server(*argv) as server, open_scope() as nursery:
        agent = Agent(server)
        await server.greet()
        nursery.start_soon(agent.listen)
        yield agent
