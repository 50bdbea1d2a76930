"""What becomes of one Chrome: heard from its own words, told on stdout, written beside its profile.

Both watchdogs, the one for POSIX and the one for Windows, keep one of these; they themselves only
know about processes. The record is written before the news: whoever hears that a browser has
started must find it on record.

Standard library only: the watchdog runs this without the packages. What only the end needs is not
imported at the top: while Chrome starts it has better use for the processor.
"""

import json
import os
from collections import deque

from launcher import record
from launcher.job import Job

TAIL = 8 * 1024
"""Bytes of Chrome's own words that are kept for an error message."""

_LONGEST_LINE = 4096
_LISTENING = b"DevTools listening on "


class Chronicle:
    """The story of the job's Chrome, until `close`."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._pid = 0
        self._temporary = ""
        self._tail: deque[bytes] = deque()
        self._kept = 0
        self._line = b""
        self.endpoint = ""

    def started(self, pid: int, temporary: str = "") -> None:
        """It runs, with this folder for what is temporary."""
        self._pid = pid
        self._temporary = temporary
        self._write()
        self._tell(event="started", pid=pid)

    def failed(self, error: OSError) -> None:
        """There is no such program, or the system would not start it."""
        self._tell(event="failed", errno=error.errno, why=error.strerror)

    def hear(self, data: bytes) -> None:
        """Some of what it says; one of its first lines names the endpoint."""
        self._tail.append(data)
        self._kept += len(data)
        while self._kept - len(self._tail[0]) >= TAIL:
            self._kept -= len(self._tail.popleft())
        if not self.endpoint and not self._job.pipes:
            self._look_for_endpoint(data)

    def close(self, code: int | None) -> None:
        """Leave the folder as if nothing had run, then tell the end."""
        from pathlib import Path

        from launcher import removal, traces

        profile = Path(self._job.profile)
        if self._pid:
            traces.remove_traces(profile, self._pid, self.endpoint, self._temporary)
        if self._job.remove_profile:
            removal.remove_folder(profile)
        if code is not None:
            tail = b"".join(self._tail)[-TAIL:].decode("utf-8", "replace")
            self._tell(event="exited", code=code, tail=tail)

    def _look_for_endpoint(self, data: bytes) -> None:
        *lines, rest = (self._line + data).split(b"\n")
        self._line = rest[:_LONGEST_LINE]
        for line in lines:
            if line.startswith(_LISTENING):
                self.endpoint = line[len(_LISTENING) :].decode("ascii", "replace").strip()
                self._write()
                self._tell(event="listening", url=self.endpoint)
                return

    def _write(self) -> None:
        known = record.Record(
            pid=self._pid,
            started=record.started_at(self._pid),
            watchdog=os.getpid(),
            watchdog_started=record.started_at(os.getpid()),
            headless=self._job.headless,
            keep_open=self._job.keep_open,
            transport="pipe" if self._job.pipes else "port",
            endpoint=self.endpoint,
            executable=self._job.argv[0],
            temporary=self._temporary,
        )
        record.write(self._job.profile, known)

    def _tell(self, **news: object) -> None:
        try:
            os.write(1, json.dumps(news).encode() + b"\n")
        except OSError:  # nobody listens any more
            return
