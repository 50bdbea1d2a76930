"""Waiting for processes and ending those we launched, never by pid alone."""

import contextlib
import os
import signal
import sys

import trio

from launcher.record import Record, started_at


async def wait_gone(pid: int, started: str) -> None:
    """Return when this very process has ended (by its pidfd where there is one)."""
    if hasattr(os, "pidfd_open"):
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            return
        except OSError:  # no such call in this kernel or container
            await _poll_gone(pid, started)
            return
        try:
            if started_at(pid) == started:
                await trio.lowlevel.wait_readable(fd)
        finally:
            os.close(fd)
        return
    await _poll_gone(pid, started)


async def _poll_gone(pid: int, started: str) -> None:
    while started_at(pid) == started:  # noqa: ASYNC110 -- no event without a pidfd
        await trio.sleep(0.02)


def identify_parent() -> tuple[int, str]:
    """The process that started us; to be asked early, for once it is gone nobody knows it."""
    parent = os.getppid()
    return parent, started_at(parent)


async def wait_parent_gone(parent: tuple[int, str]) -> None:
    """Return when it has ended, though it left our pipes open.

    Never returns if it had ended before it was identified, or is the system's first process.
    """
    if parent[0] <= 1:
        await trio.sleep_forever()
    await wait_gone(*parent)


def kill_group(record: Record) -> None:
    """Kill the browser of this record and what belongs to it, if it is still that browser."""
    if sys.platform == "win32":
        import psutil

        with contextlib.suppress(psutil.Error):
            if record.alive:
                psutil.Process(record.pid).kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if not record.alive:
            return
        if os.getpgid(record.pid) == record.pid:
            os.killpg(record.pid, signal.SIGKILL)
        else:
            os.kill(record.pid, signal.SIGKILL)


def command_line(pid: int) -> list[str]:
    """The arguments of a process; empty if it is gone or not ours to read."""
    import psutil

    try:
        return psutil.Process(pid).cmdline()
    except psutil.Error:
        return []


def leaders() -> list[int]:
    """Of process groups, as every browser of ours is; all processes where there are no groups."""
    import psutil

    pids = psutil.pids()
    return pids if sys.platform == "win32" else [pid for pid in pids if _leads(pid)]


def _leads(pid: int) -> bool:
    if sys.platform == "win32":
        return False
    try:
        return os.getpgid(pid) == pid
    except OSError:
        return False


def variable(pid: int, name: str) -> str:
    """Of its environment; empty if it is unset, or not ours to read."""
    import psutil

    try:
        return psutil.Process(pid).environ().get(name, "")
    except (psutil.Error, OSError):
        return ""


def open_files(pid: int) -> list[str]:
    """The ordinary files a process has open; empty if it is gone or not ours to examine."""
    import psutil

    try:
        return [file.path for file in psutil.Process(pid).open_files()]
    except (psutil.Error, OSError):
        return []


def is_frozen(pid: int) -> bool:
    """Stopped by a signal."""
    import psutil

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except psutil.Error:
        return False
