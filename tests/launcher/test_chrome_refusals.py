"""What cannot be had is refused with its reason, and leaves nothing behind."""

import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bridge.errors import DeadlineExceeded, LaunchError
from bridge.timeouts import Timeouts
from launcher import record, singleton
from launcher.chrome import open_chrome
from launcher.leases import Leases
from launcher.options import LaunchOptions
from launcher.profile import isolated_profiles
from launcher.record import Record, started_at
from tests.launcher.conftest import Install, Options, assert_nothing, hold

if sys.platform == "win32":
    pytest.skip("scripts as browsers", allow_module_level=True)

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
            await hold(options(browser, headless=False), patience)
        assert caught.value.code == "PROFILE_LOCKED"
        await hold(options(browser, headless=None), patience)
    assert len(browser.pids) == 1


async def test_fixed_port(fake: Install, options: Options, patience: Timeouts) -> None:
    """A fixed port is used, and shared by those who come later though it is in no file."""
    browser = fake()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(LaunchError, match=f"port {port} cannot be used"):
            await hold(options(browser, port=port), patience)
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
        await hold(options(browser), patience)
    assert_nothing(browser, profile)


async def test_not_up(options: Options, profile: Path, haste: Timeouts) -> None:
    """A browser that somebody else started is waited for as long as a launch may take."""
    Leases(profile).prepare()
    us = os.getpid(), started_at(os.getpid())
    starting = Record(*us, *us, True, False, "port", "", "/x")
    record.write(profile, starting)
    with pytest.raises(DeadlineExceeded) as caught:
        await hold(options(), replace(haste, launch=0.2))
    assert caught.value.facts["timeout"] == "launch"
    assert "another process has started" in caught.value.hint


async def test_stale_locks(
    fake: Install, options: Options, profile: Path, patience: Timeouts
) -> None:
    """A lock of the dead, or of one who is no browser, is cleared; one from elsewhere refuses."""
    browser = fake()
    os.makedirs(profile)
    here = socket.gethostname()
    for target in (f"{here}-999999999", f"{here}-{os.getppid()}", "garbage"):
        (profile / singleton.LOCK).symlink_to(target)
        await hold(options(browser), patience)
    (profile / singleton.LOCK).symlink_to("other-host-77")
    with pytest.raises(LaunchError, match="process 77 on another computer, other-host") as caught:
        await hold(options(browser), patience)
    assert caught.value.code == "PROFILE_LOCKED"
    assert len(browser.pids) == 3


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
        await hold(nothing, patience)
    assert elsewhere.stat().st_mode & 0o777 == 0o755
    assert not (tmp_path / "nowhere").exists()
