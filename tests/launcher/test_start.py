"""Starting a browser: its command line, its descriptors, its port."""

import errno
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bridge.errors import LaunchError, UsageError
from bridge.timeouts import Timeouts
from launcher import platform as platforms
from launcher import record
from launcher.find import Browser
from launcher.leases import Lease, Leases
from launcher.options import LaunchOptions, fence
from launcher.process import command_line
from launcher.start import Started, check_port, lodged, start
from tests.launcher.conftest import Install

if sys.platform == "win32":
    pytest.skip("scripts as browsers", allow_module_level=True)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    Leases(tmp_path / "p").prepare()
    return tmp_path / "p"


@pytest.fixture
def lease(profile: Path) -> Lease:
    return Leases(profile).take("test")


async def _end(started: Started, lease: Lease) -> None:
    for fd in started.pipe or ():
        os.close(fd)
    lease.release()
    await started.errand.end()
    await started.errand.aclose()


def _open_descriptors() -> set[int]:
    return {fd for fd in range(256) if os.path.exists(f"/dev/fd/{fd}")}


@pytest.fixture(autouse=True)
def _display(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that could show a window."""
    monkeypatch.setenv("DISPLAY", ":99")


async def test_port(fake: Install, profile: Path, lease: Lease, patience: Timeouts) -> None:
    """Over a port it is up when its address is known."""
    browser = fake()
    started = await start(
        LaunchOptions(headless=True, executable=browser.path), profile, patience, []
    )
    assert started.url.startswith("ws://127.0.0.1:")
    assert (started.pid, started.pipe, started.headless) == (browser.pids[0], None, True)
    assert started.executable == str(browser.path)
    await _end(started, lease)


async def test_command_line(fake: Install, profile: Path, lease: Lease, patience: Timeouts) -> None:
    """Options become switches of the browser."""
    options = LaunchOptions(
        executable=fake().path,
        window_size=(800, 600),
        chrome_args=("--lang=de",),
        keep_open=False,
    )
    started = await start(options, profile, patience, [])
    arguments = command_line(started.pid)
    assert f"--user-data-dir={profile}" in arguments
    assert "--window-size=800,600" in arguments
    assert "--lang=de" in arguments
    assert "--remote-debugging-port=0" in arguments
    assert not [argument for argument in arguments if argument.startswith("--headless")]
    assert ("--no-sandbox" in arguments) == (os.geteuid() == 0)
    await _end(started, lease)


async def test_relative_paths(
    fake: Install, profile: Path, lease: Lease, patience: Timeouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was named from the folder we are in is found, wherever the browser starts."""
    browser = fake()
    monkeypatch.chdir(browser.path.parent)
    options = LaunchOptions(
        headless=True, executable=Path(browser.path.name), extensions=(Path("unpacked"),)
    )
    started = await start(options, profile, patience, [])
    try:
        assert started.executable == str(browser.path)
        assert started.extensions == (browser.path.parent / "unpacked",)
    finally:
        await _end(started, lease)


async def test_no_display(
    fake: Install,
    profile: Path,
    lease: Lease,
    patience: Timeouts,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where nothing could show a window and none was asked for, the browser does without."""
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    started = await start(LaunchOptions(executable=fake().path), profile, patience, [])
    assert started.headless
    assert "--headless=new" in command_line(started.pid)
    await _end(started, lease)


async def test_hosts(
    fake: Install, profile: Path, lease: Lease, patience: Timeouts, tmp_path: Path
) -> None:
    """Native-messaging hosts of the data folder are in the profile before the browser looks."""
    (tmp_path / "d/native-hosts").mkdir(parents=True)
    (tmp_path / "d/native-hosts/com.example.json").write_text("{}")
    options = LaunchOptions(headless=True, executable=fake().path, data_dir=tmp_path / "d")
    started = await start(options, profile, patience, [])
    assert (profile / "NativeMessagingHosts/com.example.json").read_text() == "{}"
    await _end(started, lease)


async def test_hosts_that_cannot_be_put(
    fake: Install,
    profile: Path,
    lease: Lease,
    patience: Timeouts,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A browser starts without a host rather than not at all, and that is said."""
    (tmp_path / "d/native-hosts").mkdir(parents=True)
    (tmp_path / "d/native-hosts/com.example.json").write_text("{}")
    (profile / "NativeMessagingHosts").write_text("in the way")
    options = LaunchOptions(headless=True, executable=fake().path, data_dir=tmp_path / "d")
    started = await start(options, profile, patience, [])
    assert "were not put into the profile" in caplog.text
    await _end(started, lease)


async def test_fenced(fake: Install, profile: Path, lease: Lease, patience: Timeouts) -> None:
    """What a policy asks for reaches the browser, and no switch of the caller's undoes it."""
    options = LaunchOptions(headless=True, executable=fake().path)
    fenced = fence(options, proxy_server="http://127.0.0.1:9")
    work = ("--profile-directory=Home", "--profile-directory=Work")
    started = await start(replace(fenced, chrome_args=work), profile, patience, [])
    arguments = command_line(started.pid)
    assert "--proxy-server=http://127.0.0.1:9" in arguments
    assert "--proxy-bypass-list=<-loopback>" in arguments
    assert "--webrtc-ip-handling-policy=disable_non_proxied_udp" in arguments
    for name in ("Default", "Work"):
        assert b'"network_prediction_options":2' in (profile / name / "Preferences").read_bytes()
    assert not (profile / "Home").exists()
    await _end(started, lease)
    for switch in ("--no-proxy-server", "--proxy-pac-url=x", "--host-resolver-rules=MAP * x"):
        with pytest.raises(UsageError, match="lead around"):
            await start(replace(fenced, chrome_args=(switch,)), profile, patience, [])


async def test_pipe(fake: Install, profile: Path, lease: Lease, patience: Timeouts) -> None:
    """Over a pipe both ends of ours are open, and nobody else's."""
    browser = fake()
    before = _open_descriptors()
    options = LaunchOptions(headless=True, isolated=True, executable=browser.path)
    started = await start(options, profile, patience, [])
    assert started.url == ""
    assert started.pipe is not None
    assert not any(os.get_inheritable(fd) for fd in started.pipe)
    known = record.read(profile)
    assert known is not None
    assert known.transport == "pipe"
    await _end(started, lease)
    assert browser.events[1:] == ["pipe closed"]
    assert _open_descriptors() <= before


@pytest.mark.parametrize("isolated", [False, True])
async def test_bad_switch(
    isolated: bool, fake: Install, profile: Path, lease: Lease, patience: Timeouts
) -> None:
    """What is refused before the start leaves no descriptor open and no process behind."""
    browser = fake()
    before = _open_descriptors()
    options = LaunchOptions(
        isolated=isolated, executable=browser.path, chrome_args=("--remote-debugging-port=1",)
    )
    with pytest.raises(UsageError):
        await start(options, profile, patience, [])
    assert _open_descriptors() <= before
    assert browser.events == []
    lease.release()


async def test_keep_open(fake: Install, profile: Path, lease: Lease, patience: Timeouts) -> None:
    """A window stays by itself, headless goes, a wish goes first, and a throwaway never stays."""
    expected = {
        (True, None, False): False,
        (None, None, False): True,
        (False, None, False): True,
        (True, True, False): True,
        (False, False, False): False,
        (False, True, True): False,
    }
    seen = {}
    for headless, keep_open, isolated in expected:
        lease = Leases(profile).take("test") if not Leases(profile).holders() else lease
        options = LaunchOptions(
            headless=headless, keep_open=keep_open, isolated=isolated, executable=fake().path
        )
        started = await start(options, profile, patience, [])
        known = record.read(profile)
        assert known is not None
        seen[headless, keep_open, isolated] = known.keep_open
        for fd in started.pipe or ():
            os.close(fd)
        await started.errand.cancel()
        await started.errand.aclose()
        Leases(profile).prepare()
    assert seen == expected
    lease.release()


def test_check_port() -> None:
    """A port in use, or none, is refused with what to do; a free one and 0 are not."""
    check_port(0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(LaunchError, match=f"port {port} cannot be used") as caught:
            check_port(port)
        assert (caught.value.code, "--port" in caught.value.hint) == ("LAUNCH_FAILED", True)
    check_port(port)
    for bad in (-1, 65536, 99999):
        with pytest.raises(LaunchError, match=f"port {bad} cannot be used"):
            check_port(bad)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place that is taken for one in memory."""
    place = tmp_path / "memory"
    place.mkdir()
    monkeypatch.setattr(type(platforms.current()), "memory_folder", lambda self: place)
    return place


@pytest.mark.parametrize("isolated", [False, True])
async def test_in_memory(
    fake: Install, profile: Path, lease: Lease, patience: Timeouts, memory: Path, isolated: bool
) -> None:
    """The files of a throwaway profile lie in memory until it ends, those of no other."""
    browser = fake()
    options = LaunchOptions(headless=True, isolated=isolated, executable=browser.path)
    started = await start(options, profile, patience, [])
    limited = "--disk-cache-size=104857600" in command_line(started.pid)
    assert limited is isolated
    assert (profile / "Default").is_symlink() is isolated
    assert len(os.listdir(memory)) == isolated
    await _end(started, lease)
    assert os.listdir(memory) == []


async def test_not_in_memory(profile: Path, memory: Path) -> None:
    """A snap gets to no other folder than its own."""
    options = LaunchOptions(isolated=True)
    snap = Browser(
        path=Path("/snap/bin/chromium"),
        channel="chromium",
        name="Chromium",
        branded=False,
        note="it is a snap",
    )
    assert not lodged(options, profile, snap, platforms.current())
    assert os.listdir(memory) == []


async def test_no_descriptors_left(
    fake: Install, profile: Path, patience: Timeouts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no pipe can be made that is said, and what was opened for it is closed."""
    pipe, made = os.pipe, list[tuple[int, int]]()

    def scarce() -> tuple[int, int]:
        if made:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        made.append(pipe())
        return made[0]

    monkeypatch.setattr(os, "pipe", scarce)
    options = LaunchOptions(headless=True, isolated=True, executable=fake().path)
    with pytest.raises(LaunchError, match="Too many open files") as caught:
        await start(options, profile, patience, [])
    assert "ulimit" in caught.value.hint
    assert not _open_descriptors() & set(made[0])
