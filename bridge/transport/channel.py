"""Bytes both ways over non-blocking descriptors, shared by the pipe and the WebSocket.

A message is written at once when the kernel takes it; the rest waits in a backlog for `flush`, a
task of its own. That is what makes `send` safe to cancel: nobody is ever cancelled half-way
through a frame, and a browser that has stopped reading blocks no caller that is still under the
limit.

Only the reader reports an end: a write that fails may still have last words to be read before it,
and an error in `flush` would take down the block of whoever opened the channel.
"""

import contextlib
import errno
import os
import socket
import sys
from collections import deque

import trio

from bridge.errors import ChromeError
from bridge.transport.base import MAX_UNSENT, browser_gone

READ_SIZE = 1 << 18

Handle = int | socket.socket


class Channel:
    """A reading and a writing end (the same socket, or two pipes); closes both."""

    def __init__(self, reader: Handle, writer: Handle) -> None:
        self._reader = reader
        self._writer = writer
        self._backlog: deque[memoryview] = deque()
        self._unsent = 0
        self._pending = trio.Event()
        self._room = trio.Event()
        self._room.set()
        self._more = False
        self._broken = False
        self._closed = False
        for handle in {reader, writer}:
            _set_nonblocking(handle)

    @property
    def congested(self) -> bool:
        """`send` would wait."""
        return self._unsent > MAX_UNSENT and not self._closed

    async def send(self, frame: bytes) -> None:
        """Write the frame now or queue it whole; waits first while too much is unsent."""
        while self.congested:
            await self._room.wait()
        if self._closed:
            raise _closed_by_us()
        self._put(frame)

    def offer(self, frame: bytes) -> None:
        """Send what nobody waits for; dropped while too much is unsent, or once closed."""
        if self._unsent <= MAX_UNSENT and not self._closed:
            self._put(frame)

    def insist(self, frame: bytes) -> None:
        """Send what nobody waits for and must arrive: after all that is unsent, however much."""
        if not self._closed:
            self._put(frame)

    async def receive(self) -> bytes:
        """Some bytes; empty at the end of the stream."""
        while True:
            await self._readable()
            if self._closed:
                raise _closed_by_us()
            try:
                data = _read(self._reader)
            except BlockingIOError:
                self._more = False
                continue
            except OSError as error:
                return self._ended(error)
            self._more = len(data) == READ_SIZE
            return data

    async def flush(self) -> None:
        """Write the backlog as the other side takes it, for as long as the channel is used."""
        while True:
            await self._pending.wait()
            self._pending = trio.Event()
            while self._backlog:
                with contextlib.suppress(trio.ClosedResourceError):
                    await trio.lowlevel.wait_writable(self._writer)
                self._push()

    async def part(self) -> None:
        """End our half of a socket if all is written, and read the other side's to its end."""
        if not self._backlog and isinstance(self._writer, socket.socket):
            with contextlib.suppress(OSError):
                self._writer.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ChromeError):
            while await self.receive():
                pass

    def close(self) -> None:
        """Close both ends; everybody waiting for them wakes up."""
        if self._closed:
            return
        self._closed = True
        self._backlog.clear()
        self._room.set()
        for handle in {self._reader, self._writer}:
            trio.lowlevel.notify_closing(handle)
            if isinstance(handle, int):
                os.close(handle)
            else:
                handle.close()

    async def _readable(self) -> None:
        if self._more or self._closed:
            await trio.lowlevel.checkpoint()
        else:
            with contextlib.suppress(trio.ClosedResourceError):
                await trio.lowlevel.wait_readable(self._reader)

    def _put(self, frame: bytes) -> None:
        rest = memoryview(frame) if self._backlog else self._write(memoryview(frame))
        if rest:
            self._backlog.append(rest)
            self._count(len(rest))
            self._pending.set()

    def _push(self) -> None:
        if not self._backlog:
            return  # closed while the descriptor was becoming writable
        head = self._backlog.popleft()
        rest = self._write(head)
        if rest:
            self._backlog.appendleft(rest)
        self._count(len(rest) - len(head))

    def _count(self, change: int) -> None:
        self._unsent += change
        if self._unsent > MAX_UNSENT:
            if self._room.is_set():
                self._room = trio.Event()
        else:
            self._room.set()

    def _write(self, data: memoryview) -> memoryview:
        """What the kernel did not take; all that is written to a broken end vanishes."""
        if self._broken:
            return data[:0]
        try:
            return data[_write(self._writer, data) :]
        except BlockingIOError:
            return data
        except OSError:
            self._broken = True
            return data[:0]

    def _ended(self, error: OSError) -> bytes:
        if error.errno in (errno.ECONNRESET, errno.EPIPE):
            return b""
        raise browser_gone(error.strerror or "read failed") from error


def _closed_by_us() -> ChromeError:
    return browser_gone("the connection was closed")


def _set_nonblocking(handle: Handle) -> None:
    if not isinstance(handle, int):
        handle.setblocking(False)
    elif sys.platform != "win32":  # descriptors are pipes, and there are none there
        os.set_blocking(handle, False)


def _read(handle: Handle) -> bytes:
    return os.read(handle, READ_SIZE) if isinstance(handle, int) else handle.recv(READ_SIZE)


def _write(handle: Handle, data: memoryview) -> int:
    return os.write(handle, data) if isinstance(handle, int) else handle.send(data)
