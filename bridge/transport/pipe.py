"""CDP over two pipes (Chrome's descriptors 3 and 4): JSON texts that end in a NUL.

Closing our writing end makes Chrome quit in order, so a browser on a pipe cannot outlive us.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from bridge.scope import beside
from bridge.transport.base import MAX_MESSAGE, browser_gone
from bridge.transport.channel import Channel


class PipeTransport:
    """Made by `open_pipe`."""

    kind = "pipe"

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def congested(self) -> bool:
        return self._channel.congested

    async def send(self, message: bytes) -> None:
        await self._channel.send(message + b"\0")

    async def receive(self) -> list[bytes]:
        while True:
            chunk = await self._channel.receive()
            if not chunk:
                raise browser_gone("it closed its pipe")
            messages = chunk.split(b"\0")
            rest = messages.pop()
            if messages and self._parts:
                self._parts.append(messages[0])
                messages[0] = b"".join(self._parts)
                self._parts, self._size = [], 0
            if rest:
                self._keep(rest)
            if messages:
                return messages

    async def aclose(self) -> None:
        self._channel.close()
        await trio.lowlevel.checkpoint()

    def _keep(self, part: bytes) -> None:
        """Parts are joined once, when the NUL arrives: a growing buffer is never scanned again."""
        self._parts.append(part)
        self._size += len(part)
        if self._size > MAX_MESSAGE:
            raise browser_gone(f"it sent a message of more than {MAX_MESSAGE >> 20} MiB")


@asynccontextmanager
async def open_pipe(read_fd: int, write_fd: int) -> AsyncIterator[PipeTransport]:
    """Speak through these descriptors; both are closed when the block ends."""
    channel = Channel(read_fd, write_fd)
    try:
        async with beside(channel.flush):
            yield PipeTransport(channel)
    finally:
        channel.close()
