"""Small files that lie where others can put things: read and replaced without detours.

A profile folder is a place where anything may have been planted: a named pipe would hold up `open`
for ever, a link would lead elsewhere. Only an ordinary file, in its own place, is believed.

Standard library only, and no `pathlib`: the watchdog runs this without the packages, on the way to
Chrome's start.
"""

import errno
import os
import stat

StrPath = str | os.PathLike[str]

# Windows lacks most of these, and translates line ends unless told otherwise.
CAREFUL = (
    getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOINHERIT", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_plain(path: StrPath, flags: int) -> int:
    """A descriptor of an ordinary file; OSError for everything else."""
    fd = os.open(path, flags | CAREFUL, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EEXIST, "not an ordinary file", str(path))
    except OSError:
        os.close(fd)
        raise
    return fd


def unlink(path: StrPath) -> None:
    """Remove it if it is there and can be removed."""
    try:
        os.unlink(path)
    except OSError:
        return


def read_plain(path: StrPath, limit: int) -> bytes:
    """Its first bytes, at most `limit`."""
    with open(open_plain(path, os.O_RDONLY), "rb") as file:
        return file.read(limit)


def replace(path: StrPath, data: bytes, *, mode: int = 0o600) -> None:
    """Put a file with this in it in the place of what is there, in one step.

    Of two who do so at once, one wins whole. A link is replaced, not followed.
    """
    folder, name = os.path.split(os.fspath(path))
    draft = os.path.join(folder, f".{name}.{os.urandom(8).hex()}")
    try:
        fd = open_plain(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with open(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
        os.chmod(draft, mode)  # what it was made with, a umask has cut
        os.replace(draft, path)
    except OSError:
        unlink(draft)
        raise
