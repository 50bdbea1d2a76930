"""The token of a server at work, made anew: by a signal, and by taking its file away.

The signal is also how a terminal tells that it is closed, and then the server has to go.
"""

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
import trio

from tests.support.mcp_process import HANDSHAKE, TOY, Server, open_server

assert sys.platform != "win32"  # signals

# A server with a terminal of its own: the first program in it, or started by a shell.
_IN_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
_SHELL = ("sh", "-c", '"$@"; exit', "sh")


@dataclass
class Kept:
    """A server, and where its token is."""

    server: Server
    url: str
    file: Path

    async def status(self, token: str) -> int:
        """Of a health check that says more: a handshake with this token."""
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}
        async with httpx2.AsyncClient(headers=headers) as client:
            return (await client.post(self.url, json=body)).status_code

    @property
    def token(self) -> str:
        return self.file.read_text().strip()

    async def said(self) -> str:
        """The next that is said on standard error."""
        assert self.server.process.stderr is not None
        return (await self.server.process.stderr.receive_some()).decode()


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    command = (*TOY, "127.0.0.1:0", str(tmp_path))
    async with open_server(*command, stderr=subprocess.PIPE) as server:
        found = re.search(rb"Serving (\S+) .* in (.+)\)", await server.line())
        assert found is not None
        yield Kept(server, found[1].decode(), Path(found[2].decode()))


@pytest.mark.parametrize("how", ["SIGHUP", "the file taken away"])
async def test_renewed(kept: Kept, how: str) -> None:
    """There is another token in the file, the old one is refused, and that is said without it."""
    old = kept.token
    assert await kept.status(old) == 200
    for _ in range(2):
        if how == "SIGHUP":
            kept.server.process.send_signal(signal.SIGHUP)
        else:
            kept.file.unlink()
        with trio.fail_after(2):  # noqa: TID251 -- what is promised
            said = await kept.said()
        new = kept.token
        assert said == f"The bearer token in {kept.file} is a new one; the old one is refused.\n"
        assert new != old
        assert (await kept.status(old), await kept.status(new)) == (401, 200)
        old = new
    kept.server.process.send_signal(signal.SIGTERM)
    assert await kept.server.process.wait() == 0
    assert not kept.file.exists()


@contextmanager
def in_terminal(command: list[str]) -> Iterator[tuple[int, int]]:
    """Descriptors: the terminal, to be closed, and one that ends with all that run in there."""
    (terminal, inside), (lives, inherited) = pty.openpty(), os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", _IN_TERMINAL, *command],
        stdin=inside,
        stdout=inside,
        stderr=inside,
        pass_fds=(inherited,),
    )
    os.close(inside)
    os.close(inherited)
    try:
        yield terminal, lives
    finally:
        os.close(lives)
        process.kill()
        process.wait()


@pytest.mark.parametrize("starter", [(), _SHELL], ids=["alone", "shell"])
def test_terminal_closed(tmp_path: Path, starter: tuple[str, ...]) -> None:
    """A server whose terminal is closed ends at once, and its token file with it."""
    serve = [sys.executable, "-m", "bridge", "serve", "--http", "127.0.0.1:0"]
    flags = ["--headless", "--data-dir", str(tmp_path), "--log-level", "off"]
    said = b""
    with in_terminal([*starter, *serve, *flags]) as (terminal, lives):
        while b"Serving" not in said:
            assert select.select([terminal], [], [], 30)[0], said
            said += os.read(terminal, 4096)
        assert list(tmp_path.glob("http-*.token"))
        os.close(terminal)
        assert select.select([lives], [], [], 5)[0], "somebody still runs"
        assert os.read(lives, 1) == b""
    assert not list(tmp_path.glob("http-*.token"))
