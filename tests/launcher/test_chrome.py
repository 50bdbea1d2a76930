"""Getting one browser, with fake browsers: launch, attach, refuse, and leave nothing behind."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from bridge.errors import BridgeError, DeadlineExceeded, LaunchError
from bridge.timeouts import Timeouts, deadline
from launcher import process, record, singleton
from launcher.chrome import Chrome, open_chrome
from launcher.leases import Leases
from launcher.options import LaunchOptions
from launcher.profile import isolated_profiles, named_profiles
from tests.launcher.conftest import Install
from tests.support.conditions import until
from tests.support.fake_browser import FakeBrowser

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

Options = Callable[..., LaunchOptions]


@pytest.fixture
def options(tmp_path: Path) -> Options:
    """Headless, with the test's own data folder."""

    def make(browser: FakeBrowser | None = None, **changes: Any) -> LaunchOptions:
        plain = LaunchOptions(
            headless=True,
            data_dir=tmp_path / "d",
            executable=browser.path if browser else None,
        )
        return replace(plain, **changes)

    return make


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """The profile these options mean."""
    return named_profiles(tmp_path / "d") / "default"


def _traces(profile: Path) -> set[str]:
    return set(os.listdir(profile)) - {".chrome-bridge"} if profile.exists() else set()


def _assert_nothing(browser: FakeBrowser, profile: Path) -> None:
    """No browser, no lease, no closed gate, no trace."""
    assert not [pid for pid in browser.pids if record.started_at(pid)]
    assert Leases(profile).holders() == []
    gate = Leases(profile).try_gate()
    assert gate is not None
    gate.close()
    assert _traces(profile) == set()
    assert record.read(profile) is None


async def test_launch(fake: Install, options: Options, profile: Path, patience: Timeouts) -> None:
    """It launches, holds a lease meanwhile, and the last user's leaving is the browser's end."""
    browser = fake()
    async with open_chrome(options(browser), patience) as chrome:
        assert (chrome.ownership, chrome.profile, chrome.headless) == ("launched", profile, True)
        assert [chrome.pid] == browser.pids
        assert len(Leases(profile).holders()) == 1
    assert browser.events[1:] == ["close"]
    _assert_nothing(browser, profile)


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
    _assert_nothing(browser, profile)


async def test_cancelled(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """A launch that is cancelled leaves nothing."""
    browser = fake(mute=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_open, options(browser), patience)
        await until(lambda: browser.pids)
        nursery.cancel_scope.cancel()
    _assert_nothing(browser, profile)


async def test_cancelled_at_any_moment(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """However early or late it is cancelled, nothing is left."""
    browser = fake()
    for moment in (0, 0.002, 0.01, 0.03, 0.06, 0.1):
        with trio.move_on_after(moment):
            await _open(options(browser), patience)
        await until(lambda: not [pid for pid in browser.pids if record.started_at(pid)], 2)
    _assert_nothing(browser, profile)


async def test_deadline(fake: Install, options: Options, profile: Path, patience: Timeouts) -> None:
    """A browser that does not come up in time fails as TIMEOUT and leaves nothing."""
    browser = fake(mute=True)
    with pytest.raises(DeadlineExceeded, match="getting a browser"):
        await _open(options(browser), replace(patience, launch=0.3))
    _assert_nothing(browser, profile)


async def _open(options: LaunchOptions, timeouts: Timeouts) -> None:
    async with open_chrome(options, timeouts):
        pass


async def test_watchdog_killed_while_starting(
    fake: Install, options: Options, profile: Path, patience: Timeouts
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
            await _open(options(browser), patience)
    _assert_nothing(browser, profile)


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


WRONG = {
    "missing": "There is no file",
    "folder": "is a folder",
    "not executable": "is not executable",
    "true": r"ended at once \(exit code 0\) and said nothing",
    "message": r"ended at once \(exit code 3\); it said: cannot open display",
}


@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("isolated", [False, True], ids=["port", "isolated"])
async def test_wrong_executable(
    kind: str,
    isolated: bool,
    fake: Install,
    options: Options,
    profile: Path,
    tmp_path: Path,
    patience: Timeouts,
) -> None:
    """What is no browser is refused with its true fault; no lease and no folder stays behind."""
    wrong = tmp_path / "wrong"
    if kind == "folder":
        wrong.mkdir()
    elif kind == "true":
        wrong = Path("/bin/true")
    elif kind == "message":
        wrong = fake(says="cannot open display\n", exits=3).path
    elif kind == "not executable":
        wrong.write_bytes(b"\x7fELF")
    with pytest.raises(LaunchError, match=WRONG[kind]) as caught:
        await _open_and_speak(options(executable=wrong, isolated=isolated), patience)
    assert (caught.value.code, bool(caught.value.hint)) == ("LAUNCH_FAILED", True)
    assert Leases(profile).holders() == []
    isolated_folder = isolated_profiles(tmp_path / "d")
    assert not isolated_folder.exists() or os.listdir(isolated_folder) == []


async def _open_and_speak(options: LaunchOptions, timeouts: Timeouts) -> None:
    """Over a pipe it is the first words that fail; then the launcher can say why."""
    async with open_chrome(options, timeouts) as chrome:
        for fd in chrome.pipe or ():
            os.close(fd)
        failure = await chrome.failure(timeouts)
        assert failure is not None
        raise failure


async def test_headless_mismatch(fake: Install, options: Options, patience: Timeouts) -> None:
    """A window where the profile runs headless is refused; without a wish it is shared."""
    browser = fake()
    async with open_chrome(options(browser), patience):
        with pytest.raises(LaunchError, match="already runs headless") as caught:
            await _open(options(browser, headless=False), patience)
        assert caught.value.code == "PROFILE_LOCKED"
        await _open(options(browser, headless=None), patience)
    assert len(browser.pids) == 1


async def test_fixed_port(fake: Install, options: Options, patience: Timeouts) -> None:
    """A fixed port is used, and shared by those who come later though it is in no file."""
    browser = fake()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(LaunchError, match=f"port {port} cannot be used"):
            await _open(options(browser, port=port), patience)
    async with open_chrome(options(browser, port=port), patience) as one:
        assert f":{port}/" in one.url
        async with open_chrome(options(browser), patience) as two:
            assert two.url == one.url


async def test_wrong_family(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """A browser that found its port taken and listens elsewhere is not used."""
    browser = fake(host="[::1]")
    with pytest.raises(LaunchError, match="taken by another program"):
        await _open(options(browser), patience)
    _assert_nothing(browser, profile)


async def test_hung(fake: Install, options: Options, patience: Timeouts) -> None:
    """A browser of ours that hangs is replaced, though a process still holds it."""
    browser = fake()
    async with open_chrome(options(browser), patience) as one:
        os.kill(one.pid, signal.SIGSTOP)
        async with open_chrome(options(browser), patience) as two:
            assert two.pid != one.pid
            assert not record.started_at(one.pid)


async def test_waits_for_one_that_is_ending(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """Who comes while the last one's browser is being closed gets a new one."""
    browser = fake(ignores_close=True, ignores_term=True)
    async with trio.open_nursery() as nursery, open_chrome(options(browser), patience):
        nursery.start_soon(_after, lambda: "term" in browser.events, options(browser), patience)
    assert len(browser.pids) == 2


async def _after(
    condition: Callable[[], object], options: LaunchOptions, timeouts: Timeouts
) -> None:
    await until(condition)
    await _open(options, timeouts)


async def test_watchdog_killed(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """The last to leave does a killed watchdog's work: the browser is asked to close."""
    browser = fake()
    async with open_chrome(options(browser), patience):
        await _kill_watchdog(profile)
    assert browser.events[1:] == ["close"]
    _assert_nothing(browser, profile)


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
    with deadline(patience, "farewell", "leaving"):
        await _open(kept, patience)
    known = record.read(profile)
    assert known is not None
    async with open_chrome(options(browser), patience) as again:
        assert again.pid == known.pid
    assert known.alive
    os.kill(known.watchdog, signal.SIGTERM)
    await process.wait_gone(known.watchdog, known.watchdog_started)
    assert browser.events[1:] == ["close"]


async def test_stale_locks(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """A lock of the dead, or of one who is no browser, is cleared; one from elsewhere refuses."""
    browser = fake()
    os.makedirs(profile)
    here = socket.gethostname()
    for target in (f"{here}-999999999", f"{here}-{os.getppid()}", "garbage"):
        (profile / singleton.LOCK).symlink_to(target)
        await _open(options(browser), patience)
    (profile / singleton.LOCK).symlink_to("other-host-77")
    with pytest.raises(LaunchError, match="process 77 on another computer, other-host") as caught:
        await _open(options(browser), patience)
    assert caught.value.code == "PROFILE_LOCKED"
    assert len(browser.pids) == 3


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
        await until((profile / "DevToolsActivePort").exists)
        async with open_chrome(options(browser, headless=None), patience) as chrome:
            assert (chrome.ownership, chrome.pid) == ("attached", theirs.pid)
        assert record.started_at(theirs.pid)
        theirs.kill()


@pytest.mark.parametrize("place", ["gate", "leases", ""])
@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "file"])
async def test_planted(
    place: str, kind: str, options: Options, profile: Path, tmp_path: Path, patience: Timeouts
) -> None:
    """What somebody planted in place of our files is neither followed nor waited for."""
    planted = profile / ".chrome-bridge" / place
    planted.parent.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    elsewhere.chmod(0o755)
    if kind == "link":
        planted.symlink_to(elsewhere if place != "gate" else tmp_path / "nowhere")
    elif kind == "fifo":
        os.mkfifo(planted)
    elif kind == "folder":
        planted.mkdir()
    else:
        planted.write_text("")
    harmless = (kind == "folder" and place != "gate") or (kind == "file" and place == "gate")
    nothing = options(executable=tmp_path / "none")
    with pytest.raises(LaunchError, match="There is no" if harmless else "cannot be written"):
        await _open(nothing, patience)
    assert elsewhere.stat().st_mode & 0o777 == 0o755
    assert not (tmp_path / "nowhere").exists()


async def test_endpoint(fake: Install, options: Options, patience: Timeouts) -> None:
    """An endpoint is used as it is: nothing is launched, held or closed."""
    browser = fake()
    async with open_chrome(options(browser), patience) as ours:
        address = ours.url.replace("ws://", "http://").partition("/devtools")[0]
        async with open_chrome(options(cdp_endpoint=address), patience) as chrome:
            assert (chrome.url, chrome.ownership, chrome.profile) == (ours.url, "attached", None)
        assert record.started_at(ours.pid)
    with pytest.raises(BridgeError, match="nothing listens there"):
        await _open(options(cdp_endpoint=address), patience)
