"""The process between us and a launched Chrome: its parent, its doorman, its undertaker.

It starts Chrome, reports what happens to it, and closes it when the last lease on the profile is
gone. Being the parent settles the hard questions: there is no moment in which Chrome runs and
nobody would end it, its pid cannot come to mean another process before we have collected it, and
its death is an event instead of a poll. It lives in a session of its own, so what ends us does not
end it. Signals become words to be read before Chrome is started: a SIGTERM in between would leave
Chrome alone.

Standard library only, as everything it imports: it runs without site-packages. What Chrome's start
does not need is imported after it (see `job`).
"""

import _thread
import os
import sys
import time

from launcher import temporary
from launcher.job import Job
from launcher.leases import Gate, Leases

assert sys.platform != "win32"  # there, launcher/watchdog_windows.py

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal

    from launcher.chronicle import Chronicle
else:
    import _signal as signal  # the same without names for its numbers, 3 ms sooner

_ALONE, _DEAF = b"\0", b"\xff"  # no signals have these numbers
_ASKED = bytes([signal.SIGTERM])
_READS = 16  # at once, of 64 KiB: a browser that never stops talking must not be all we hear
_RETRY = 1.0  # out of descriptors or memory: wait for better times
_FROZEN = 0.2  # seconds a stopped browser has to be continued
_STARTED = 2.0  # seconds until a browser that starts leaves the processor to others


class Watchdog:
    """One Chrome from start to end."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._leases = Leases(job.profile)
        self._chronicle: Chronicle | None = None
        self._pid = 0
        self._code: int | None = None
        self._gate: Gate | None = None

    def run(self) -> None:
        """Start, watch, end, tidy."""
        self._listen_for_signals()
        try:
            # Without a lease whoever asked for this is gone already.
            if self._leases.holders() and self._start():
                self._watch()
        finally:
            if self._pid and self._code is None:  # an error of ours must not leave it alone
                self._signal(signal.SIGKILL)
            # The gate, if it is ours, stays closed until this process is gone.
            self._story().close(self._code)

    def _story(self) -> "Chronicle":
        """Loaded when Chrome is on its way: its imports cost as much as Chrome's first 20 ms."""
        if self._chronicle is None:
            from launcher.chronicle import Chronicle

            self._chronicle = Chronicle(self._job)
        return self._chronicle

    # Start.

    def _listen_for_signals(self) -> None:
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        # SIGINT and SIGHUP are for those who use the browser; only SIGTERM is a request to us.
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)

    def _start(self) -> bool:
        self._output, output = os.pipe()
        os.set_blocking(self._output, False)
        folder = temporary.make()
        try:
            self._pid = _spawn(self._job, output, folder)
        except OSError as error:
            temporary.remove(folder)
            self._story().failed(error)
            return False
        finally:
            os.close(output)
            for fd in self._job.pipes:
                os.close(fd)
        self._story().started(self._pid, folder)
        return True

    # Watch.

    def _watch(self) -> None:
        import selectors

        self._selector = selectors.DefaultSelector()
        self._selector.register(self._woken, selectors.EVENT_READ, self._wake_up)
        self._selector.register(self._output, selectors.EVENT_READ, self._hear)
        _thread.start_new_thread(_load_rest, ())
        if not self._job.keep_open:
            self._await_last_lease()
        while not self._exited():
            words = b"".join([key.data() for key, _ in self._selector.select()])
            if _ALONE in words or _ASKED in words:
                self._end()
                break
        self._hear()

    def _await_last_lease(self) -> None:
        def wait() -> None:
            while not self._alone():
                pass
            os.write(self._wake, _ALONE)

        _thread.start_new_thread(wait, ())

    def _alone(self) -> bool:
        """Wait until some lease has ended; true when that was the last, with the gate held."""
        try:
            while self._leases.wait_one_end():
                pass
            gate = self._leases.wait_gate()
            if not self._leases.holders():
                self._gate = gate
                return True
            gate.close()
        except FileNotFoundError:  # the profile has been removed: nobody can come any more
            return True
        except OSError:
            time.sleep(_RETRY)  # noqa: TID251 -- no trio here
        return False

    def _wake_up(self) -> bytes:
        return os.read(self._woken, 4096)

    def _hear(self) -> bytes:
        for _ in range(_READS):
            try:
                data = os.read(self._output, 65536)
            except BlockingIOError:
                break
            if not data:
                if self._output in self._selector.get_map():
                    self._selector.unregister(self._output)
                break
            self._story().hear(data)
        return b""

    # End.

    def _end(self) -> None:
        """Ask, then insist, then make sure; each within its time."""
        if not self._frozen():
            self._ask_to_leave()
            if self._gone_within(self._job.close, unless=_DEAF):
                return
            self._signal(signal.SIGTERM)
            if self._gone_within(self._job.terminate):
                return
        self._signal(signal.SIGKILL)
        self._gone_within(self._job.close)

    def _ask_to_leave(self) -> None:
        """Over its port, while it is still heard: with its output full it could not listen."""

        def ask() -> None:
            from launcher import farewell

            endpoint = self._story().endpoint
            if not endpoint or not farewell.say(endpoint, "Browser.close", self._job.close):
                os.write(self._wake, _DEAF)

        if not self._job.pipes:  # there, the end of ours was the request
            _thread.start_new_thread(ask, ())

    def _frozen(self) -> bool:
        """Stopped by a signal, now and a moment later: it would hear neither word nor SIGTERM."""
        return _stopped(self._pid) and not self._gone_within(_FROZEN) and _stopped(self._pid)

    def _gone_within(self, seconds: float, *, unless: bytes = b"") -> bool:
        """It ends in that time; false as soon as that word says it will not."""
        limit = time.monotonic() + seconds
        while not self._exited():
            left = limit - time.monotonic()
            if left <= 0:
                return False
            words = b"".join([key.data() for key, _ in self._selector.select(left)])
            if unless and unless in words:
                return False
        return True

    def _signal(self, number: int) -> None:
        """To the whole group; it is Chrome's for as long as Chrome is not collected."""
        try:
            os.killpg(self._pid, number)
        except (ProcessLookupError, PermissionError):
            return

    def _exited(self) -> bool:
        """Chrome is gone; then what is left of its group is ended and Chrome collected."""
        if self._code is not None:
            return True
        if sys.platform != "darwin":
            if os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return False
            self._signal(signal.SIGKILL)
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if not pid:
            return False
        self._code = os.waitstatus_to_exitcode(status)
        if sys.platform == "darwin":
            # Python cannot look there without collecting. The number of a group with members is
            # not given away, and that of an empty one only after all the others had their turn.
            self._signal(signal.SIGKILL)
        return True


def _load_rest() -> None:
    """What the end needs; an upgrade may have replaced or removed our files by then."""
    time.sleep(_STARTED)  # noqa: TID251 -- no trio here
    from launcher import removal, traces  # noqa: F401


def _spawn(job: Job, output: int, folder: str) -> int:
    """Chrome in a process group of its own, with nothing of ours open but what it needs."""
    environment = {**os.environ, "TMPDIR": folder} if folder else os.environ
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, output, 1),
        (os.POSIX_SPAWN_DUP2, output, 2),
    ]
    # Away from 3 and 4 first: a source may sit where the other's target is.
    high = [_above(fd) for fd in job.pipes]
    actions += [(os.POSIX_SPAWN_DUP2, fd, target) for fd, target in zip(high, (3, 4), strict=False)]
    try:
        # Python ignores these two signals, and an ignored one would stay so in Chrome.
        return os.posix_spawn(
            job.argv[0],
            job.argv,
            environment,
            file_actions=actions,
            setpgroup=0,
            setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
        )
    finally:
        for fd in high:  # or the other side would wait for its end until we have gone, too
            os.close(fd)


def _above(fd: int) -> int:
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)


def _stopped(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):
        return False
