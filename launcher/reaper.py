"""Ends what nobody minds any more: browsers of ours whose watchdog was killed as well.

Only a browser that a record describes to the letter (pid, start time, profile in its command line),
whose watchdog is gone, whose profile nobody holds a lease on, and that nobody wanted to stay. The
folder of an isolated session that ended so is removed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import trio

from bridge import log
from bridge.timeouts import Timeouts
from launcher import farewell, process, record, singleton
from launcher.leases import STATE, Leases
from launcher.look import is_browser_of
from launcher.profile import isolated_profiles, named_profiles
from launcher.removal import RUBBISH, remove_folder
from launcher.traces import remove_dead, remove_traces

_log = log.get("launcher")


async def reap(data_dir: Path, timeouts: Timeouts) -> int:
    """Look at every profile in the data folder; how many browsers were ended."""
    ended = 0
    isolated = isolated_profiles(data_dir)
    for profile in _profiles(data_dir):
        try:
            ended += await _visit(profile, isolated, timeouts)
        except OSError as error:  # somebody else's folder, or one that is just being removed
            _log.debug("not cleaned: %s", log.facts(profile=profile, error=error))
    for rubbish in isolated.glob(f"*{RUBBISH}"):
        await trio.to_thread.run_sync(remove_folder, rubbish)
    return ended


async def _visit(profile: Path, isolated: Path, timeouts: Timeouts) -> bool:
    """End its browser if nobody minds it; whether there was one."""
    leases = Leases(profile)
    gate = leases.try_gate()
    if gate is None:
        return False
    try:
        if leases.holders():
            return False
        await trio.to_thread.run_sync(remove_dead, profile)
        known = record.read(profile)
        if known is not None and (known.watched or known.keep_open):
            return False
        ended = known is not None and await evict(profile, known, politely=True, timeouts=timeouts)
        if profile.parent == isolated:
            await trio.to_thread.run_sync(remove_isolated, profile)
        return ended
    finally:
        gate.close()


async def evict(profile: Path, known: record.Record, *, politely: bool, timeouts: Timeouts) -> bool:
    """End this browser of ours and clear its traces; whether it was there to be ended."""
    there = is_browser_of(known.pid, profile) and known.alive
    if there:
        _log.warning("ending %s", log.facts(pid=known.pid, profile=profile, politely=politely))
        if politely and not process.is_frozen(known.pid):
            await _see_out(known, timeouts)
        process.kill_group(known)
        with trio.move_on_after(timeouts.close):
            await process.wait_gone(known.pid, known.started)
    elif await _is_another(known, timeouts):
        record.remove(profile, known.pid)
        return False
    remove_traces(profile, known.pid, known.endpoint, known.temporary)
    return there


def find_unrecorded(argv: list[str]) -> record.Record | None:
    """The browser just started with this command line, if its watchdog was killed at that moment.

    With the profile's gate held: the profile that the command line names is nobody else's to start
    a browser on.
    """
    for pid in process.leaders():
        if process.command_line(pid)[-len(argv) :] == argv:
            return record.Record(
                pid=pid,
                started=record.started_at(pid),
                watchdog=0,
                watchdog_started="",
                headless=False,
                keep_open=False,
                transport="",
                endpoint="",
                executable=argv[0],
                temporary=process.variable(pid, "TMPDIR"),
            )
    return None


async def _is_another(known: record.Record, timeouts: Timeouts) -> bool:
    """A process that goes on; ours, when it is just ending, has lost its command line first."""
    if not process.command_line(known.pid):
        with trio.move_on_after(timeouts.close):
            await process.wait_gone(known.pid, known.started)
    return known.alive


async def _see_out(known: record.Record, timeouts: Timeouts) -> None:
    """Ask it to leave; one whose pipe has lost its other end is on its way already."""
    if known.endpoint:
        await trio.to_thread.run_sync(
            farewell.say, known.endpoint, "Browser.close", timeouts.close, abandon_on_cancel=True
        )
    if known.endpoint or known.transport == "pipe":
        with trio.move_on_after(timeouts.close):
            await process.wait_gone(known.pid, known.started)


def remove_isolated(profile: Path) -> None:
    """Unless a browser runs there after all: a full disk may have cost it its record."""
    remove_dead(profile)  # the record goes with the folder, and it alone names what lies elsewhere
    lock = singleton.read_lock(profile)
    if lock is not None and (lock.foreign or is_browser_of(lock.pid, profile)):
        return
    if lock is not None:
        singleton.clear(profile)
    remove_folder(profile)


def _profiles(data_dir: Path) -> Iterator[Path]:
    for parent in (named_profiles(data_dir), isolated_profiles(data_dir)):
        try:
            names = os.listdir(parent)
        except OSError:
            continue
        yield from (parent / name for name in names if (parent / name / STATE).is_dir())
