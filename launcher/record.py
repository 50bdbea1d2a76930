"""What we launched, written beside the profile, so that a later process can recognise it.

A pid alone proves nothing: it is believed together with the moment the process started and with a
command line that names this very profile. Start times are clock ticks since boot where the system
has them, so setting the clock back changes nothing.

Standard library only (psutil where there is no /proc): the watchdog runs this without the packages,
and while Chrome starts: a dataclass would take 6 ms of that from it, `pathlib` 3.
"""

import json
import os
import sys
from typing import NamedTuple, get_type_hints

from launcher.leases import STATE
from launcher.plain_file import StrPath, open_plain, read_plain, unlink

_MAX_RECORD = 64 * 1024
_MAX_PID = 2**31 - 1
VERSION = 2


class Record(NamedTuple):
    """One launched browser."""

    pid: int
    started: str  # identity of the process, see `started_at`
    watchdog: int
    watchdog_started: str
    headless: bool
    keep_open: bool  # it stays when its last user has gone
    transport: str  # port or pipe
    endpoint: str  # ws:// URL; empty while starting, and on the pipe
    executable: str
    temporary: str = ""  # its own folder for what is temporary, if it has one

    @property
    def alive(self) -> bool:
        """The very process is still there (zombies are not)."""
        return self.pid > 1 and started_at(self.pid) == self.started != ""

    @property
    def watched(self) -> bool:
        """Its watchdog is still there."""
        return self.watchdog > 1 and started_at(self.watchdog) == self.watchdog_started != ""


def started_at(pid: int) -> str:
    """Which process this pid means right now; empty if none, or only a zombie."""
    if sys.platform == "linux":
        return _from_proc(pid)
    import psutil

    try:
        process = psutil.Process(pid)
        gone = process.status() == psutil.STATUS_ZOMBIE
        return "" if gone else f"{process.create_time():.2f}"
    except psutil.Error:
        return ""


def _from_proc(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name, in parentheses, may hold anything; what follows the last one is regular.
            rest = file.read().rpartition(b")")[2].split()
    except OSError:
        return ""
    if len(rest) < 20 or rest[0] in (b"Z", b"X"):
        return ""
    return f"{rest[19].decode()}@{_boot()}"


def _boot() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read(8)
    except OSError:
        return ""


def _path(profile: StrPath) -> str:
    return os.path.join(profile, STATE, "launch.json")


def write(profile: StrPath, record: Record) -> None:
    """Replace the record in one step; a full disk costs the record, not the browser."""
    path = _path(profile)
    draft = os.path.join(profile, STATE, f"launch.{os.getpid()}.tmp")
    unlink(draft)
    try:
        fd = open_plain(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        with open(fd, "w", encoding="utf-8") as file:
            # No fsync: it would hold Chrome's start up, and what a power cut takes from the record
            # it has taken from the process already.
            json.dump({"v": VERSION, **record._asdict()}, file)
        os.replace(draft, path)
    except OSError:
        for leftover in (draft, path):
            unlink(leftover)


def read(profile: StrPath) -> Record | None:
    """The record if it is whole, ours, and its browser is alive; damage means None."""
    record = _load(profile)
    return record if record is not None and record.alive else None


def _load(profile: StrPath) -> Record | None:
    try:
        return _convert(json.loads(read_plain(_path(profile), _MAX_RECORD)))
    except (OSError, ValueError, RecursionError):
        return None


def read_dead(profile: StrPath) -> Record | None:
    """The record of a browser that is gone, and whose watchdog is gone as well."""
    record = _load(profile)
    return None if record is None or record.alive or record.watched else record


def remove(profile: StrPath, pid: int) -> None:
    """Forget the launch of this browser, if it is the one on record."""
    if names(profile, pid):
        unlink(_path(profile))


def names(profile: StrPath, pid: int) -> bool:
    """Whether the launch of this browser is the one on record, alive or not."""
    found = _load(profile)
    return found is not None and found.pid == pid


def _convert(raw: object) -> Record | None:
    if not isinstance(raw, dict) or raw.pop("v", None) != VERSION:
        return None
    kinds = get_type_hints(Record)
    if raw.keys() != kinds.keys() or any(type(raw[name]) is not kinds[name] for name in kinds):
        return None
    if not (0 <= raw["pid"] <= _MAX_PID and 0 <= raw["watchdog"] <= _MAX_PID):
        return None
    return Record(**raw)
