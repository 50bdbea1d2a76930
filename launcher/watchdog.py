"""The process between us and a launched Chrome: its parent, its doorman, its undertaker.

It starts Chrome, reports what happens to it, and closes it when the last lease on the profile is
gone. Being the parent settles the hard questions: there is no moment in which Chrome runs and
nobody would end it, its pid cannot come to mean another process before we have collected it, and
its death is an event instead of a poll. It lives in a session of its own, so what ends us does not
end it.

Standard library only, as everything it imports: it runs without site-packages.
"""

import contextlib
import json
import os
import selectors
import shutil
import signal
import sys
import time
from collections import deque
from pathlib import Path

from launcher import farewell, record, singleton
from launcher.job import Job
from launcher.leases import Leases

assert sys.platform != "win32"  # there, launcher/watchdog_windows.py

TAIL = 8 * 1024
"""Bytes of Chrome's own words that are kept for an error message."""

_LISTENING = b"DevTools listening on "


class Watchdog:
    """One Chrome from start to end."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._profile = Path(job.profile)
        self._leases = Leases(self._profile)
        self._selector = selectors.DefaultSelector()
        self._tail: deque[bytes] = deque()
        self._kept = 0
        self._line = b""
        self._endpoint = ""
        self._pid = 0
        self._code: int | None = None
        self._gate: int | None = None

    def run(self) -> None:
        """Start, watch, end, tidy."""
        try:
            if not self._leases.holders():
                return  # whoever asked for this is gone already
            if self._start():
                self._watch()
        finally:
            self._tidy()

    # Start.

    def _start(self) -> bool:
        child_out, self_in = _pipe()
        self._stderr = child_out
        try:
            self._pid = _spawn(self._job, self_in)
        except OSError as error:
            self._tell(event="failed", errno=error.errno, why=error.strerror)
            return False
        finally:
            os.close(self_in)
            for fd in self._job.pipes:
                os.close(fd)
        record.write(self._profile, self._record())
        self._tell(event="started", pid=self._pid)
        return True

    def _record(self) -> record.Record:
        return record.Record(
            pid=self._pid,
            started=record.started_at(self._pid),
            watchdog=os.getpid(),
            watchdog_started=record.started_at(os.getpid()),
            headless=self._job.headless,
            transport="pipe" if self._job.pipes else "port",
            endpoint=self._endpoint,
            executable=self._job.argv[0],
        )

    # Watch.

    def _watch(self) -> None:
        wake_out, wake_in = _pipe()
        os.set_blocking(wake_in, False)
        signal.set_wakeup_fd(wake_in, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        asked = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
        for number in asked:
            signal.signal(number, lambda *_: None)
        os.set_blocking(self._stderr, False)
        self._selector.register(self._stderr, selectors.EVENT_READ, self._hear)
        self._selector.register(wake_out, selectors.EVENT_READ, lambda: os.read(wake_out, 4096))
        if not self._job.keep_open:
            self._await_last_lease(wake_in)
        while not self._exited():
            for key, _ in self._selector.select():
                news = key.data()
                if news and not self._job.keep_open and _ALONE in news:
                    self._end()
                    return
                if news and bytes([signal.SIGTERM]) in news:
                    self._end()
                    return
        self._hear()

    def _await_last_lease(self, wake: int) -> None:
        import _thread

        def wait() -> None:
            while True:
                while self._leases.wait_one_end():
                    pass
                gate = self._leases.wait_gate()
                if not self._leases.holders():
                    self._gate = gate
                    os.write(wake, _ALONE)
                    return
                os.close(gate)

        _thread.start_new_thread(wait, ())

    def _hear(self) -> bytes:
        """Read what Chrome says; its first line names the endpoint."""
        while True:
            try:
                data = os.read(self._stderr, 65536)
            except BlockingIOError:
                return b""
            if not data:
                with contextlib.suppress(KeyError):
                    self._selector.unregister(self._stderr)
                return b""
            self._tail.append(data)
            self._kept += len(data)
            while self._kept - len(self._tail[0]) > TAIL:
                self._kept -= len(self._tail.popleft())
            if not self._endpoint and not self._job.pipes:
                self._look_for_endpoint(data)

    def _look_for_endpoint(self, data: bytes) -> None:
        *lines, self._line = (self._line + data).split(b"\n")
        self._line = self._line[-4096:]
        for line in lines:
            if line.startswith(_LISTENING):
                self._endpoint = line[len(_LISTENING) :].decode("ascii", "replace").strip()
                record.write(self._profile, self._record())
                self._tell(event="listening", url=self._endpoint)
                return

    # End.

    def _end(self) -> None:
        """Ask, then insist, then make sure; each within its time."""
        if not self._frozen():
            if self._asked_to_leave() and self._gone_within(self._job.close):
                return
            self._signal(signal.SIGTERM)
            if self._gone_within(self._job.terminate):
                return
        self._signal(signal.SIGKILL)
        self._gone_within(self._job.close)

    def _asked_to_leave(self) -> bool:
        """Over its port; on the pipe the end of ours was the request."""
        if self._endpoint:
            return farewell.say(self._endpoint, "Browser.close", self._job.close)
        return bool(self._job.pipes)

    def _frozen(self) -> bool:
        """Stopped by a signal, now and a moment later: it would hear neither word nor SIGTERM."""
        return _stopped(self._pid) and not self._gone_within(0.2) and _stopped(self._pid)

    def _gone_within(self, seconds: float) -> bool:
        limit = time.monotonic() + seconds
        while not self._exited():
            left = limit - time.monotonic()
            if left <= 0:
                return False
            for key, _ in self._selector.select(min(left, 0.05)):
                key.data()
        return True

    def _signal(self, number: int) -> None:
        """To the whole group; it is Chrome's for as long as Chrome is not collected."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)

    def _exited(self) -> bool:
        """Chrome is gone; then what is left of its group is ended and Chrome collected."""
        if self._code is None and sys.platform != "darwin":  # macOS cannot look without collecting
            if os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return False
            self._signal(signal.SIGKILL)
        if self._code is None:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code is not None

    def _tidy(self) -> None:
        """Leave the folder as if nothing had run, then tell.

        A successor may be starting already, so only what names this very Chrome is removed.
        """
        if self._pid:
            singleton.remove_links(self._profile, self._pid)
            farewell.remove_port(self._profile, self._endpoint)
            record.remove(self._profile, self._pid)
        if self._job.remove_profile:
            _remove_folder(self._profile)
        if self._code is not None:
            tail = b"".join(self._tail)[-TAIL:].decode("utf-8", "replace")
            self._tell(event="exited", code=self._code, tail=tail)

    def _tell(self, **news: object) -> None:
        with contextlib.suppress(OSError):
            os.write(1, json.dumps(news).encode() + b"\n")


_ALONE = b"\0"  # no signal has this number


def _pipe() -> tuple[int, int]:
    read_end, write_end = os.pipe()
    return read_end, write_end


def _spawn(job: Job, output: int) -> int:
    """Chrome in a process group of its own, with nothing of ours open but what it needs."""
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = []
    if job.pipes:
        # Away from 3 and 4 first: a source may sit where the other's target is.
        high = [_above(fd) for fd in job.pipes]
        actions += [(os.POSIX_SPAWN_DUP2, high[0], 3), (os.POSIX_SPAWN_DUP2, high[1], 4)]
    actions += [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, output, 1),
        (os.POSIX_SPAWN_DUP2, output, 2),
    ]
    # Python ignores SIGPIPE, and an ignored signal would stay so in Chrome.
    return os.posix_spawn(
        job.argv[0],
        job.argv,
        os.environ,
        file_actions=actions,
        setpgroup=0,
        setsigdef=[signal.SIGPIPE],
    )


def _above(fd: int) -> int:
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)


def _stopped(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):
        return False


def _remove_folder(folder: Path) -> None:
    """Chrome's crash handlers may still write for a moment after it has gone."""
    for _ in range(40):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.025)  # noqa: TID251 -- no trio here, and a folder has no event
