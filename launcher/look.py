"""Looks at a profile folder and says what is going on there; decides nothing."""

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from urllib.parse import urlsplit

import trio

from bridge.errors import ChromeError, UsageError
from bridge.timeouts import Timeouts
from launcher import farewell, probe, process, record, singleton
from launcher.leases import STATE
from launcher.profile import same_folder
from launcher.record import Record

_TURN = 0.01


class Owner(Enum):
    """Who the lock of a profile belongs to."""

    NOBODY = "nobody"  # no lock
    DEAD = "dead"  # its process is gone, or it says nothing sensible
    STRANGER = "stranger"  # the pid lives, but has nothing to do with this profile
    BROWSER = "browser"  # a live browser on this very profile
    ELSEWHERE = "elsewhere"  # written on another machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything a decision about a profile needs."""

    profile: Path
    endpoint: str = ""  # ws:// URL that answered as the browser of this profile
    silent: bool = False  # something accepts connections there and does not answer
    record: Record | None = None  # we launched the browser that lives now
    lock: singleton.Lock | None = None
    owner: Owner = Owner.NOBODY
    pid: int = 0  # of the live browser, as far as known
    headless: bool = False  # the live browser has no window
    holders: int = 0  # leases of others


async def look(profile: Path, holders: int, timeouts: Timeouts) -> Situation:
    """Read the folder, ask the port, identify the processes."""
    known = record.read(profile)
    lock = singleton.read_lock(profile)
    owner = _owner(profile, lock)
    pid = known.pid if known else lock.pid if lock and owner is Owner.BROWSER else 0
    urls = _addresses(profile, known, owner)
    if urls and await _stays_frozen(pid, timeouts):
        endpoint, silent = "", True
    else:
        endpoint, silent = await _ask(urls, timeouts)
    return Situation(
        profile=profile,
        endpoint=endpoint,
        silent=silent,
        record=known,
        lock=lock,
        owner=owner,
        pid=pid,
        headless=known.headless if known else _is_headless(pid),
        holders=holders,
    )


async def _stays_frozen(pid: int, timeouts: Timeouts) -> bool:
    """Stopped by a signal, and not for a moment only, as what limits a program's CPU does."""
    with trio.move_on_after(timeouts.look_again):
        while pid > 0 and process.is_frozen(pid):  # noqa: ASYNC110 -- being continued is no event
            await trio.sleep(_TURN)
        return False
    return process.is_frozen(pid)


async def _ask(urls: list[str], timeouts: Timeouts) -> tuple[str, bool]:
    """The endpoint of this profile's browser if it answers, and whether one is there but silent."""
    silent = False
    for url in urls:
        try:
            address = probe.parse_endpoint(url.replace("ws:", "http:", 1))
            assert isinstance(address, probe.HttpAddress)
            answer = await probe.ask(address, timeouts)
        except UsageError:  # the record is damaged
            continue
        except ChromeError as error:
            silent = silent or error.code == "BROWSER_HUNG"
            continue
        if urlsplit(answer.url).path == urlsplit(url).path:  # else: another, on a reused port
            return answer.url, False
    return "", silent


def _addresses(profile: Path, known: Record | None, owner: Owner) -> list[str]:
    """What our watchdog heard (a fixed port is never written), or what Chrome wrote.

    A profile may be a copy of one whose browser runs: its port file leads to that browser. So what
    is written counts only beside a live browser of this very folder.
    """
    if known is not None and known.endpoint:
        return [known.endpoint]
    written = farewell.read_port(profile)
    proven = known is not None or owner is Owner.BROWSER or os.name == "nt"  # no such lock there
    return [f"ws://127.0.0.1:{written[0]}{written[1]}"] if written and proven else []


def _owner(profile: Path, lock: singleton.Lock | None) -> Owner:
    if lock is None:
        return Owner.NOBODY
    if lock.foreign:
        return Owner.ELSEWHERE
    if lock.pid <= 1 or not record.started_at(lock.pid):
        return Owner.DEAD
    ours = is_browser_of(lock.pid, profile) or _works_in(lock.pid, profile)
    return Owner.BROWSER if ours else Owner.STRANGER


def _works_in(pid: int, profile: Path) -> bool:
    """It has files of the profile open; its command line may name the folder in a way of its own.

    Started by hand it has a relative one, or none: a folder that only its vendor knows. Files of
    ours do not count, for the pid may be that of another of us by now.
    """
    folder = os.path.join(os.path.realpath(profile), "")
    ours = os.path.join(folder, STATE, "")
    opened = process.open_files(pid)
    return any(path.startswith(folder) and not path.startswith(ours) for path in opened)


def is_browser_of(pid: int, profile: Path) -> bool:
    """The command line names this profile folder, exactly, and is no helper process of Chrome."""
    arguments = process.command_line(pid)
    if any(argument.startswith("--type=") for argument in arguments):
        return False
    named = [a.partition("=")[2] for a in arguments if a.startswith("--user-data-dir=")]
    return any(same_folder(Path(name), profile) for name in named)


def _is_headless(pid: int) -> bool:
    return pid > 0 and any(a.startswith("--headless") for a in process.command_line(pid))
