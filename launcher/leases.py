"""Who uses a profile: one locked file per holder, and a gate for decisions.

A lease is a file with an exclusive kernel lock on it. The kernel drops the lock when the holder
ends, however it ends, so a lease cannot go stale: no heartbeat, no clock, no pid that somebody else
may have by now. Whoever launches, attaches, or closes holds the gate meanwhile, which makes "the
last one leaves" and "a new one comes" happen one after the other.

Whoever only looks takes a shared lock: with an exclusive one, two that look at a dead lease at once
would each take the other for its holder. A lock belongs to the open file, which a forked child
shares with its parent, so a child closes what it inherited.

Standard library only, and neither `pathlib` nor `re`: the watchdog runs this without the packages,
on the way to Chrome's start (see `job`).
"""

import errno
import os
import sys

from launcher.plain_file import StrPath, open_plain, unlink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # a locked byte cannot be read either, so it is one behind the note

    def _lock(fd: int, *, shared: bool = False, wait: bool = False) -> bool:
        """Exclusive even when shared was asked for, which is all there is here."""
        os.lseek(fd, _FAR, os.SEEK_SET)
        try:
            while True:
                try:
                    msvcrt.locking(fd, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                    return True
                except OSError as error:
                    if error.errno not in (errno.EACCES, errno.EDEADLK):
                        raise
                    if not wait:  # LK_LOCK itself gives up after ten seconds
                        return False
        finally:
            os.lseek(fd, 0, os.SEEK_SET)

    def _discard(path: str, fd: int) -> None:
        """An open file cannot be removed; what somebody opened meanwhile is theirs to remove."""
        os.close(fd)
        unlink(path)
else:
    import fcntl

    def _lock(fd: int, *, shared: bool = False, wait: bool = False) -> bool:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(fd, kind | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True

    def _discard(path: str, fd: int) -> None:
        """Before the lock is gone: whoever gets it next has to find the name free."""
        unlink(path)
        os.close(fd)


STATE = ".chrome-bridge"
"""Folder of ours inside a profile."""

_DIGITS = "0123456789abcdef"
# Swept by another, or nothing that we made; on Windows one that is just being removed.
_NO_LEASE = {errno.ENOENT, errno.ELOOP, errno.EEXIST, errno.EISDIR, errno.ENXIO}
if sys.platform == "win32":
    _NO_LEASE.add(errno.EACCES)


class Gate:
    """A lock of this process, until closed or until the process ends."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        _held.add(self)

    def close(self) -> None:
        """Open the gate again; harmless when repeated."""
        fd = self._let_go()
        if fd >= 0:
            os.close(fd)

    def _let_go(self) -> int:
        fd, self._fd = self._fd, -1
        _held.discard(self)
        return fd


class Lease(Gate):
    """Held until released or until this process ends."""

    def __init__(self, path: str, fd: int) -> None:
        super().__init__(fd)
        self._path = path

    @property
    def name(self) -> str:
        """Pid, dash, nonce."""
        return os.path.basename(self._path)

    def release(self) -> None:
        """Give it back; harmless when repeated."""
        fd = self._let_go()
        if fd >= 0:
            _discard(self._path, fd)


class Leases:
    """The gate and the leases of one profile folder."""

    def __init__(self, profile: StrPath) -> None:
        self._folder = os.path.join(profile, STATE)
        self._leases = os.path.join(self._folder, "leases")
        self._gate = os.path.join(self._folder, "gate")

    def prepare(self) -> None:
        """Make the folders, for us alone; OSError when something else is in their place."""
        for folder in (self._folder, self._leases):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if os.path.islink(folder):
                raise OSError(errno.ELOOP, "a symbolic link", folder)
            os.chmod(folder, 0o700)

    def try_gate(self) -> Gate | None:
        """The gate if it was free."""
        return self._enter(wait=False)

    def wait_gate(self) -> Gate:
        """Block until the gate is ours (for the watchdog, which has a thread to spare)."""
        while True:
            gate = self._enter(wait=True)
            if gate is not None:
                return gate

    def take(self, note: str) -> Lease:
        """A lease of our own; `note` says who we are, for people."""
        while True:
            path = os.path.join(self._leases, f"{os.getpid()}-{os.urandom(4).hex()}")
            fd = open_plain(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
            # Somebody sweeping may have seen the file before it was locked.
            if _locked(fd) and _still_there(fd, path):
                _write_note(fd, f"{os.getpid()} {note}\n")
                return Lease(path, fd)
            _discard(path, fd)

    def holders(self) -> list[str]:
        """Names (pid, dash, nonce) of the leases somebody holds; dead ones are swept away."""
        return [os.path.basename(path) for path in self._alive()]

    def wait_one_end(self) -> bool:
        """Block until some holder is gone; False at once if there is none."""
        for path in self._alive():
            try:
                fd = open_plain(path, os.O_RDWR)
            except FileNotFoundError:
                return True
            _lock(fd, shared=True, wait=True)
            _discard(path, fd)
            return True
        return False

    def _alive(self) -> "Iterator[str]":
        try:
            names = sorted(filter(_is_lease, os.listdir(self._leases)))
        except FileNotFoundError:
            return
        for name in names:
            path = os.path.join(self._leases, name)
            try:
                fd = open_plain(path, os.O_RDWR)
            except OSError as error:
                if error.errno in _NO_LEASE:
                    continue
                raise  # out of descriptors, say: that nobody is there would be a guess
            if _locked(fd, shared=True):
                _discard(path, fd)
            else:
                os.close(fd)
                yield path

    def _enter(self, *, wait: bool) -> Gate | None:
        fd = open_plain(self._gate, os.O_RDWR | os.O_CREAT)
        # The folder may have been removed, and made anew, between opening and locking.
        if _locked(fd, wait=wait) and _still_there(fd, self._gate):
            return Gate(fd)
        os.close(fd)
        return None


def _locked(fd: int, *, shared: bool = False, wait: bool = False) -> bool:
    """As `_lock`; closes the descriptor where the file system knows no locks (OSError)."""
    try:
        return _lock(fd, shared=shared, wait=wait)
    except OSError:
        os.close(fd)
        raise


def _is_lease(name: str) -> bool:
    pid, _, nonce = name.partition("-")
    return pid.isdecimal() and len(nonce) == 8 and not nonce.strip(_DIGITS)


def _write_note(fd: int, note: str) -> None:
    try:
        os.write(fd, note.encode())
    except OSError:  # a full disk: the lock is what counts
        return


def _still_there(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.lstat(path), os.fstat(fd))
    except FileNotFoundError:
        return False


_held: set[Gate] = set()


def _forget_inherited() -> None:
    for held in list(_held):
        held.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_inherited)
