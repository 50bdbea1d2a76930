"""The watchdog's job, and the program that does it.

Run without site-packages (`python -I -S`): standard library only. The job comes as one JSON line on
stdin; news goes to stdout as JSON lines, and nobody may be there to read it. Without a whole job
there is nothing to do: whoever wanted to give one has gone.
"""

import json
import os
import sys
from typing import NamedTuple

END = b"end\n"
"""Said on stdin where a signal cannot ask for the end; the end of stdin itself means nothing."""


class Job(NamedTuple):  # a dataclass would cost 8 ms of imports before Chrome is even started
    """What to start and when to end it; `pipes` become Chrome's descriptors 3 and 4."""

    argv: list[str]
    profile: str
    headless: bool
    pipes: list[int]
    keep_open: bool  # a headed window stays when its last user has gone
    remove_profile: bool  # --isolated
    close: float  # seconds for each step of the end
    terminate: float


def read_job() -> Job | None:
    """The job from stdin, and not a byte more: what comes after it is for the watchdog.

    Without Python's own buffer, whose lock a thread that waits for more would hold at our exit:
    that takes a second, and then Python aborts.
    """
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            return None
        line += byte
    return Job(**json.loads(line))


def main() -> None:
    """Read the job and do it."""
    job = read_job()
    if job is None:
        return
    if sys.platform == "win32":
        from launcher.watchdog_windows import Watchdog
    else:
        from launcher.watchdog import Watchdog
    Watchdog(job).run()
