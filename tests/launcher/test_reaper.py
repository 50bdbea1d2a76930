"""Ending what nobody minds, and nothing else."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from bridge.timeouts import Timeouts
from launcher import process, record, singleton
from launcher.chrome import open_chrome
from launcher.leases import STATE, Leases
from launcher.options import LaunchOptions
from launcher.process import command_line
from launcher.profile import isolated_profiles, named_profiles
from launcher.reaper import evict, find_unrecorded, reap, remove_isolated
from launcher.record import Record, started_at
from launcher.removal import RUBBISH
from tests.launcher.conftest import Install
from tests.support.conditions import until
from tests.support.fake_browser import FakeBrowser

if sys.platform == "win32":
    pytest.skip("watchdogs are killed by signals", allow_module_level=True)

_ROOT = str(Path(__file__).resolve().parents[2])
Child = subprocess.Popen[bytes]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "d"


@pytest.fixture
def profile(data: Path) -> Path:
    return named_profiles(data) / "default"


async def _leave_over(browser: FakeBrowser, data: Path, profile: Path) -> Record:
    """A browser whose watchdog was killed, and whose user as well."""
    program = """
import os, sys, trio
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from launcher.chrome import open_chrome
from launcher.options import LaunchOptions
async def main():
    options = LaunchOptions(headless=True, data_dir=Path(sys.argv[2]), executable=Path(sys.argv[3]))
    async with open_chrome(options) as chrome:
        os.kill(chrome.errand._watchdog.pid, 9)
        os._exit(0)
trio.run(main)
"""
    command = [sys.executable, "-c", program, _ROOT, str(data), str(browser.path)]
    await trio.run_process(command)
    known = record.read(profile)
    assert known is not None
    await process.wait_gone(known.watchdog, known.watchdog_started)
    return known


async def test_left_over(fake: Install, data: Path, profile: Path, patience: Timeouts) -> None:
    """A browser without watchdog and users is asked to close, and its traces go."""
    browser = fake()
    known = await _leave_over(browser, data, profile)
    assert known.alive
    assert await reap(data, patience) == 1
    assert not known.alive
    assert browser.events[1:] == ["close"]
    assert set(os.listdir(profile)) == {STATE}
    assert await reap(data, patience) == 0


async def test_in_use(fake: Install, data: Path, profile: Path, patience: Timeouts) -> None:
    """One that somebody holds, or is deciding about, or that is to stay, is left alone."""
    browser = fake()
    known = await _leave_over(browser, data, profile)
    leases = Leases(profile)
    lease = leases.take("test")
    assert await reap(data, patience) == 0
    lease.release()
    gate = leases.try_gate()
    assert gate is not None
    assert await reap(data, patience) == 0
    gate.close()
    record.write(profile, known._replace(keep_open=True))
    assert await reap(data, patience) == 0
    assert known.alive
    record.write(profile, known)
    assert await reap(data, patience) == 1


async def test_watched(fake: Install, data: Path, profile: Path, patience: Timeouts) -> None:
    """One whose watchdog lives is the watchdog's."""
    browser = fake()
    options = LaunchOptions(headless=True, data_dir=data, executable=browser.path)
    async with open_chrome(options, patience) as chrome:
        assert await reap(data, patience) == 0
        assert started_at(chrome.pid)


async def test_frozen(fake: Install, data: Path, profile: Path, patience: Timeouts) -> None:
    """A frozen one is killed without being asked."""
    browser = fake()
    known = await _leave_over(browser, data, profile)
    os.kill(known.pid, signal.SIGSTOP)
    await until(lambda: process.is_frozen(known.pid))
    assert await reap(data, patience) == 1
    assert not known.alive


async def test_deaf(fake: Install, data: Path, profile: Path, haste: Timeouts) -> None:
    """One that does not obey is killed."""
    browser = fake(ignores_close=True)
    known = await _leave_over(browser, data, profile)
    assert await reap(data, haste) == 1
    assert not known.alive


async def test_gone_meanwhile(fake: Install, data: Path, profile: Path, patience: Timeouts) -> None:
    """One that ends between the look and the deed leaves no traces, in its own folder neither."""
    browser = fake()
    known = await _leave_over(browser, data, profile)
    assert os.listdir(os.environ["TMPDIR"]) == [os.path.basename(known.temporary)]
    os.kill(known.pid, signal.SIGKILL)
    await process.wait_gone(known.pid, known.started)
    assert not await evict(profile, known, politely=True, timeouts=patience)
    assert set(os.listdir(profile)) == {STATE}
    assert record.read_dead(profile) is None
    assert os.listdir(os.environ["TMPDIR"]) == []


async def test_gone_with_its_record(fake: Install, data: Path, profile: Path) -> None:
    """An isolated session's folder does not go before what the record in it names has gone."""
    known = await _leave_over(fake(), data, profile)
    os.kill(known.pid, signal.SIGKILL)
    await process.wait_gone(known.pid, known.started)
    await trio.to_thread.run_sync(remove_isolated, profile)
    assert os.listdir(profile.parent) == []
    assert os.listdir(os.environ["TMPDIR"]) == []


async def test_wrong_process(tmp_path: Path, patience: Timeouts) -> None:
    """A process that is not to the letter the one on record is never signalled."""
    profile, other = tmp_path / "d" / "profiles" / "x", tmp_path / "d" / "profiles" / "xy"
    Leases(profile).prepare()
    with _start(other) as stranger:
        known = Record(
            pid=stranger.pid,
            started=started_at(stranger.pid),
            watchdog=0,
            watchdog_started="",
            headless=True,
            keep_open=False,
            transport="port",
            endpoint="",
            executable="",
        )
        for wrong in (known, known._replace(started="1@0")):
            record.write(profile, wrong)
            assert not await evict(profile, wrong, politely=True, timeouts=patience)
        record.write(other, known._replace(started="1@0"))
        assert await reap(tmp_path / "d", patience) == 0
        assert stranger.poll() is None
        stranger.kill()
    assert record.read(profile) is None


def _start(profile: Path, *, process_group: int | None = None) -> Child:
    """A process with the command line of a browser on that folder; it says when it is there."""
    program = "import sys; print(flush=True); sys.stdin.read()"
    return subprocess.Popen(
        [sys.executable, "-ISc", program, f"--user-data-dir={profile}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=process_group,
    )


def test_unrecorded(tmp_path: Path) -> None:
    """One that nobody wrote down is known by all of its command line, and by leading a group."""
    with _start(tmp_path / "x", process_group=0) as ours, _start(tmp_path / "y") as follower:
        for stand_in in (ours, follower):
            assert stand_in.stdout is not None
            stand_in.stdout.readline()
        argv = command_line(ours.pid)
        found = find_unrecorded(argv)
        assert found is not None
        assert (found.pid, found.started) == (ours.pid, started_at(ours.pid))
        assert found.temporary == os.environ.get("TMPDIR", "")
        assert find_unrecorded([*argv[:-1], argv[-1] + "y"]) is None
        assert find_unrecorded([*argv, "about:blank"]) is None
        assert find_unrecorded(command_line(follower.pid)) is None
        ours.kill()
        follower.kill()


async def test_isolated_folders(data: Path, patience: Timeouts) -> None:
    """Folders of isolated sessions that are over go; those in use, or just begun, stay."""
    isolated = isolated_profiles(data)
    over, used, begun = isolated / "over", isolated / "used", isolated / "begun"
    for folder in (over, used):
        Leases(folder).prepare()
    begun.mkdir()
    (isolated / f"half{RUBBISH}" / "x").mkdir(parents=True)
    lease = Leases(used).take("test")
    assert await reap(data, patience) == 0
    assert set(os.listdir(isolated)) == {"used", "begun"}
    lease.release()


async def test_named_folders_stay(data: Path, profile: Path, patience: Timeouts) -> None:
    """A named profile is never removed."""
    Leases(profile).prepare()
    await reap(data, patience)
    assert os.listdir(profile) == [STATE]


async def test_trouble(data: Path, profile: Path, patience: Timeouts) -> None:
    """A folder that cannot be examined does not keep it from the others."""
    bad = isolated_profiles(data) / "bad"
    (bad / STATE).mkdir(parents=True)
    (bad / STATE / "gate").mkdir()
    over = isolated_profiles(data) / "over"
    Leases(over).prepare()
    assert await reap(data, patience) == 0
    assert os.listdir(isolated_profiles(data)) == ["bad"]
    assert await reap(data / "none", patience) == 0


def test_browser_without_record(tmp_path: Path) -> None:
    """A folder on which a browser runs stays, even if nothing else says so."""
    profile = tmp_path / "isolated" / "x"
    profile.mkdir(parents=True)
    with _start(profile) as browser:
        (profile / singleton.LOCK).symlink_to(f"{os.uname().nodename}-{browser.pid}")
        remove_isolated(profile)
        assert profile.is_dir()
        browser.kill()
    remove_isolated(profile)
    assert not profile.exists()
    profile.mkdir()
    (profile / singleton.LOCK).symlink_to("elsewhere-5")
    remove_isolated(profile)
    assert profile.is_dir()
