"""Tells the extension which servers there are: run by the browser, never imported by it.

Chrome starts it as `python -I -S <this file> <links folder> <calling origin>` and reads what it
writes to standard output (native messaging: four bytes of length, then JSON). The standard library
alone, and little of it: the start of Python is nearly all of the time a person's browser waits, and
the interpreter may be one without our packages. What is no server file of ours is passed over in
silence, but for a count: nothing here may ever write a token anywhere but to the browser.
"""

import errno
import json
import os
import select
import stat
import struct
import sys
import time

EXTENSION_ID = "chmknkffepocaobicagfckenpehglmlb"
"""Said once more than in bridge.transport.link, which cannot be imported from here."""
ORIGIN = f"chrome-extension://{EXTENSION_ID}/"
LOOK_EVERY = 0.2
"""Seconds, for a server is found within 0.3 s; a folder of a few files is looked at in 30 µs."""
MAX_FILE = 4096
MAX_SERVERS = 64
"""The newest ones: Chrome takes 1 MB at most from a host."""

Server = dict[str, object]
Mark = tuple[str, int, int, int]

_FIELDS: dict[str, type | tuple[type, ...]] = {
    "serverId": str,
    "clientName": str,
    "port": int,
    "token": str,
    "startedAt": (int, float),
    "pid": int,
}
_PASSING = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO, errno.EAGAIN, errno.EINTR)
"""Of these a file is not to blame."""
_TOLD = ("serverId", "clientName", "port", "token", "startedAt")


class Links:
    """The folder in which servers say where they are."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._marks: list[Mark] | None = None
        self._read: dict[str, tuple[int, Server] | None] = {}
        self._known = False
        self.passed_over = 0
        self.trouble = ""
        """Why something could not be looked at the last time."""

    def servers(self) -> list[Server] | None:
        """Those that run, the newest first; files are read only after something has changed.

        What cannot be looked at (this process may have no descriptor left) is as it was, for the
        extension lets go of the tabs of a server that is not named: None before all was read once.
        """
        try:
            marks = self._look()
        except OSError as error:
            self.trouble = error.strerror or "OSError"
        else:
            if self.trouble or marks != self._marks:
                self._read_all(marks)
        if not self._known:
            return None
        living = [each[1] for each in self._read.values() if each and is_alive(each[0])]
        return sorted(living, key=_age)[:MAX_SERVERS]

    def _read_all(self, marks: list[Mark]) -> None:
        found: dict[str, tuple[int, Server] | None] = {}
        self.trouble = ""
        for name, *_ in marks:
            try:
                found[name] = read_server(os.path.join(self._folder, name))
            except OSError as error:
                self.trouble = error.strerror or "OSError"
                found[name] = self._read.get(name)
        self._marks, self._read = marks, found
        self._known = self._known or not self.trouble
        self.passed_over = 0 if self.trouble else list(found.values()).count(None)

    def _look(self) -> list[Mark]:
        """What tells a changed folder from the same; empty where there is none of ours alone."""
        try:
            if not _is_ours(os.lstat(self._folder), stat.S_IFDIR, 0o700):
                return []
            with os.scandir(self._folder) as entries:
                found = [_mark(entry) for entry in entries if entry.name.endswith(".json")]
                return sorted(mark for mark in found if mark is not None)
        except (FileNotFoundError, NotADirectoryError):
            return []


def _age(server: Server) -> float:
    began = server["startedAt"]
    return -began if isinstance(began, int | float) else 0.0


def _mark(entry: "os.DirEntry[str]") -> Mark | None:
    """None once it is gone; that of the others says nothing."""
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return entry.name, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def _is_ours(status: os.stat_result, kind: int, mode: int) -> bool:
    if stat.S_IFMT(status.st_mode) != kind:
        return False
    if sys.platform == "win32":
        return True  # a person's data folder is closed to others by its own access list
    return status.st_uid == os.getuid() and status.st_mode & 0o777 == mode


def read_server(file: str) -> tuple[int, Server] | None:
    """Process id and what the extension is told; None where the file is not such a one.

    OSError where that cannot be known for the moment.
    """
    try:
        told = json.loads(_read_own(file))
    except OSError as error:
        if error.errno in _PASSING:
            raise
        return None
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or told.get("v") != 1:
        return None
    if told.get("extensionId") != EXTENSION_ID:
        return None
    if not all(_is_a(told.get(name), kind) for name, kind in _FIELDS.items()):
        return None
    if not 0 < told["port"] < 65536 or not 0 < told["pid"] < 2**31:
        return None
    return told["pid"], {name: told[name] for name in _TOLD}


def _is_a(value: object, kind: type | tuple[type, ...]) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _read_own(file: str) -> bytes:
    """The bytes of a small regular file of ours that nobody else may read."""
    flags = os.O_RDONLY
    if sys.platform != "win32":
        flags |= os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    fd = os.open(file, flags)
    try:
        status = os.fstat(fd)
        if not _is_ours(status, stat.S_IFREG, 0o600) or status.st_size > MAX_FILE:
            raise OSError("not a file of ours")
        return os.read(fd, MAX_FILE + 1)
    finally:
        os.close(fd)


def is_alive(pid: int) -> bool:
    """Whether there is such a process."""
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


def _is_alive_on_windows(pid: int) -> bool:
    if sys.platform != "win32":
        return False
    import _winapi

    try:  # signal 0 would end it there
        process = _winapi.OpenProcess(0x1000, False, pid)  # may ask how it ended, nothing more
    except OSError:
        return False
    try:
        return _winapi.GetExitCodeProcess(process) == _winapi.STILL_ACTIVE
    finally:
        _winapi.CloseHandle(process)


def frame(message: object) -> bytes:
    """As Chrome reads it: the length in the machine's own order, then JSON."""
    said = json.dumps(message, separators=(",", ":")).encode()
    return struct.pack("=I", len(said)) + said


def _hung_up(seconds: float) -> bool:
    """Wait this long; True once standard input has ended. What the extension says is dropped."""
    if sys.platform == "win32":
        return _hung_up_on_windows(seconds)
    ready, _, _ = select.select([0], [], [], seconds)
    return bool(ready) and not os.read(0, 65536)


def _hung_up_on_windows(seconds: float) -> bool:
    if sys.platform != "win32":
        return True
    import _winapi
    import msvcrt

    time.sleep(seconds)  # noqa: TID251 -- no trio here, and pipes cannot be waited for there
    try:
        waiting = _winapi.PeekNamedPipe(msvcrt.get_osfhandle(0))[0]
    except OSError:
        return True
    return bool(waiting) and not os.read(0, 65536)


def _say(message: object) -> None:
    rest = frame(message)
    while rest:
        rest = rest[os.write(1, rest) :]


def serve(folder: str) -> None:
    """Say which servers there are, at once and after each change, until the browser hangs up."""
    links = Links(folder)
    said: list[Server] | None = None
    passed_over = 0
    trouble = ""
    while True:
        servers = links.servers()
        if servers is not None and servers != said:
            _say({"v": 1, "servers": servers})
            said = servers
        if links.trouble != trouble:
            trouble = links.trouble
            sys.stderr.write(f"cannot look at all servers: {trouble or 'that is over'}\n")
        if links.passed_over != passed_over:
            passed_over = links.passed_over
            sys.stderr.write(f"passed over {passed_over} file(s) that are no server's of ours\n")
        if _hung_up(LOOK_EVERY):
            return


def main(argv: list[str]) -> int:
    """Serve the one extension that may ask."""
    if len(argv) < 3 or argv[2] != ORIGIN:
        sys.stderr.write("only the extension of chrome-bridge may ask which servers there are\n")
        return 1
    try:
        serve(argv[1])
    except OSError:
        return 0  # the browser is gone
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
