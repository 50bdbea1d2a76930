"""Profiles that are read-only, full, damaged, or dated wrongly; browsers that are none."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
import trio

from bridge.browser.lifecycle import open_lifecycle
from bridge.errors import BridgeError
from bridge.timeouts import Timeouts, deadline
from launcher.options import LaunchOptions, fence
from tests.support.allowances import allowed
from tests.support.by_hand import executable
from tests.support.ground import Ground, ground
from tests.support.holding import open_holder
from tests.support.processes import marked, until

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

__all__ = ["ground"]
pytestmark = pytest.mark.chromium

TRANSPORTS = pytest.mark.parametrize("isolated", [False, True], ids=["port", "pipe"])


async def use(options: LaunchOptions, timeouts: Timeouts | None = None) -> None:
    """One whole session."""
    async with open_lifecycle(options, timeouts) as lifecycle:
        tab = await (await lifecycle.browser()).new_tab()
        assert await tab.evaluate("6 * 7") == 42


async def refusal(
    ground: Ground, timeouts: Timeouts | None = None, **options: object
) -> BridgeError:
    """Why there is no browser; nothing may be left of the attempt."""
    with pytest.raises(BridgeError) as caught:
        await use(ground.options(**options), timeouts)
    await ground.assert_clean()
    assert marked(str(ground.root)) == []
    return caught.value


@asynccontextmanager
async def mounted(folder: Path, options: str) -> AsyncIterator[None]:
    """A small file system of its own at this folder."""
    if os.geteuid() != 0:
        pytest.skip("mounting takes root")
    os.makedirs(folder)
    made = await trio.run_process(
        ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], check=False
    )
    if made.returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        yield
    finally:
        with trio.CancelScope(shield=True):
            await trio.run_process(["umount", "--lazy", str(folder)])


async def test_read_only(ground: Ground) -> None:
    """A read-only file system is named as the cause, at once."""
    async with mounted(ground.data, "size=8m"):
        ground.profile.mkdir(parents=True)
        await trio.run_process(["mount", "-o", "remount,ro", str(ground.data)])
        begun = trio.current_time()
        error = await refusal(ground)
        ground.note("refused", round(trio.current_time() - begun, 2))
        assert trio.current_time() - begun < 5.0
    assert error.code == "LAUNCH_FAILED"
    assert "read-only" in error.message


async def test_full(ground: Ground) -> None:
    """On a full disk a browser works or the launch fails with a reason, in good time."""
    async with mounted(ground.data, "size=1m"):
        ground.profile.mkdir(parents=True)
        with suppress(OSError):
            (ground.data / "filler").write_bytes(bytes(2 << 20))
        with deadline(Timeouts(), "navigation", "using a full disk"):
            with allowed("LAUNCH_FAILED", "BROWSER_GONE") as met:
                await use(ground.options())
            ground.note("full", [error.report() for error in met])
        # Without room for a record nobody but the watchdog can know when it has gone.
        await until(lambda: not ground.browsers, 10.0, "the browser is gone")


async def test_noise(ground: Ground) -> None:
    """A profile whose files were overwritten with noise starts."""
    await use(ground.options())
    for name in ("Local State", "Default/Preferences", "Default/Cookies", "Default/History"):
        path = ground.profile / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(os.urandom(4096))
    await use(ground.options())
    await ground.assert_clean()


async def test_file_in_place(ground: Ground) -> None:
    """A file where the profile should be is named as the cause."""
    ground.profile.parent.mkdir(parents=True)
    ground.profile.write_text("")
    error = await refusal(ground)
    assert error.code == "LAUNCH_FAILED"
    assert "file" in error.message


async def test_restrictions_of_another(ground: Ground) -> None:
    """What a policy restricts is so in whichever of its profiles Chrome opens, not in the first."""
    ground.profile.mkdir(parents=True)
    (ground.profile / "Local State").write_text('{"profile": {"last_used": "Profile 1"}}')
    came: list[int] = []

    async def note(stream: trio.SocketStream) -> None:
        async with stream:
            came.append(stream.socket.getsockname()[1])

    async with trio.open_nursery() as nursery:
        ports = []
        for _ in range(2):
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            nursery.start_soon(trio.serve_listeners, note, listeners)
            ports.append(listeners[0].socket.getsockname()[1])
        async with open_lifecycle(fence(ground.options())) as lifecycle:
            tab = await (await lifecycle.browser()).new_tab()
            assert (ground.profile / "Profile 1").is_dir()
            await tab.evaluate(_AHEAD % tuple(ports))
        nursery.cancel_scope.cancel()
    assert set(came) == {ports[1]}


_AHEAD = """(async () => {
  const [ahead, asked] = [%d, %d].map(port => `http://127.0.0.1:${port}/`);
  const link = Object.assign(document.createElement("link"), {rel: "preconnect", href: ahead});
  document.head.append(link);
  for (let i = 0; i < 5; i++) await fetch(asked).catch(() => {});
})()"""


@pytest.mark.parametrize("year", [1980, 2099])
async def test_wrong_clock(ground: Ground, year: int) -> None:
    """What we know of a browser does not depend on the dates of our files."""
    moment = (year - 1970) * 31_556_952
    async with open_holder(ground) as one:
        pid = (await one.up())["pid"]
        for path in [
            ground.profile / ".chrome-bridge",
            *(ground.profile / ".chrome-bridge").rglob("*"),
        ]:
            os.utime(path, (moment, moment))
        async with open_holder(ground) as two:
            assert (await two.up())["pid"] == pid
            one.process.kill()
            await one.process.wait()
            assert (await two.ask("evaluate", expression="6 * 7"))["value"] == 42
            await two.close_stdin()
            await ground.assert_clean()


# Executables.


def script(ground: Ground, text: str) -> Path:
    path = ground.root / "browser"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


@TRANSPORTS
async def test_missing(ground: Ground, isolated: bool) -> None:
    """A browser that is not there is named, and leaves no folder behind."""
    error = await refusal(ground, executable=ground.root / "nowhere", isolated=isolated)
    assert error.code == "LAUNCH_FAILED"
    assert "nowhere" in error.message


@TRANSPORTS
async def test_ends_at_once(ground: Ground, isolated: bool) -> None:
    """A browser that ends at once is quoted, with its exit code."""
    browser = script(ground, "echo 'libnothing.so is missing' >&2; exit 7")
    error = await refusal(ground, executable=browser, isolated=isolated)
    assert error.code == "LAUNCH_FAILED"
    assert "libnothing.so is missing" in error.message
    assert "7" in error.message


@TRANSPORTS
async def test_hangs(ground: Ground, isolated: bool) -> None:
    """A browser that never answers is given up in time, with everything it started."""
    browser = script(ground, "echo 'no luck today' >&2; sleep 1000 & sleep 1000")
    timeouts = replace(Timeouts(), launch=1.0, connect=1.0, command=1.0, probe=1.0, close=1.0)
    with deadline(Timeouts(), "launch", "giving up"):
        error = await refusal(ground, timeouts, executable=browser, isolated=isolated)
    assert error.code == "LAUNCH_FAILED"
    assert "no luck today" in error.message


@TRANSPORTS
async def test_stopped_at_birth(ground: Ground, isolated: bool) -> None:
    """So is a Chromium that is stopped before it has said a word."""
    browser = script(ground, f'kill -STOP $$; exec {executable()} "$@"')
    timeouts = replace(Timeouts(), launch=1.0, connect=1.0, command=1.0, probe=1.0, close=1.0)
    error = await refusal(ground, timeouts, executable=browser, isolated=isolated)
    assert (error.code, error.retryable) == ("LAUNCH_FAILED", True)
    assert "said nothing" in error.message
    await ground.assert_clean()


@TRANSPORTS
async def test_not_chrome(ground: Ground, isolated: bool) -> None:
    """A program that is no browser and ends quietly is an error of the launch."""
    error = await refusal(ground, executable=Path("/bin/true"), isolated=isolated)
    assert error.code == "LAUNCH_FAILED"


@TRANSPORTS
@pytest.mark.parametrize("run", ["exec {}", "{}"], ids=["exec", "child"])
async def test_wrapper(ground: Ground, isolated: bool, run: str) -> None:
    """A shell script around the browser works, and is cleaned up with it."""
    browser = script(ground, run.format(f'{executable()} "$@"'))
    await use(ground.options(executable=browser, isolated=isolated))
    await ground.assert_clean()
