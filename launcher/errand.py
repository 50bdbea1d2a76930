"""Our side of the watchdog: start it, hand it the job, hear what becomes of the browser."""

import contextlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import trio

from bridge.errors import LaunchError
from launcher.job import END, Job

_ROOT = str(Path(__file__).resolve().parent.parent)
_MAIN = (
    "import sys; sys.path[:] = [sys.argv[1], *sys.path, *sys.argv[2:]]; "
    "from launcher.job import main; main()"
)
_MAX_NEWS = 256 * 1024

_LOCKED = 21  # Chrome's exit code
_NO_LOCK = re.compile(r"Failed to create (socket directory|.*SingletonLock: (?!File exists))")

News = dict[str, object]


class Errand:
    """A started watchdog; `news` reads its lines."""

    def __init__(self, watchdog: trio.Process) -> None:
        self._watchdog = watchdog
        self._buffer = b""
        self._last: News = {}

    async def next_news(self) -> News | None:
        """The next line; None when the watchdog has gone, or talks nonsense."""
        assert self._watchdog.stdout is not None
        while b"\n" not in self._buffer:
            chunk = await self._watchdog.stdout.receive_some(65536)
            if not chunk or len(self._buffer) > _MAX_NEWS:
                return None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            news = json.loads(line)
        except ValueError:
            return None
        self._last = news if isinstance(news, dict) else {}
        return self._last

    async def until(self, event: str) -> News:
        """Pass over other news until this; LaunchError if the browser ends first."""
        while (news := await self.next_news()) is not None:
            if news.get("event") == event:
                return news
            if news.get("event") in ("failed", "exited"):
                break
        raise self.failure()

    def failure(self) -> LaunchError:
        """What the last news means for the launch."""
        return explain(self._last)

    def overdue(self, seconds: float) -> LaunchError:
        """The browser was given up and ended: it had not come up, and perhaps said why."""
        tail = str(self._last.get("tail", ""))
        return LaunchError(
            "LAUNCH_FAILED",
            f"the browser was started and not up after {seconds:.3g} s{_said(tail)}",
            hint=_remedy(tail),
            retryable=True,
            facts=self._last,
        )

    async def end(self) -> News:
        """Wait for the watchdog to finish; the last thing it said."""
        while await self.next_news() is not None:
            pass
        await self._watchdog.wait()
        return self._last

    async def cancel(self) -> None:
        """Have the watchdog end the browser now, and wait for both."""
        if sys.platform == "win32":  # no signal there asks for anything, so a word does
            assert self._watchdog.stdin is not None
            with contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._watchdog.stdin.send_all(END)
            await self._watchdog.stdin.aclose()  # or it would wait for the rest of half a job
        else:
            self._watchdog.terminate()
        await self.end()

    async def aclose(self) -> None:
        """Stop listening; the watchdog goes on without us for as long as others use the browser."""
        assert self._watchdog.stdout is not None
        assert self._watchdog.stdin is not None
        await self._watchdog.stdin.aclose()
        await self._watchdog.stdout.aclose()
        _released.append(self._watchdog)
        _collect()


_released: list[trio.Process] = []
"""Watchdogs nobody listens to any more; ours to collect all the same, or they stay as zombies."""


def _collect() -> None:
    _released[:] = [watchdog for watchdog in _released if watchdog.returncode is None]


async def start_watchdog(job: Job) -> Errand:
    """A detached process that starts the browser and outlives us to close it."""
    _collect()
    # -I -S: nothing of the environment and no packages, 5 ms instead of 30.
    command = [sys.executable, "-I", "-S", "-c", _MAIN, *_folders()]
    try:
        watchdog = await _spawn(command, job.pipes)
    except OSError as error:
        raise LaunchError(
            "LAUNCH_FAILED",
            f"the watchdog process could not be started: {error.strerror}",
            hint="The machine may be out of processes or memory.",
        ) from error
    errand = Errand(watchdog)
    try:
        await _hand_over(watchdog, job)
    except BaseException:
        with trio.CancelScope(shield=True):  # it may have its job all the same, and be at it
            await errand.cancel()
            await errand.aclose()
        raise
    return errand


def _folders() -> list[str]:
    """Where the watchdog finds us; and psutil, which knows processes where there is no /proc."""
    if sys.platform == "linux":
        return [_ROOT]
    import psutil

    return [_ROOT, str(Path(psutil.__file__).parent.parent)]


async def _hand_over(watchdog: trio.Process, job: Job) -> None:
    assert watchdog.stdin is not None
    try:
        await watchdog.stdin.send_all(job.pack())
    except trio.BrokenResourceError as error:
        raise explain({}) from error
    finally:
        if sys.platform != "win32":  # there more may have to be said
            await watchdog.stdin.aclose()


async def _spawn(command: list[str], pipes: list[int]) -> trio.Process:
    """In a session of its own: what ends us must not end it."""
    if sys.platform == "win32":
        return await trio.lowlevel.open_process(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
            creationflags=subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.DETACHED_PROCESS,
        )
    return await trio.lowlevel.open_process(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=os.sep,
        pass_fds=tuple(pipes),
        start_new_session=True,
    )


def explain(news: News) -> LaunchError:
    """Why the browser did not start, in words somebody can act on."""
    if news.get("event") == "failed":
        return LaunchError(
            "LAUNCH_FAILED",
            f"the browser could not be started: {news.get('why')}",
            hint="Check --executable-path: it has to be the program itself.",
            facts=dict(news),
        )
    if news.get("event") != "exited":
        return LaunchError(
            "LAUNCH_FAILED",
            "the browser's watchdog ended before the browser was up",
            hint="Try again; `chrome-bridge doctor` shows what is missing.",
            facts=dict(news),
        )
    tail, code = str(news.get("tail", "")), news.get("code")
    if _is_taken(code, tail):
        return LaunchError(
            "PROFILE_LOCKED",
            "another browser took the profile while ours was starting",
            hint="Close it, or use another profile.",
            facts=dict(news),
        )
    return LaunchError(
        "LAUNCH_FAILED",
        f"the browser ended at once ({_exit_words(code)}){_said(tail)}",
        hint=_remedy(tail),
        facts=dict(news),
    )


def _is_taken(code: object, tail: str) -> bool:
    """Somebody else has the profile; Chrome ends alike where it cannot make its lock at all."""
    if code == _LOCKED:
        return _NO_LOCK.search(tail) is None
    return "Opening in existing browser session" in tail


def _exit_words(code: object) -> str:
    if isinstance(code, int) and code < 0:
        return f"killed by signal {-code}"
    return f"exit code {code}"


def _said(tail: str) -> str:
    return f"; it said: {_last_words(tail)}" if tail.strip() else " and said nothing"


def _last_words(tail: str) -> str:
    lines = [line.strip() for line in tail.splitlines() if line.strip()]
    return " | ".join(lines[-3:])[-600:]


_REMEDIES = (
    ("Missing X server", "There is no display: use --headless."),
    ("error while loading shared libraries", "Install the browser's missing libraries."),
    ("No usable sandbox", "Allow user namespaces, or see `chrome-bridge doctor`."),
    (
        "without --no-sandbox is not supported",
        "Do not run as root, or pass --chrome-arg=--no-sandbox.",
    ),
    ("No space left on device", "Make room on the disk that holds the profile."),
    ("create socket directory", "Have TMPDIR name a folder that can be written."),
    ("SingletonLock: ", "Give a --user-data-dir where the browser may write, with symbolic links."),
)


def _remedy(tail: str) -> str:
    for sign, remedy in _REMEDIES:
        if sign in tail:
            return remedy
    return "Check that --executable-path is a Chrome; `chrome-bridge doctor` lists those found."
