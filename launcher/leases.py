"""Who uses a profile: one locked file per holder, and a gate for decisions.

A lease is a file with an exclusive kernel lock on it. The kernel drops the lock when the holder
ends, however it ends, so a lease cannot go stale: no heartbeat, no clock, no pid that somebody else
may have by now. Whoever launches, attaches, or closes holds the gate meanwhile, which makes "the
last one leaves" and "a new one comes" happen one after the other.

Standard library only: the watchdog runs this without the packages.
"""

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int, wait: bool) -> bool:
        try:
            msvcrt.locking(fd, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(fd: int, wait: bool) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True


STATE = ".chrome-bridge"
"""Folder of ours inside a profile."""


class Leases:
    """The gate and the leases of one profile folder."""

    def __init__(self, profile: Path) -> None:
        self.folder = profile / STATE
        self._leases = self.folder / "leases"
        self._gate = self.folder / "gate"

    def prepare(self) -> None:
        """Make the folders, for us alone."""
        self._leases.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.chmod(self.folder, 0o700)

    def try_gate(self) -> int | None:
        """The gate's descriptor if it was free; closing it opens the gate again."""
        return _open_locked(self._gate, wait=False)

    def wait_gate(self) -> int:
        """Block until the gate is ours (for the watchdog, which has a thread to spare)."""
        fd = _open_locked(self._gate, wait=True)
        assert fd is not None
        return fd

    def take(self, note: str) -> "Lease":
        """A lease of our own; `note` says who we are, for people."""
        while True:
            path = self._leases / f"{os.getpid()}-{secrets.token_hex(4)}"
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _CLOEXEC, 0o600)
            # Somebody sweeping may have seen the file before it was locked.
            if _lock(fd, wait=False) and _still_there(fd, path):
                with contextlib.suppress(OSError):  # a full disk: the lock is what counts
                    os.write(fd, f"{os.getpid()} {note}\n".encode())
                return Lease(path, fd)
            os.close(fd)

    def holders(self) -> list[str]:
        """Names (pid, dash, nonce) of the leases somebody holds; dead ones are swept away."""
        return [path.name for path in self._alive()]

    def wait_one_end(self) -> bool:
        """Block until some holder is gone; False at once if there is none."""
        for path in self._alive():
            try:
                fd = os.open(path, os.O_RDWR | _CLOEXEC)
            except FileNotFoundError:
                return True
            _lock(fd, wait=True)
            path.unlink(missing_ok=True)
            os.close(fd)
            return True
        return False

    def _alive(self) -> Iterator[Path]:
        try:
            names = sorted(os.listdir(self._leases))
        except FileNotFoundError:
            return
        for name in names:
            path = self._leases / name
            try:
                fd = os.open(path, os.O_RDWR | _CLOEXEC)
            except OSError:
                continue
            free = _lock(fd, wait=False)
            if free:
                path.unlink(missing_ok=True)
            os.close(fd)
            if not free:
                yield path


class Lease:
    """Held until released or until this process ends."""

    def __init__(self, path: Path, fd: int) -> None:
        self._path = path
        self._fd = fd

    @property
    def name(self) -> str:
        return self._path.name

    def release(self) -> None:
        """Give it back; harmless when repeated."""
        if self._fd >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._fd)
            self._fd = -1


_CLOEXEC = getattr(os, "O_CLOEXEC", 0)


def _open_locked(path: Path, *, wait: bool) -> int | None:
    fd = os.open(path, os.O_RDWR | os.O_CREAT | _CLOEXEC, 0o600)
    if _lock(fd, wait):
        return fd
    os.close(fd)
    return None


def _still_there(fd: int, path: Path) -> bool:
    try:
        return os.stat(path).st_ino == os.fstat(fd).st_ino
    except FileNotFoundError:
        return False
