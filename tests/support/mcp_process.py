"""A server process at the other end of two pipes, spoken to in raw lines."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

TOY = (sys.executable, "-m", "tests.support.toy_server")
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}
_ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Server:
    """Made by `open_server`."""

    def __init__(self, process: trio.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.stdin = process.stdin
        self._stdout = process.stdout
        self._pending = b""

    async def raw(self, data: bytes) -> None:
        """Bytes, and the newline that ends them."""
        await self.stdin.send_all(data + b"\n")

    async def send(self, method: str, number: object = None, **params: Any) -> None:
        """A request, or a notification where there is no number."""
        body: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        await self.raw(json.dumps({**body, **({} if number is None else {"id": number})}).encode())

    async def call(self, number: object, tool: str, **arguments: Any) -> None:
        await self.send("tools/call", number, name=tool, arguments=arguments)

    async def receive(self) -> dict[str, Any]:
        """The next message; trio.EndOfChannel when there is none."""
        line = await self.line()
        found: dict[str, Any] = json.loads(line)
        return found

    async def begun(self) -> None:
        """Wait until a message has begun to come."""
        self._pending += await self._stdout.receive_some(1)

    async def line(self) -> bytes:
        parts = [self._pending]
        while b"\n" not in parts[-1]:
            data = await self._stdout.receive_some(1 << 20)
            if not data:
                raise trio.EndOfChannel
            parts.append(bytes(data))
        line, _, self._pending = b"".join(parts).partition(b"\n")
        return line

    async def until(self, number: object) -> list[dict[str, Any]]:
        """Messages up to the answer with this id, that one included."""
        found = [await self.receive()]
        while found[-1].get("id") != number:
            found.append(await self.receive())
        return found

    async def greet(self, **changed: Any) -> dict[str, Any]:
        """The handshake, done."""
        await self.send("initialize", "hello", **{**HANDSHAKE, **changed})
        answer = (await self.until("hello"))[-1]
        await self.send("notifications/initialized")
        return answer

    async def ask(self, method: str, number: object, **params: Any) -> dict[str, Any]:
        """A request without a handshake, as since 2026-07-28, and its answer."""
        await self.send(method, number, _meta=_ENVELOPE, **params)
        return (await self.until(number))[-1]

    async def end(self) -> int:
        """Hang up; the exit code."""
        await self.stdin.aclose()
        return await self.process.wait()


@asynccontextmanager
async def open_server(
    *command: str, stderr: int | None = None, cwd: str | None = None
) -> AsyncIterator[Server]:
    """The toy server, or what the command starts, until the block ends; then it is killed."""
    process = await trio.lowlevel.open_process(
        command or TOY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, cwd=cwd
    )
    try:
        yield Server(process)
    finally:
        with trio.CancelScope(shield=True):
            process.kill()
            await process.wait()
