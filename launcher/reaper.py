"""Ends what nobody minds any more: headless browsers of ours whose watchdog was killed as well.

Only a browser that a record describes to the letter (pid, start time, profile in its command line),
whose watchdog is gone and whose profile nobody holds a lease on. A profile folder of an isolated
session that ended so is removed.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import trio

from bridge import log
from bridge.timeouts import Timeouts
from launcher import farewell, process, record, singleton
from launcher.leases import Leases
from launcher.look import is_browser_of
from launcher.profile import isolated_profiles, named_profiles

_log = log.get("launcher")


async def reap(data_dir: Path, timeouts: Timeouts) -> int:
    """Look at every profile in the data folder; how many browsers were ended."""
    ended = 0
    for profile in _profiles(data_dir):
        leases = Leases(profile)
        try:
            gate = leases.try_gate()
        except OSError:
            continue
        if gate is None:
            continue
        try:
            if leases.holders():
                continue
            known = record.read(profile)
            if known is not None and known.watched:
                continue
            if known is not None and (known.headless or profile.parent.name == "isolated"):
                ended += await evict(profile, known, politely=True, timeouts=timeouts)
                known = None
            if known is None and profile.parent == isolated_profiles(data_dir):
                await trio.to_thread.run_sync(_remove, profile)
        finally:
            os.close(gate)
    return ended


async def evict(profile: Path, known: record.Record, *, politely: bool, timeouts: Timeouts) -> bool:
    """End this browser of ours and clear its traces; False if it turned out to be another."""
    if not is_browser_of(known.pid, profile) or not known.alive:
        record.remove(profile, known.pid)
        return False
    _log.warning("ending %s", log.facts(pid=known.pid, profile=profile, politely=politely))
    if politely and known.endpoint and not process.is_frozen(known.pid):
        await trio.to_thread.run_sync(
            farewell.say, known.endpoint, "Browser.close", timeouts.close, abandon_on_cancel=True
        )
        with trio.move_on_after(timeouts.close):
            await process.wait_gone(known.pid, known.started)
    process.kill_group(known)
    with trio.move_on_after(timeouts.close):
        await process.wait_gone(known.pid, known.started)
    singleton.remove_links(profile, known.pid)
    farewell.remove_port(profile, known.endpoint)
    record.remove(profile, known.pid)
    return True


def _remove(profile: Path) -> None:
    lock = singleton.read_lock(profile)
    if lock is not None and not lock.foreign and not record.started_at(lock.pid):
        singleton.clear(profile)
    shutil.rmtree(profile, ignore_errors=True)


def _profiles(data_dir: Path) -> Iterator[Path]:
    for parent in (named_profiles(data_dir), isolated_profiles(data_dir)):
        try:
            names = os.listdir(parent)
        except OSError:
            continue
        yield from (parent / name for name in names if (parent / name).is_dir())
