"""What a browser that is gone has left: lock links, port file, record, its temporary folder.

A successor may be starting there already, so only what names this very browser is removed.

Standard library only: the watchdog runs this without the packages.
"""

from pathlib import Path

from launcher import farewell, record, singleton, temporary


def remove_dead(profile: Path) -> None:
    """Clear what a browser left that had nobody to do so; with the profile's gate held.

    Nothing where the lock is of another computer, or container: from here all of its processes are
    dead, and its browser may be well.
    """
    dead = record.read_dead(profile)
    lock = singleton.read_lock(profile)
    if dead is not None and not (lock is not None and lock.foreign):
        remove_traces(profile, dead.pid, dead.endpoint, dead.temporary)


def remove_traces(profile: Path, pid: int, endpoint: str, folder: str) -> None:
    """Clear them all; the record, which names them, last: whoever is killed here leaves it."""
    singleton.remove_links(profile, pid)
    if endpoint:
        farewell.remove_port(profile, endpoint)
    elif record.names(profile, pid):  # ended before it was heard where it listens
        farewell.drop_port(profile)
    temporary.remove(folder)
    record.remove(profile, pid)
