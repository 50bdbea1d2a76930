"""The watchdog's job, and the program that does it.

Run without site-packages (`python -I -S`): standard library only, and little of that. Everybody
waits for Chrome meanwhile, and a bare Python is up in 5 ms while `json`, `typing`, `pathlib` and
their like cost 12 more. So what is imported on the way to Chrome's start (this, `watchdog`,
`leases`, `plain_file`) makes do with what the interpreter has at hand; the rest is loaded while
Chrome starts.

The job comes on stdin; news goes to stdout as JSON lines, and nobody may be there to read it.
Without a whole job there is nothing to do: whoever wanted to give one has gone.
"""

import marshal
import os
import sys

END = b"end\n"
"""Said on stdin where a signal cannot ask for the end; the end of stdin itself means nothing."""

_HEAD = 8  # hexadecimal digits: how many bytes follow


class Job:
    """What to start and when to end it; `pipes` become Chrome's descriptors 3 and 4."""

    def __init__(
        self,
        *,
        argv: list[str],
        profile: str,
        headless: bool,
        pipes: list[int],
        keep_open: bool,  # a headed window stays when its last user has gone
        remove_profile: bool,  # --isolated
        close: float,  # seconds for each step of the end
        terminate: float,
    ) -> None:
        self.argv = argv
        self.profile = profile
        self.headless = headless
        self.pipes = pipes
        self.keep_open = keep_open
        self.remove_profile = remove_profile
        self.close = close
        self.terminate = terminate

    def pack(self) -> bytes:
        """For the stdin of a watchdog, which is the same Python as ours."""
        body = marshal.dumps(vars(self))
        return b"%0*x%b" % (_HEAD, len(body), body)


def read_job() -> Job | None:
    """The job from stdin, and not a byte more: what comes after it is for the watchdog.

    Without Python's own buffer, whose lock a thread that waits for more would hold at our exit:
    that takes a second, and then Python aborts.
    """
    head = _read(_HEAD)
    size = int(head, 16) if len(head) == _HEAD else 0
    body = _read(size)
    return Job(**marshal.loads(body)) if body and len(body) == size else None


def _read(size: int) -> bytes:
    """So many bytes of stdin, or fewer if it ends."""
    data = b""
    while len(data) < size and (chunk := os.read(0, size - len(data))):
        data += chunk
    return data


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
