"""A Chromium somebody else started: no watchdog, no lease, no record."""

import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio

from launcher import farewell
from launcher import platform as platforms
from launcher.find import find_browser
from tests.support.processes import until

if sys.platform == "win32":
    pytest.skip("POSIX sessions", allow_module_level=True)

_PORT = "--remote-debugging-port="
PORT = f"{_PORT}0"


def executable() -> Path:
    """The browser the launcher would take."""
    return find_browser(
        executable=None, channel=None, platform=platforms.current(), environment=os.environ
    ).path


@asynccontextmanager
async def open_chromium(
    profile: Path, *switches: str, relative: bool = False
) -> AsyncIterator[trio.Process]:
    """Headless on this profile, once it has its lock (and its port, if it is to have one)."""
    process = await trio.lowlevel.open_process(
        [
            str(executable()),
            "--headless=new",
            "--no-sandbox",
            "--no-first-run",
            f"--user-data-dir={profile.name if relative else profile}",
            *switches,
            "about:blank",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd=profile.parent if relative else None,
    )
    try:
        await until(lambda: os.path.islink(profile / "SingletonLock"), 10.0, "Chromium is up")
        ports = [int(s.partition("=")[2]) for s in switches if s.startswith(_PORT)]
        if ports:
            await until(lambda: _listens(profile, ports[0]), 10.0, "Chromium listens")
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        with trio.CancelScope(shield=True):
            await process.wait()


def _listens(profile: Path, port: int) -> bool:
    """A fixed port is never written down, so it is tried."""
    if port == 0:
        return farewell.read_port(profile) is not None
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


def address(profile: Path) -> str:
    """The ws:// URL of the browser on this profile."""
    written = farewell.read_port(profile)
    assert written is not None
    return f"ws://127.0.0.1:{written[0]}{written[1]}"
