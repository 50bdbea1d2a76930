"""`status` and `stop` without a browser; with one they are tested on a real Chromium."""

import os
import platform
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge import __version__
from bridge.app import status as state
from bridge.errors import DeadlineExceeded, UsageError
from bridge.timeouts import Timeouts
from launcher import record
from launcher.leases import Leases
from launcher.options import LaunchOptions


def profile(tmp_path: Path) -> Path:
    folder = tmp_path / "profiles" / "default"
    folder.mkdir(parents=True)
    return folder


async def status(tmp_path: Path) -> state.Status:
    return await state.status(LaunchOptions(data_dir=tmp_path), Timeouts())


async def test_nothing(tmp_path: Path) -> None:
    """A profile that never was is not running, and stays that way."""
    found = await status(tmp_path)
    assert (found.state, found.reason) == ("not running", "the profile does not exist yet")
    assert (found.version, found.system) == (
        __version__,
        f"{platform.system()} {platform.machine()}",
    )
    assert os.listdir(tmp_path) == []


async def test_dead_browser(tmp_path: Path) -> None:
    """A lock whose process is gone means a browser that died."""
    os.symlink(f"{socket.gethostname()}-4194304", profile(tmp_path) / "SingletonLock")
    found = await status(tmp_path)
    assert found.state == "not running"
    assert "died" in found.reason


async def test_foreign_lock(tmp_path: Path) -> None:
    """A lock of another machine is named with host and pid."""
    os.symlink("elsewhere-42", profile(tmp_path) / "SingletonLock")
    found = await status(tmp_path)
    assert found.state == "locked"
    assert "42 on elsewhere" in found.reason


async def test_holders(tmp_path: Path) -> None:
    """Processes that hold a lease are listed by pid."""
    leases = Leases(profile(tmp_path))
    leases.prepare()
    lease = leases.take("test")
    assert (await status(tmp_path)).holders == [os.getpid()]
    lease.release()
    assert (await status(tmp_path)).holders == []


async def test_dead_endpoint(tmp_path: Path) -> None:
    """An endpoint where nothing listens is not running, with the reason."""
    options = LaunchOptions(data_dir=tmp_path, cdp_endpoint="http://127.0.0.1:9")
    found = await state.status(options, Timeouts())
    assert found.state == "not running"
    assert "nothing listens there" in found.reason


async def test_bad_endpoint(tmp_path: Path) -> None:
    """An address that cannot be one is the caller's mistake."""
    with pytest.raises(UsageError):
        await state.stop(LaunchOptions(data_dir=tmp_path, profile="../x"), Timeouts())


async def test_stop_nothing(tmp_path: Path) -> None:
    """There is nothing to stop, and it says why."""
    done = await state.stop(LaunchOptions(data_dir=tmp_path), Timeouts())
    assert (done.stopped, done.reason) == (False, "the profile does not exist yet")


@pytest.mark.parametrize(
    "named", [{"cdp_endpoint": "http://127.0.0.1:9"}, {"auto_connect": True}, {"isolated": True}]
)
async def test_stop_another(
    tmp_path: Path, browser: "subprocess.Popen[bytes]", named: dict[str, Any]
) -> None:
    """Whoever names a browser of no profile of ours does not end the one on the usual profile."""
    options = LaunchOptions(data_dir=tmp_path, **named)
    assert not (await state.stop(options, Timeouts())).stopped
    assert browser.poll() is None


async def test_stop_during_a_launch(tmp_path: Path, browser: "subprocess.Popen[bytes]") -> None:
    """Whoever is just launching keeps the browser: `stop` waits for the gate before it looks."""
    gate = Leases(tmp_path / "profiles" / "default").try_gate()
    assert gate is not None
    options = LaunchOptions(data_dir=tmp_path)
    with pytest.raises(DeadlineExceeded):
        await state.stop(options, Timeouts(gate=0.05))
    assert browser.poll() is None
    gate.close()
    assert (await state.stop(options, Timeouts())).stopped
    assert browser.wait()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """What runs on the profile as far as processes and the record tell."""
    folder = profile(tmp_path)
    Leases(folder).prepare()
    program = "import sys; print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-ISc", program, f"--user-data-dir={folder}"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as stand_in:
        assert stand_in.stdout is not None
        stand_in.stdout.readline()  # for a moment after exec a process has no command line
        _put_on_record(folder, stand_in.pid)
        yield stand_in
        stand_in.kill()


def _put_on_record(folder: Path, pid: int) -> None:
    known = record.Record(
        pid=pid,
        started=record.started_at(pid),
        watchdog=0,
        watchdog_started="gone",
        headless=True,
        keep_open=False,
        transport="port",
        endpoint="",
        executable=sys.executable,
    )
    record.write(folder, known)
