"""What a browser that is gone has left in its profile: lock links, port file, record.

A successor may be starting there already, so only what names this very browser is removed.

Standard library only: the watchdog runs this without the packages.
"""

from pathlib import Path

from launcher import farewell, record, singleton


def remove_traces(profile: Path, pid: int, endpoint: str) -> None:
    """Clear them all."""
    singleton.remove_links(profile, pid)
    farewell.remove_port(profile, endpoint)
    record.remove(profile, pid)
