"""The watchdog where there are no process groups, no signals and no waiting for two things at once.

It does what `watchdog` does, but it looks four times a second whether Chrome has ended and whether
a lease is left: Windows can wait for a file lock only by trying again. What Chrome and the launcher
say comes at once, through threads and a queue; a full queue holds up a Chrome that never stops
talking. Nothing here is particular to Windows but the last resort, so that everything else is
tested on any system.

Standard library only, as everything it imports: it runs without site-packages.
"""

import _thread
import contextlib
import os
import queue
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from launcher import farewell
from launcher.chronicle import Chronicle
from launcher.job import END, Job
from launcher.leases import Gate, Leases

_LOOK = 0.25  # seconds from one look to the next
_QUEUE = 16  # chunks of 64 KiB


class Watchdog:
    """One Chrome from start to end."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._leases = Leases(Path(job.profile))
        self._chronicle = Chronicle(job)
        self._heard: queue.Queue[bytes] = queue.Queue(_QUEUE)
        self._asked = False
        self._deaf = False  # it does not hear our request
        self._silent = False  # Chrome's output has ended
        self._gate: Gate | None = None

    def run(self) -> None:
        """Start, watch, end, tidy."""
        code: int | None = None
        try:
            # Without a lease whoever asked for this is gone already.
            if self._leases.holders() and (chrome := self._start()) is not None:
                self._watch(chrome)
                code = chrome.poll()
        finally:
            # The gate, if it is ours, stays closed until this process is gone.
            self._chronicle.close(code)

    # Start.

    def _start(self) -> subprocess.Popen[bytes] | None:
        try:
            chrome = subprocess.Popen(
                self._job.argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            self._chronicle.failed(error)
            return None
        assert chrome.stdout is not None
        self._chronicle.started(chrome.pid)
        _thread.start_new_thread(self._read_output, (chrome.stdout,))
        _thread.start_new_thread(self._read_requests, ())
        return chrome

    def _read_output(self, output: IO[bytes]) -> None:
        while data := os.read(output.fileno(), 65536):
            self._heard.put(data)
        self._heard.put(b"")

    def _read_requests(self) -> None:
        while words := os.read(0, 1024):
            self._asked = self._asked or END in words

    # Watch.

    def _watch(self, chrome: subprocess.Popen[bytes]) -> None:
        while chrome.poll() is None:
            if self._asked or self._alone():
                self._end(chrome)
                break
            self._listen(_LOOK)
        if not self._silent:  # its last words may still be on their way
            self._listen(self._job.terminate)

    def _alone(self) -> bool:
        """Nobody holds a lease, and with the gate held nobody can come."""
        if self._job.keep_open:
            return False
        try:
            if self._leases.holders():
                return False
            self._gate = self._leases.try_gate()
            if self._gate is None or not self._leases.holders():
                return self._gate is not None
            self._gate.close()
        except FileNotFoundError:  # the profile has been removed: nobody can come any more
            return True
        except OSError:  # out of handles or memory; looked at again in a moment
            pass
        return False

    def _listen(self, seconds: float) -> None:
        """Hear what there is, and what comes within that time; not beyond the last word."""
        limit = time.monotonic() + seconds
        with contextlib.suppress(queue.Empty):
            for _ in range(2 * _QUEUE):
                data = self._heard.get(timeout=max(0, limit - time.monotonic()))
                if not data:
                    self._silent = True
                    return
                self._chronicle.hear(data)

    # End.

    def _end(self, chrome: subprocess.Popen[bytes]) -> None:
        """Ask, then insist, then make sure; each within its time."""
        patience = self._job.close
        _thread.start_new_thread(self._ask_to_leave, ())
        if self._gone_within(chrome, patience, asked=True):
            return
        if sys.platform == "win32":
            # It goes by who started whom, so the browser itself must not have been ended before.
            whole_tree = ["taskkill", "/T", "/F", "/PID", str(chrome.pid)]
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(whole_tree, capture_output=True, check=False, timeout=patience)
        chrome.terminate()
        if not self._gone_within(chrome, self._job.terminate):
            chrome.kill()
            self._gone_within(chrome, patience)

    def _ask_to_leave(self) -> None:
        """While it is still heard: with its output full it could not listen."""
        endpoint = self._chronicle.endpoint
        if not endpoint or not farewell.say(endpoint, "Browser.close", self._job.close):
            self._deaf = True

    def _gone_within(
        self, chrome: subprocess.Popen[bytes], seconds: float, *, asked: bool = False
    ) -> bool:
        """It ends in that time; if asked, false as soon as it is known not to have heard."""
        limit = time.monotonic() + seconds
        while chrome.poll() is None:
            left = limit - time.monotonic()
            if left <= 0 or (asked and self._deaf):
                return False
            self._listen(min(_LOOK, left))
        return True
