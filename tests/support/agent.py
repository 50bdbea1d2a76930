"""A client of the SDK at `serve` as agents start it: a process, over stdio or HTTP, in either era.

Everything that crosses the wire towards the client is kept, and so is what the process says on
standard error: whoever looks for something that must never come out looks there.
"""

import gc
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import mcp_types as types
import trio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests.support.ground import Ground

SERVE = ("-m", "bridge", "serve", "--headless", "--isolated", "--log-level", "all")
MADE_TO_RUN = [("stdio", "legacy"), ("stdio", "auto"), ("http", "legacy"), ("http", "auto")]
TOKEN = "t" * 43


class Agent:
    """Calls tools and remembers what it was told."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.answers: list[str] = []

    async def call(self, tool: str, /, **arguments: Any) -> types.CallToolResult:
        """Any call."""
        result = await self.client.call_tool(tool, arguments)
        self.answers.append(result.model_dump_json())
        return result

    async def does(self, tool: str, /, **arguments: Any) -> str:
        """The text of a call that has to succeed."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, (tool, words(result))
        return words(result)

    async def refused(self, tool: str, /, **arguments: Any) -> str:
        """The text of a call that has to fail."""
        result = await self.call(tool, **arguments)
        assert result.is_error, (tool, words(result))
        return words(result)


def words(result: types.CallToolResult) -> str:
    """All text of an answer."""
    return "\n".join(each.text for each in result.content if each.type == "text")


@asynccontextmanager
async def open_agent(
    ground: Ground, how: str, era: str, flags: Sequence[str] = (), **options: Any
) -> AsyncIterator[Agent]:
    """An agent of a server of its own; the server's words are in `stderr.txt` of the ground."""
    command = [*SERVE, "--data-dir", str(ground.data), *flags]
    opening = _over_stdio if how == "stdio" else _over_http
    async with (
        opening(ground, command) as transport,
        Client(transport, mode=era, **options) as client,
    ):
        yield Agent(client)
    gc.collect()  # here, where warnings of what the SDK's client leaves behind are known


@asynccontextmanager
async def _over_stdio(ground: Ground, command: list[str]) -> AsyncIterator[Any]:
    params = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    with (ground.root / "stderr.txt").open("a") as errors:
        yield stdio_client(params, errlog=errors)


@asynccontextmanager
async def _over_http(ground: Ground, command: list[str]) -> AsyncIterator[Any]:
    async with _serving(ground, command) as url, _signed() as http:
        yield streamable_http_client(url, http_client=http)


@asynccontextmanager
async def open_server(ground: Ground, flags: Sequence[str] = ()) -> AsyncIterator["Server"]:
    """A server over HTTP, for as many agents as a test wants."""
    async with _serving(ground, [*SERVE, "--data-dir", str(ground.data), *flags]) as url:
        yield Server(url)
    gc.collect()


class Server:
    """Made by `open_server`."""

    def __init__(self, url: str) -> None:
        self.url = url

    @asynccontextmanager
    async def agent(self, name: str, era: str = "legacy") -> AsyncIterator[Agent]:
        """A client of it, which ends its session with the block."""
        told = types.Implementation(name=name, version="1")
        async with (
            _signed() as http,
            Client(
                streamable_http_client(self.url, http_client=http), mode=era, client_info=told
            ) as client,
        ):
            yield Agent(client)


def _signed() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60)


@asynccontextmanager
async def _serving(ground: Ground, command: list[str]) -> AsyncIterator[str]:
    with (ground.root / "stderr.txt").open("a") as errors:
        process = await trio.lowlevel.open_process(
            [sys.executable, *command, "--http", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "CHROME_BRIDGE_HTTP_TOKEN": TOKEN},
        )
        try:
            assert process.stdout is not None
            said = b""
            while not said.endswith(b"\n"):
                said += await process.stdout.receive_some()
            yield said.split()[1].decode()
        finally:
            with trio.CancelScope(shield=True):
                process.terminate()
                await process.wait()
