"""Chrome's own lock on a profile: three links it leaves behind whenever it does not end in order.

`SingletonLock` points to "<host>-<pid>". Chrome itself clears one whose pid is dead, but refuses
for ever when the host name differs (a renamed machine, a container, a shared home), and a second
Chrome that waits 20 s for a frozen first one kills it. So the lock is read before every launch.

Standard library only: the watchdog runs this without the packages.
"""

import contextlib
import os
import socket
import stat
import sys
from pathlib import Path
from typing import NamedTuple

LOCK, SOCKET, COOKIE = "SingletonLock", "SingletonSocket", "SingletonCookie"


class Lock(NamedTuple):
    """What the link says; pid is 0 when it says nothing sensible."""

    host: str
    pid: int

    @property
    def foreign(self) -> bool:
        """Written on another machine, as far as the name tells."""
        return self.pid > 0 and self.host != socket.gethostname()


def parse_lock(target: str) -> Lock:
    """Read "<host>-<pid>"; host names may hold dashes themselves."""
    host, dash, pid = target.rpartition("-")
    number = int(pid) if dash and pid.isascii() and pid.isdigit() and len(pid) < 10 else 0
    return Lock(host, number)


def read_lock(profile: Path) -> Lock | None:
    """The lock, if there is one of any kind."""
    path = profile / LOCK
    try:
        return parse_lock(os.readlink(path))
    except FileNotFoundError:
        return None
    except OSError:  # not a link: nothing Chrome wrote
        return Lock("", 0)


def remove_links(profile: Path, pid: int) -> None:
    """Clear what the Chrome with this pid left, once it is known to be gone."""
    lock = read_lock(profile)
    if lock is not None and lock.pid == pid and not lock.foreign:
        clear(profile)


def clear(profile: Path) -> None:
    """Remove the links, and the folder in the temporary directory the socket link leads to.

    The lock goes last, as when Chrome does this: it tells whose the other two are.
    """
    _remove_socket(profile / SOCKET)
    for name in (SOCKET, COOKIE, LOCK):
        path = profile / name
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)


def _remove_socket(link: Path) -> None:
    with contextlib.suppress(OSError):
        target = Path(os.readlink(link))
        if target.is_absolute() and _is_chromes(target, os.lstat(link).st_uid):
            for name in (SOCKET, COOKIE):
                (target.parent / name).unlink(missing_ok=True)
            target.parent.rmdir()


def _is_chromes(target: Path, owner: int) -> bool:
    """A private folder of the link's owner that holds Chrome's socket, and at most its cookie.

    Ended while it starts, Chrome leaves the folder before there is a socket in it. A copied profile
    has the links of the one it was copied from, whose browser may be listening there.
    """
    folder = os.lstat(target.parent)
    bound = not os.path.lexists(target) or stat.S_ISSOCK(os.lstat(target).st_mode)
    private = stat.S_ISDIR(folder.st_mode) and not folder.st_mode & 0o077
    return (
        private
        and folder.st_uid == owner
        and target.name == SOCKET
        and bound
        and set(os.listdir(target.parent)) <= {SOCKET, COOKIE}
        and not _listens(target)
    )


def _listens(path: Path) -> bool:
    if sys.platform == "win32":
        return False
    with socket.socket(socket.AF_UNIX) as sock:
        sock.setblocking(False)
        try:
            sock.connect(str(path))
        except BlockingIOError:  # and others wait before us
            return True
        except OSError:
            return False
    return True
