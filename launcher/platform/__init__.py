"""One interface for four operating systems: where browsers are, and what they need to start.

`current()` picks; everything else takes a `Platform` as an argument. WSL is a platform of its own,
for a Linux program there may find a Windows browser.
"""

import sys

from launcher.platform.base import (
    CHANNELS,
    NAMES,
    ArgumentStyle,
    Candidate,
    Channel,
    Machine,
    Platform,
    is_wsl,
    this_machine,
)

__all__ = [
    "CHANNELS",
    "NAMES",
    "ArgumentStyle",
    "Candidate",
    "Channel",
    "Machine",
    "Platform",
    "current",
    "this_machine",
]


def current(machine: Machine | None = None, *, system: str = sys.platform) -> Platform:
    """The platform of this machine, or of the one described; the others are not even loaded."""
    machine = machine or this_machine()
    if system == "win32":
        from launcher.platform.windows import Windows

        return Windows(machine)
    if system == "darwin":
        from launcher.platform.mac import Mac

        return Mac(machine)
    if is_wsl(machine):
        from launcher.platform.wsl import Wsl

        return Wsl(machine)
    from launcher.platform.linux import Linux

    return Linux(machine)
