"""Locks on a profile: dead ones are cleared, live ones respected, and the reason is said."""

import os
import shutil
import socket
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import trio

from bridge.browser.lifecycle import open_lifecycle
from bridge.errors import LaunchError
from launcher.options import LaunchOptions
from tests.support.by_hand import PORT, address, open_chromium
from tests.support.ground import Ground, ground
from tests.support.holding import open_holder
from tests.support.processes import freeze
from tests.support.trial import stretched

if sys.platform == "win32":
    pytest.skip("POSIX locks", allow_module_level=True)

__all__ = ["ground"]
pytestmark = pytest.mark.chromium


async def pid_of(options: LaunchOptions) -> int:
    """Open a browser, use it, leave; its pid."""
    async with open_lifecycle(options) as lifecycle:
        tab = await (await lifecycle.browser()).new_tab()
        assert await tab.evaluate("6 * 7") == 42
        assert lifecycle.live is not None
        return lifecycle.live.chrome.pid


async def refusal(ground: Ground) -> LaunchError:
    """Why there is no browser; it has to be said at once, not after a wait for one."""
    begun = trio.current_time()
    with pytest.raises(LaunchError) as caught:
        await pid_of(ground.options())
    ground.note("refused", round(trio.current_time() - begun, 2))
    assert trio.current_time() - begun < 5.0
    return caught.value


async def dead_pid() -> int:
    process = await trio.lowlevel.open_process(["/bin/true"])
    await process.wait()
    return process.pid


@pytest.mark.parametrize("kind", ["dead", "stranger", "garbage", "file"])
async def test_stale(ground: Ground, kind: str) -> None:
    """A lock that no live browser on this profile holds does not stand in the way."""
    ground.profile.mkdir(parents=True)
    lock = ground.profile / "SingletonLock"
    (ground.profile / "SingletonSocket").symlink_to(ground.root / "gone" / "SingletonSocket")
    (ground.profile / "SingletonCookie").symlink_to("1234567890")
    host = socket.gethostname()
    if kind == "file":
        lock.write_text("x")
    else:
        pid = {"dead": await dead_pid(), "stranger": os.getpid(), "garbage": 0}[kind]
        lock.symlink_to(f"{host}-{pid}" if pid else "no lock at all")
    await pid_of(ground.options())
    await ground.assert_clean()


async def test_other_computer(ground: Ground) -> None:
    """A lock of another computer is refused at once, with host, pid and the cure."""
    ground.profile.mkdir(parents=True)
    (ground.profile / "SingletonLock").symlink_to("old-name-4711")
    error = await refusal(ground)
    assert error.code == "PROFILE_LOCKED"
    assert error.facts == {"host": "old-name", "pid": 4711}
    assert "SingletonLock" in error.hint
    assert os.readlink(ground.profile / "SingletonLock") == "old-name-4711"


async def test_without_port(ground: Ground) -> None:
    """A browser that cannot be shared keeps its profile, and stays as it is."""
    async with open_chromium(ground.profile) as theirs:
        error = await refusal(ground)
        assert error.code == "PROFILE_LOCKED"
        assert error.facts["pid"] == theirs.pid
        assert theirs.returncode is None


async def test_by_hand_with_port(ground: Ground) -> None:
    """A browser started by hand with a port is used, and outlives every end of ours."""
    async with open_chromium(ground.profile, PORT) as theirs:
        for how in ("stdin", "SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"):
            async with open_holder(ground) as holder:
                up = await holder.up()
                assert (up["pid"], up["ownership"]) == (theirs.pid, "attached")
                await holder.end(how)
                await holder.process.wait()
            assert ground.browsers == [theirs.pid]
        async with open_lifecycle(ground.options()) as lifecycle:
            await lifecycle.browser()
        assert theirs.returncode is None


async def test_by_hand_relative(ground: Ground) -> None:
    """One that was started beside its folder, by the bare name of it, is found and used too."""
    ground.profile.parent.mkdir(parents=True)
    async with open_chromium(ground.profile, PORT, relative=True) as theirs:
        lock = os.readlink(ground.profile / "SingletonLock")
        assert await pid_of(ground.options()) == theirs.pid
        assert os.readlink(ground.profile / "SingletonLock") == lock
        assert theirs.returncode is None


async def test_restart_at_once(ground: Ground) -> None:
    """Right after we were killed, the profile is usable again within five seconds."""
    async with open_holder(ground) as holder:
        await holder.up()
        holder.process.kill()
        await holder.process.wait()
        begun = trio.current_time()
        await pid_of(ground.options())
        ground.note("restart", trio.current_time() - begun)
        assert trio.current_time() - begun < stretched(5.0)
    await ground.assert_clean()


async def test_restart_on_frozen(ground: Ground) -> None:
    """The same when the old browser is frozen: it is not waited for, and ended by its pid."""
    async with open_holder(ground) as holder:
        up = await holder.up()
        await freeze(up["pid"])
        holder.process.kill()
        await holder.process.wait()
        begun = trio.current_time()
        assert await pid_of(ground.options()) != up["pid"]
        ground.note("restart", trio.current_time() - begun)
        assert trio.current_time() - begun < stretched(8.0)
    await ground.assert_clean()


# DevToolsActivePort.


@pytest.mark.parametrize("kind", ["stale", "cut", "noise", "empty", "huge port"])
async def test_damaged_port_file(ground: Ground, kind: str) -> None:
    """What an earlier run or a damage left in the port file is not believed."""
    path = "/devtools/browser/11111111-2222-3333-4444-555555555555"
    contents = {
        "stale": f"41999\n{path}".encode(),
        "cut": b"419",
        "noise": os.urandom(64),
        "empty": b"",
        "huge port": f"4199999\n{path}".encode(),
    }
    ground.profile.mkdir(parents=True)
    (ground.profile / "DevToolsActivePort").write_bytes(contents[kind])
    await pid_of(ground.options())
    await ground.assert_clean()


@pytest.mark.parametrize(
    "names", [("DevToolsActivePort",), ("DevToolsActivePort", "SingletonLock", "SingletonSocket")]
)
async def test_port_of_another(ground: Ground, names: tuple[str, ...]) -> None:
    """A profile copied from a running browser does not lead us to that browser."""
    other = ground.root / "other"
    async with open_chromium(other, PORT) as theirs:
        ground.profile.mkdir(parents=True)
        for name in names:
            shutil.copy(other / name, ground.profile / name, follow_symlinks=False)
        assert await pid_of(ground.options()) != theirs.pid
        assert theirs.returncode is None
        assert (other / "SingletonSocket").exists()  # or two would run there


async def test_missing_port_file(ground: Ground) -> None:
    """Our own browser is found without the file that Chrome wrote."""
    async with open_holder(ground) as holder:
        up = await holder.up()
        (ground.profile / "DevToolsActivePort").unlink()
        assert await pid_of(ground.options()) == up["pid"]
        await holder.close_stdin()
        await ground.assert_clean()


# Endpoints.


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_endpoint(ground: Ground, scheme: str) -> None:
    """A browser at an endpoint is used and never closed."""
    folder = ground.root / "theirs"
    async with open_chromium(folder, PORT) as theirs:
        url = address(folder)
        if scheme == "http":
            url = url.replace("ws:", "http:").partition("/devtools")[0]
        for how in ("stdin", "SIGKILL"):
            async with open_holder(ground, cdp_endpoint=url) as holder:
                assert (await holder.up())["ownership"] == "attached"
                await holder.end(how)
                await holder.process.wait()
        assert theirs.returncode is None
        assert not ground.data.exists()


async def test_endpoint_restarts(ground: Ground) -> None:
    """An endpoint that is down is said to be; once its browser is back, the next call works."""
    port = free_port()
    folder = ground.root / "theirs"
    options = ground.options(cdp_endpoint=f"http://127.0.0.1:{port}")
    async with open_lifecycle(options) as lifecycle:
        async with open_fixed(folder, port) as theirs:
            tab = await (await lifecycle.browser()).new_tab()
            theirs.kill()
            with pytest.raises(Exception, match="gone") as caught:
                await tab.evaluate("new Promise(() => {})")
            assert getattr(caught.value, "code", "") == "BROWSER_GONE"
        for _ in range(2):
            with pytest.raises(Exception, match="nothing listens") as caught:
                await lifecycle.browser()
            assert getattr(caught.value, "code", "") == "NO_BACKEND"
        async with open_fixed(folder, port) as theirs:
            tab = await (await lifecycle.browser()).new_tab()
            assert await tab.evaluate("6 * 7") == 42
            assert theirs.returncode is None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def open_fixed(folder: Path, port: int) -> AbstractAsyncContextManager[trio.Process]:
    return open_chromium(folder, f"--remote-debugging-port={port}")
