"""Getting one browser, with fake browsers: launch, attach, refuse, and leave nothing behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import trio

from bridge.errors import BridgeError, LaunchError
from bridge.timeouts import Timeouts
from launcher import errand, farewell, process, record
from launcher.chrome import Chrome, open_chrome
from launcher.leases import Leases
from launcher.options import LaunchOptions
from launcher.profile import isolated_profiles
from launcher.record import started_at
from tests.launcher.conftest import Install, Options, assert_nothing, hold
from tests.support.conditions import limit, until

if sys.platform == "win32":
    pytest.skip("signals and scripts", allow_module_level=True)

_ROOT = Path(__file__).resolve().parents[2]
_USER = """
import json, sys, trio
from pathlib import Path
from typing import Any
from launcher.chrome import open_chrome
from launcher.options import LaunchOptions

async def main(data_dir, executable):
    options = LaunchOptions(headless=True, data_dir=Path(data_dir), executable=Path(executable))
    async with open_chrome(options) as chrome:
        print(json.dumps([chrome.pid, chrome.url]), flush=True)
        await trio.to_thread.run_sync(sys.stdin.read)

trio.run(main, *sys.argv[1:])
"""


async def test_launch(fake: Install, options: Options, profile: Path, patience: Timeouts) -> None:
    """It launches, holds a lease meanwhile, and the last user's leaving is the browser's end."""
    browser = fake()
    async with open_chrome(options(browser), patience) as chrome:
        assert (chrome.ownership, chrome.profile, chrome.headless) == ("launched", profile, True)
        assert [chrome.pid] == browser.pids
        assert len(Leases(profile).holders()) == 1
    assert browser.events[1:] == ["close"]
    assert_nothing(browser, profile)


async def test_attach(fake: Install, options: Options, patience: Timeouts) -> None:
    """Who comes second uses the same browser, and may leave first or last."""
    browser = fake()
    leave, left = trio.Event(), trio.Event()

    async def first(task_status: trio.TaskStatus[Chrome]) -> None:
        async with open_chrome(options(browser), patience) as chrome:
            task_status.started(chrome)
            await leave.wait()
        left.set()

    async with trio.open_nursery() as nursery:
        one = await nursery.start(first)
        async with open_chrome(options(browser), patience) as two:
            assert (two.url, two.pid, two.ownership) == (one.url, one.pid, "launched")
            leave.set()
            await left.wait()
            assert record.started_at(two.pid)
    assert len(browser.pids) == 1
    assert browser.events[1:] == ["close"]


async def test_single_flight(fake: Install, options: Options, patience: Timeouts) -> None:
    """Ten that ask at once in one process get one browser."""
    browser = fake()
    seen: list[int] = []
    everybody = trio.Event()

    async def use() -> None:
        async with open_chrome(options(browser), patience) as chrome:
            seen.append(chrome.pid)
            if len(seen) == 10:
                everybody.set()
            await everybody.wait()

    async with trio.open_nursery() as nursery:
        for _ in range(10):
            nursery.start_soon(use)
    assert len(browser.pids) == 1
    assert seen == browser.pids * 10


async def test_processes(fake: Install, options: Options, profile: Path) -> None:
    """Four processes that ask at once get one browser, which goes with the last of them."""
    browser = fake()
    command = [sys.executable, "-c", _USER, str(options().data_dir), str(browser.path)]
    users = [
        await trio.lowlevel.open_process(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_ROOT
        )
        for _ in range(4)
    ]
    said = []
    for user in users:
        assert user.stdout is not None
        said.append(json.loads(await user.stdout.receive_some()))
    for user in users[:2]:
        user.kill()
    for user in users:
        assert user.stdin is not None
        assert user.stdout is not None
        await user.stdin.aclose()
        await user.wait()
        await user.stdout.aclose()
    assert {pid for pid, _ in said} == set(browser.pids)
    assert len({url for _, url in said}) == len(browser.pids) == 1
    assert browser.events[1:] == ["close"]
    assert_nothing(browser, profile)


async def test_cancelled(fake: Install, options: Options, profile: Path, haste: Timeouts) -> None:
    """A launch that is cancelled leaves nothing."""
    browser = fake(mute=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(hold, options(browser), haste)
        await until(lambda: browser.pids)
        nursery.cancel_scope.cancel()
    assert_nothing(browser, profile)


async def test_cancelled_at_any_moment(
    fake: Install, options: Options, profile: Path, haste: Timeouts
) -> None:
    """However early or late it is cancelled, nothing is left."""
    browser = fake()
    for moment in (0, 0.002, 0.01, 0.03, 0.06, 0.1):
        with trio.move_on_after(moment):
            await hold(options(browser), haste)
        await until(lambda: not [pid for pid in browser.pids if record.started_at(pid)], 2)
    assert_nothing(browser, profile)


async def test_deadline(fake: Install, options: Options, profile: Path, haste: Timeouts) -> None:
    """A browser that does not come up in time is a launch that failed, and leaves nothing."""
    browser = fake(mute=True)
    with pytest.raises(LaunchError, match=r"not up after 0\.3 s") as late:
        await hold(options(browser), replace(haste, launch=0.3))
    assert late.value.code == "LAUNCH_FAILED"
    assert_nothing(browser, profile)


async def test_watchdog_killed_while_starting(
    fake: Install, options: Options, profile: Path, haste: Timeouts
) -> None:
    """When the watchdog is killed during the launch its browser is ended all the same."""
    browser = fake(mute=True)

    async def kill() -> None:
        await until(lambda: record.read(profile))
        known = record.read(profile)
        assert known is not None
        os.kill(known.watchdog, signal.SIGKILL)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(kill)
        with pytest.raises(LaunchError, match="watchdog ended"):
            await hold(options(browser), haste)
    assert_nothing(browser, profile)


_KILLED = (
    "import os; from launcher.watchdog import Watchdog; "
    "Watchdog._story = lambda _: os.kill(os.getpid(), 9); "
)


@pytest.mark.parametrize("isolated", [False, True], ids=["port", "isolated"])
async def test_watchdog_killed_before_its_record(
    isolated: bool,
    fake: Install,
    options: Options,
    tmp_path: Path,
    haste: Timeouts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same when it is killed just as the browser begins, and has not written down which."""
    before, ours, after = errand._MAIN.partition("from launcher.job")
    monkeypatch.setattr(errand, "_MAIN", before + _KILLED + ours + after)
    browser = fake(mute=True)
    with pytest.raises(LaunchError, match="watchdog ended"):
        await hold(options(browser, isolated=isolated), haste)
    assert not [pid for pid in browser.pids if started_at(pid)]
    assert os.listdir(os.environ["TMPDIR"]) == []
    assert list((tmp_path / "d").glob("isolated/*")) == []


async def test_isolated(
    fake: Install, options: Options, tmp_path: Path, patience: Timeouts
) -> None:
    """An isolated browser speaks over a pipe on a fresh profile, which goes with it."""
    browser = fake()
    async with open_chrome(options(browser, isolated=True), patience) as chrome:
        assert chrome.url == ""
        assert chrome.pipe is not None
        assert chrome.profile is not None
        assert chrome.profile.parent == isolated_profiles(tmp_path / "d")
        for fd in chrome.pipe:
            os.close(fd)
    assert os.listdir(isolated_profiles(tmp_path / "d")) == []
    assert browser.events[1:] == ["pipe closed"]


async def test_isolated_side_by_side(
    fake: Install, options: Options, tmp_path: Path, patience: Timeouts
) -> None:
    """Isolated browsers opened at once do not take one another's folders for rubbish."""
    browser = fake()

    async def use() -> None:
        async with open_chrome(options(browser, isolated=True), patience) as chrome:
            assert chrome.pipe is not None
            for fd in chrome.pipe:
                os.close(fd)

    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(use)
    assert len(browser.pids) == 5
    assert os.listdir(isolated_profiles(tmp_path / "d")) == []


async def test_hung(fake: Install, options: Options, haste: Timeouts) -> None:
    """A browser of ours that hangs is replaced, though a process still holds it."""
    browser = fake()
    async with open_chrome(options(browser), haste) as one:
        os.kill(one.pid, signal.SIGSTOP)
        await until(lambda: process.is_frozen(one.pid))
        async with open_chrome(options(browser), haste) as two:
            assert two.pid != one.pid
            assert not record.started_at(one.pid)


async def test_waits_for_one_that_is_ending(
    fake: Install, options: Options, profile: Path, haste: Timeouts
) -> None:
    """Who comes while the last one's browser is being closed gets a new one."""
    browser = fake(ignores_close=True, ignores_term=True)
    async with trio.open_nursery() as nursery, open_chrome(options(browser), haste):
        nursery.start_soon(_after, lambda: "term" in browser.events, options(browser), haste)
    assert len(browser.pids) == 2


async def _after(
    condition: Callable[[], object], options: LaunchOptions, timeouts: Timeouts
) -> None:
    await until(condition)
    await hold(options, timeouts)


async def test_watchdog_killed(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """The last to leave does a killed watchdog's work: the browser is asked to close."""
    browser = fake()
    async with open_chrome(options(browser), patience):
        await _kill_watchdog(profile)
    assert browser.events[1:] == ["close"]
    assert_nothing(browser, profile)


@pytest.mark.parametrize("isolated", [False, True], ids=["port", "pipe"])
async def test_gone_unwatched(
    fake: Install, options: Options, patience: Timeouts, isolated: bool
) -> None:
    """When watchdog and browser are gone before us, the last to leave clears their traces."""
    browser = fake()
    async with open_chrome(options(browser, isolated=isolated), patience) as chrome:
        assert chrome.profile is not None
        await _kill_watchdog(chrome.profile)
        if chrome.pipe is None:
            os.kill(chrome.pid, signal.SIGKILL)
        for fd in chrome.pipe or ():
            os.close(fd)
        await until(lambda: not record.started_at(chrome.pid))
    assert chrome.profile.exists() != isolated
    if not isolated:
        assert_nothing(browser, chrome.profile)
    assert os.listdir(os.environ["TMPDIR"]) == []


async def _kill_watchdog(profile: Path) -> None:
    known = record.read(profile)
    assert known is not None
    os.kill(known.watchdog, signal.SIGKILL)
    await process.wait_gone(known.watchdog, known.watchdog_started)


async def test_keep_open(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """A browser that is to stay is left at once, and found again."""
    browser = fake()
    kept = options(browser, keep_open=True)
    with limit():
        await hold(kept, replace(patience, farewell=60))
    known = record.read(profile)
    assert known is not None
    async with open_chrome(options(browser), patience) as again:
        assert again.pid == known.pid
    assert known.alive
    os.kill(known.watchdog, signal.SIGTERM)
    await process.wait_gone(known.watchdog, known.watchdog_started)
    assert browser.events[1:] == ["close"]


async def test_somebody_elses_browser(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """A browser that we did not launch is shared by its port file, and never closed."""
    browser = fake()
    os.makedirs(profile)
    command = [str(browser.path), f"--user-data-dir={profile}"]
    async with trio.open_nursery() as nursery:
        theirs: trio.Process = await nursery.start(
            partial(trio.run_process, command, stderr=subprocess.DEVNULL, check=False)
        )
        await until(lambda: farewell.read_port(profile))  # it is there before it is written
        async with open_chrome(options(browser, headless=None), patience) as chrome:
            assert (chrome.ownership, chrome.pid) == ("attached", theirs.pid)
        assert record.started_at(theirs.pid)
        theirs.kill()


async def test_endpoint(fake: Install, options: Options, patience: Timeouts) -> None:
    """An endpoint is used as it is: nothing is launched, held or closed."""
    browser = fake()
    async with open_chrome(options(browser), patience) as ours:
        address = ours.url.replace("ws://", "http://").partition("/devtools")[0]
        async with open_chrome(options(cdp_endpoint=address), patience) as chrome:
            assert (chrome.url, chrome.ownership, chrome.profile) == (ours.url, "attached", None)
        assert record.started_at(ours.pid)
    with pytest.raises(BridgeError, match="nothing listens there"):
        await hold(options(cdp_endpoint=address), patience)
