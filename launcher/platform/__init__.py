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
    this_machine,
)
from launcher.platform.linux import Linux
from launcher.platform.mac import Mac
from launcher.platform.windows import Windows
from launcher.platform.wsl import Wsl, is_wsl

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
    """The platform of this machine, or of the one described."""
    machine = machine or this_machine()
    if system == "win32":
        return Windows(machine)
    if system == "darwin":
        return Mac(machine)
    return Wsl(machine) if is_wsl(machine) else Linux(machine)
