"""Standard input and output as a wire, on POSIX.

stdout is sacred: the wire gets duplicates of both descriptors, then 0 points at the null device
and 1 at stderr, so neither a stray print nor a child process can touch it. Reading changes nothing
about the descriptor (non-blocking would be a property of the pipe or terminal, shared with whoever
gave it to us): it waits until something is there, and then a read never blocks. Writing into a pipe
or socket is made non-blocking, for a blocking write of more than a page can wait for ever; a
terminal, or a pipe that is stderr as well, gets small pieces instead.

Knows nothing of the SDK: the wire is up, and can answer, before that has been imported.
"""

import os
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio

from bridge.mcp.wire import Wire, open_wire
from bridge.timeouts import Timeouts

assert sys.platform != "win32"

_CHUNK = 65_536  # what Linux puts into a pipe
_PAGE = 4_096  # a descriptor that is writable takes this much without blocking


class FdSource:
    """Bytes from a descriptor; the descriptor stays its owner's."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    async def read(self) -> bytes:
        """Some bytes; none at the end."""
        while True:
            await _ready(trio.lowlevel.wait_readable, self._fd)
            try:
                return os.read(self._fd, _CHUNK)
            except BlockingIOError:  # it was non-blocking, and somebody else was faster
                continue


class FdSink:
    """Bytes into a descriptor; the descriptor stays its owner's."""

    def __init__(self, fd: int, *, blocking: bool) -> None:
        self._fd = fd
        self._blocking = blocking

    async def write(self, data: bytes) -> None:
        """All of them; OSError if nobody reads any more."""
        rest = memoryview(data)
        await trio.lowlevel.checkpoint_if_cancelled()
        while rest:
            if self._blocking:
                await _ready(trio.lowlevel.wait_writable, self._fd)
            try:
                rest = rest[os.write(self._fd, rest[:_PAGE] if self._blocking else rest) :]
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self._fd)


async def _ready(wait: Callable[[int], Awaitable[None]], fd: int) -> None:
    try:
        await wait(fd)
    except PermissionError:  # epoll takes no regular files: they are always ready
        await trio.lowlevel.checkpoint()


def claim() -> tuple[int, int]:
    """Take descriptors 0 and 1 out of everybody's reach; returns where they are now."""
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # no stderr
        os.dup2(null, 1)
    os.close(null)
    return source, sink


def private(fd: int) -> bool:
    """Whether making it non-blocking concerns nobody but us."""
    kind = os.fstat(fd)
    if not (stat.S_ISFIFO(kind.st_mode) or stat.S_ISSOCK(kind.st_mode)):
        return False
    try:
        return not os.path.samestat(kind, os.fstat(2))
    except OSError:
        return True


@asynccontextmanager
async def open_stdio(timeouts: Timeouts) -> AsyncIterator[Wire]:
    """The wire of this process; descriptors 0 and 1 are nobody's business from then on."""
    source, sink = claim()
    async with open_fds(source, sink, timeouts) as wire:
        yield wire


@asynccontextmanager
async def open_fds(source: int, sink: int, timeouts: Timeouts) -> AsyncIterator[Wire]:
    """A wire over two descriptors, which it closes."""
    before = os.get_blocking(sink)
    blocking = before and not private(sink)
    os.set_blocking(sink, blocking)
    try:
        async with open_wire(FdSource(source), FdSink(sink, blocking=blocking), timeouts) as wire:
            yield wire
    finally:
        os.set_blocking(sink, before)  # whoever shares it gets it back as it was
        os.close(source)
        os.close(sink)
