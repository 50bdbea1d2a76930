"""Descriptors as a wire: pipes, terminals, files, and what they are like afterwards."""

import os
import pty
import sys
import tty
from pathlib import Path

import pytest
import trio

from bridge.timeouts import Timeouts

if sys.platform != "win32":
    from bridge.mcp.stdio import FdSink, FdSource, open_fds, private

assert sys.platform != "win32"

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


async def everything(fd: int, size: int) -> bytes:
    source, found = FdSource(fd), b""
    while len(found) < size:
        found += await source.read()
    return found


async def test_pipe() -> None:
    """A pipe carries messages both ways and is as it was afterwards."""
    their_in, our_out = os.pipe()
    our_in, their_out = os.pipe()
    keep = os.dup(our_out)
    async with open_fds(our_in, our_out, Timeouts()) as wire:
        assert not os.get_blocking(keep)
        os.write(their_out, PING)
        assert (await wire.receive()).body["id"] == 1
        await wire.send(b"pong\n")
        assert await everything(their_in, 5) == b"pong\n"
        os.close(their_out)
        with pytest.raises(trio.EndOfChannel):
            await wire.receive()
    assert os.get_blocking(keep)
    os.close(keep)
    os.close(their_in)


@pytest.mark.parametrize("blocking", [True, False])
async def test_large_write(blocking: bool) -> None:
    """What does not fit into a pipe waits for the reader, and nobody waits with it."""
    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    data = os.urandom(1_000_000)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(FdSink(writing, blocking=blocking).write, data)
        assert await everything(reading, len(data)) == data
    os.close(reading)
    os.close(writing)


async def test_nobody_reads() -> None:
    """Writing to a pipe whose reader is gone fails."""
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        await FdSink(writing, blocking=True).write(b"x")
    os.close(writing)


async def test_terminal() -> None:
    """A terminal stays blocking, for it is the shell's as well."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    keep = os.dup(theirs)
    async with open_fds(os.dup(theirs), theirs, Timeouts()) as wire:
        assert os.get_blocking(keep)
        os.write(ours, PING)
        assert (await wire.receive()).body["id"] == 1
        await wire.send(b"pong\n")
        assert await everything(ours, 5) == b"pong\n"
    os.close(keep)
    os.close(ours)


async def test_files(tmp_path: Path) -> None:
    """Regular files do as well: a script in, a transcript out."""
    script, transcript = tmp_path / "in", tmp_path / "out"
    script.write_bytes(PING * 3)
    source, sink = os.open(script, os.O_RDONLY), os.open(transcript, os.O_CREAT | os.O_WRONLY)
    async with open_fds(source, sink, Timeouts()) as wire:
        assert [(await wire.receive()).method for _ in range(3)] == ["ping"] * 3
        await wire.send(b"x" * 10_000 + b"\n")
        with pytest.raises(trio.EndOfChannel):
            await wire.receive()
    assert transcript.read_bytes() == b"x" * 10_000 + b"\n"


def test_private(tmp_path: Path) -> None:
    """Only a pipe or socket of its own may be made non-blocking; one that is stderr may not."""
    reading, writing = os.pipe()
    assert private(writing)
    stderr = os.dup(2)
    os.dup2(writing, 2)
    try:
        assert not private(writing)
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
    with open(tmp_path / "file", "wb") as file:
        assert not private(file.fileno())
    os.close(reading)
    os.close(writing)
