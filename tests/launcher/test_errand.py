"""Our side of the watchdog: what its end means, and that nothing of it leaks."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from bridge.errors import LaunchError
from launcher import errand, record
from launcher.errand import News, explain, start_watchdog
from launcher.job import Job
from launcher.leases import Leases
from launcher.record import started_at
from tests.launcher.conftest import Install
from tests.support.conditions import limit
from tests.support.yard import replaced

if sys.platform == "win32":
    pytest.skip("watchdogs are killed by signals", allow_module_level=True)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(
        argv=["/none", f"--user-data-dir={tmp_path / 'p'}"],
        profile=str(tmp_path / "p"),
        headless=True,
        pipes=[],
        keep_open=False,
        remove_profile=False,
        close=0.3,
        terminate=0.1,
    )


@pytest.mark.parametrize(
    ("news", "code", "message", "hint"),
    [
        (
            {"event": "failed", "errno": 8, "why": "Exec format error"},
            "LAUNCH_FAILED",
            "could not be started: Exec format error",
            "--executable-path",
        ),
        ({}, "LAUNCH_FAILED", "watchdog ended before", "doctor"),
        ({"event": "started", "pid": 5}, "LAUNCH_FAILED", "watchdog ended before", "doctor"),
        ({"event": "exited", "code": 21, "tail": ""}, "PROFILE_LOCKED", "another browser", "Close"),
        (
            {
                "event": "exited",
                "code": 21,
                "tail": "Failed to create /p/SingletonLock: File exists",
            },
            "PROFILE_LOCKED",
            "another browser",
            "Close",
        ),
        (
            {"event": "exited", "code": 21, "tail": "Failed to create socket directory.\nAborting"},
            "LAUNCH_FAILED",
            "Failed to create socket directory",
            "TMPDIR",
        ),
        (
            {"event": "exited", "code": 21, "tail": "Failed to create /a b/SingletonLock: No (1)"},
            "LAUNCH_FAILED",
            "SingletonLock: No (1)",
            "symbolic links",
        ),
        (
            {"event": "exited", "code": 0, "tail": "Opening in existing browser session.\n"},
            "PROFILE_LOCKED",
            "another browser took the profile",
            "another profile",
        ),
        (
            {"event": "exited", "code": 0, "tail": " \n"},
            "LAUNCH_FAILED",
            "(exit code 0) and said nothing",
            "--executable-path",
        ),
        (
            {"event": "exited", "code": -11, "tail": ""},
            "LAUNCH_FAILED",
            "(killed by signal 11)",
            "--executable-path",
        ),
        (
            {"event": "exited", "code": 1, "tail": "a\nb\n\n c \nd\n"},
            "LAUNCH_FAILED",
            "it said: b | c | d",
            "--executable-path",
        ),
        (
            {"event": "exited", "code": 1, "tail": "ERROR: Missing X server or $DISPLAY"},
            "LAUNCH_FAILED",
            "Missing X server",
            "--headless",
        ),
        (
            {"event": "exited", "code": 127, "tail": "error while loading shared libraries: x.so"},
            "LAUNCH_FAILED",
            "x.so",
            "missing libraries",
        ),
        (
            {"event": "exited", "code": -5, "tail": "FATAL: No usable sandbox! Update"},
            "LAUNCH_FAILED",
            "No usable sandbox",
            "user namespaces",
        ),
        (
            {"event": "exited", "code": 1, "tail": "without --no-sandbox is not supported"},
            "LAUNCH_FAILED",
            "not supported",
            "--chrome-arg=--no-sandbox",
        ),
        (
            {"event": "exited", "code": 1, "tail": "No space left on device"},
            "LAUNCH_FAILED",
            "No space left",
            "Make room",
        ),
    ],
)
def test_explain(news: News, code: str, message: str, hint: str) -> None:
    """Each end has its words and its remedy, and the news themselves for a report."""
    error = explain(news)
    assert error.code == code
    assert message in str(error)
    assert hint in error.hint
    assert error.facts == news


def test_long_words() -> None:
    """Of a long complaint the end is quoted."""
    message = str(explain({"event": "exited", "code": 1, "tail": "x" * 5000 + "end"}))
    assert message.endswith("xend")
    assert len(message) < 700


async def test_watchdog_dies(
    job: Job, fake: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watchdog that is killed, or was none, is a LaunchError and no wait."""
    monkeypatch.setattr(errand, "_MAIN", "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(LaunchError, match="watchdog ended"):
        await _start_and_hear(job)
    monkeypatch.setattr(errand, "_MAIN", "print('nonsense')")
    with pytest.raises(LaunchError, match="watchdog ended"):
        await _start_and_hear(job)
    monkeypatch.setattr(errand, "_MAIN", "print('[1]')")
    with pytest.raises(LaunchError, match="watchdog ended"):
        await _start_and_hear(job)


async def _start_and_hear(job: Job) -> None:
    started = await start_watchdog(job)
    try:
        await started.until("started")
    finally:
        await started.end()
        await started.aclose()


async def test_no_more_processes(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that starts no more processes is named as the cause."""

    async def refuse(*_: object, **__: object) -> trio.Process:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(trio.lowlevel, "open_process", refuse)
    with pytest.raises(LaunchError, match="Resource temporarily unavailable") as caught:
        await start_watchdog(job)
    assert caught.value.code == "LAUNCH_FAILED"


async def test_cancelled_before_the_job(job: Job) -> None:
    """Cancelled before it has its job, the watchdog ends at once and is collected."""
    before = _children()
    with trio.CancelScope() as scope:
        scope.cancel()
        await start_watchdog(job)
    assert scope.cancelled_caught
    assert _children() == before


async def test_cancelled_with_the_job(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancelled just when it has its job, the watchdog ends the browser, though it has a lease."""
    Leases(Path(job.profile)).prepare()
    lease = Leases(Path(job.profile)).take("test")
    script = Path(job.profile) / "browser"
    script.write_text("#!/bin/sh\nexec sleep 20\n")
    script.chmod(0o755)
    before = _children()
    hand_over = errand._hand_over

    async def at_last(watchdog: trio.Process, whole: Job) -> None:
        await hand_over(watchdog, whole)
        scope.cancel()
        await trio.lowlevel.checkpoint()

    monkeypatch.setattr(errand, "_hand_over", at_last)
    with limit(), trio.CancelScope() as scope:
        await start_watchdog(replaced(job, argv=[str(script)]))
    assert scope.cancelled_caught
    assert _children() == before
    assert record.read(job.profile) is None
    lease.release()


def _children() -> set[str]:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return set(file.read().split())


async def test_outlives_its_session(job: Job) -> None:
    """The watchdog is in a session of its own, where a terminal's signals do not reach it."""
    Leases(Path(job.profile)).prepare()
    lease = Leases(Path(job.profile)).take("test")
    script = Path(job.profile) / "who"
    script.write_text("#!/bin/sh\ncut -d ' ' -f 6 /proc/$PPID/stat; echo $PPID; pwd\n")
    script.chmod(0o755)
    started = await start_watchdog(replaced(job, argv=[str(script)]))
    session, watchdog, folder = str((await started.end())["tail"]).split()
    await started.aclose()
    lease.release()
    assert session == watchdog != str(os.getsid(0))
    assert folder == "/"


async def test_without_proc(job: Job, fake: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no /proc the watchdog has psutil, wherever that is installed."""
    elsewhere = SimpleNamespace(platform="darwin", executable=sys.executable)
    monkeypatch.setattr(errand, "sys", elsewhere)
    pretend = "import launcher.record; launcher.record.sys = type('', (), {'platform': 'darwin'}); "
    before, ours, after = errand._MAIN.partition("from launcher.job")
    monkeypatch.setattr(errand, "_MAIN", before + pretend + ours + after)
    leases = Leases(job.profile)
    leases.prepare()
    lease = leases.take("test")
    started = await start_watchdog(replaced(job, argv=[str(fake().path), *job.argv[1:]]))
    pid = int(str((await started.until("started"))["pid"]))
    assert record.names(job.profile, pid)
    lease.release()
    await started.end()
    await started.aclose()


async def test_collected(job: Job, fake: Install) -> None:
    """A watchdog that ends after its errand was closed does not stay as a zombie."""
    Leases(Path(job.profile)).prepare()
    lease = Leases(Path(job.profile)).take("test")
    browser = fake()
    argv = [str(browser.path), f"--user-data-dir={job.profile}"]
    started = await start_watchdog(replaced(job, argv=argv))
    await started.until("listening")
    watchdog = started._watchdog
    await started.aclose()
    lease.release()
    with limit():
        await watchdog.wait()
    assert not started_at(watchdog.pid)
    assert not started_at(browser.pids[0])


async def test_cancel_twice(job: Job, fake: Install) -> None:
    """Cancelling what has ended is harmless."""
    Leases(Path(job.profile)).prepare()
    lease = Leases(Path(job.profile)).take("test")
    argv = [str(fake().path), f"--user-data-dir={job.profile}"]
    started = await start_watchdog(replaced(job, argv=argv))
    begun = await started.until("started")
    await started.cancel()
    await started.cancel()
    await started.aclose()
    lease.release()
    assert not started_at(int(str(begun["pid"])))
