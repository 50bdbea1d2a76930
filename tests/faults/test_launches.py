"""A browser that cannot start, a profile that cannot be written, somebody else's browser."""

import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import trio

from tests.chromium.test_profiles import mounted
from tests.support.by_hand import open_chromium
from tests.support.mcp_calls import command, open_agent
from tests.support.trial import Trial, prompt, until_status

assert sys.platform != "win32"  # signals and mounts

pytestmark = pytest.mark.chromium


def program(trial: Trial, *lines: str) -> Path:
    """Something that is started in place of a browser."""
    path = trial.ground.root / "browser"
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


async def test_read_only(trial: Trial) -> None:
    """Where nothing can be written the server serves, and a browser is refused with the cause."""
    trial.of("31 profile read-only")
    async with mounted(trial.ground.data, "size=8m"):
        trial.ground.profile.mkdir(parents=True)
        await trio.run_process(["mount", "-o", "remount,ro", str(trial.ground.data)])
        async with trial.agent() as agent:
            await agent.well("status")
            told = await agent.call("navigate", url=trial.site.url("/form"))
            trial.got(told)
            assert told.code == "LAUNCH_FAILED", told.text
            assert "read-only" in told.text.lower()
            prompt(told, 1)


async def test_disk_full(trial: Trial) -> None:
    """On a full disk the browser works or its launch fails with the cause; the server goes on."""
    trial.of("32 disk full")
    async with mounted(trial.ground.data, "size=1m"):
        trial.ground.profile.mkdir(parents=True)
        with suppress(OSError):
            (trial.ground.data / "filler").write_bytes(bytes(2 << 20))
        async with trial.agent() as agent:
            told = await agent.call("navigate", url=trial.site.url("/form"))
            trial.got(told)
            prompt(told, 10)
            assert not told.failed or told.code in ("LAUNCH_FAILED", "BROWSER_GONE"), told.text
            if not told.failed:
                value = (await agent.well("eval", expression="location.pathname")).value
                assert value == '"/form"'
            await agent.well("status")


@pytest.mark.slow
async def test_filled_later(trial: Trial) -> None:
    """A disk that fills up while the browser runs stops no call."""
    trial.of("32 disk full later")
    async with mounted(trial.ground.data, "size=64m"), trial.agent() as agent:
        await agent.well("navigate", url=trial.site.url("/form"))
        with suppress(OSError):
            (trial.ground.data / "filler").write_bytes(bytes(128 << 20))
        for path in ("/stage", "/console", "/form"):
            told = await agent.well("navigate", url=trial.site.url(path))
            prompt(told, 5)
        trial.got(told)
        (trial.ground.data / "filler").unlink()


@pytest.mark.slow  # its like is in tests/chromium/test_profiles.py
async def test_noise(trial: Trial) -> None:
    """A profile whose files were overwritten with noise starts."""
    trial.of("33 profile overwritten with noise")
    for name in ("Local State", "Default/Preferences", "Default/Cookies", "Default/History"):
        path = trial.ground.profile / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(4096))
    async with trial.agent() as agent:
        told = await agent.well("navigate", url=trial.site.url("/form"))
        trial.got(told)
        prompt(told, 5)


async def test_missing(trial: Trial) -> None:
    """A browser that is not there is named, at once."""
    trial.of("34 browser binary missing")
    missing = trial.ground.root / "none"
    async with trial.agent("--executable-path", str(missing)) as agent:
        told = await agent.call("navigate", url=trial.site.url("/form"))
        trial.got(told)
        assert told.code == "LAUNCH_FAILED", told.text
        assert str(missing) in told.text
        prompt(told, 1)


async def test_exits_at_once(trial: Trial) -> None:
    """Of a browser that ends at once its last words and exit code are told; later it may work."""
    trial.of("35 browser binary exits at once")
    path = program(trial, "echo 'no display for me' >&2", "exit 7")
    async with trial.agent("--executable-path", str(path)) as agent:
        told = await agent.call("navigate", url=trial.site.url("/form"))
        trial.got(told)
        assert told.code == "LAUNCH_FAILED", told.text
        assert "no display for me" in told.text
        assert "7" in told.text
        prompt(told, 1)
        assert (await agent.call("navigate", url=trial.site.url("/form"))).code == "LAUNCH_FAILED"


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [1.0, 20.0])
async def test_hangs(trial: Trial, seconds: float) -> None:
    """A browser that does nothing is given up when its time is over, and is ended, in order."""
    trial.of(f"36 browser binary hangs, launch within {seconds:g} s")
    path = program(trial, "echo 'waiting for a lock' >&2", "exec sleep 1000")
    async with trial.agent("--executable-path", str(path), launch=seconds) as agent:
        told = await agent.call("navigate", url=trial.site.url("/form"))
        trial.got(told)
        assert told.code == "LAUNCH_FAILED", told.text
        assert "waiting for a lock" in told.text.splitlines()[0]
        prompt(told, seconds + 5)  # it is asked to leave before it is made to


def free_port() -> int:
    """A port nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found


async def test_somebody_elses(trial: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else's browser is said to be gone, is found when it is back, and is never ended."""
    trial.of("37 attached browser killed, started again")
    ours, theirs = trial.ground.root / "t", trial.ground.root / "theirs"
    theirs.mkdir()
    port = free_port()
    switch = f"--remote-debugging-port={port}"
    profile = theirs / "profile"
    monkeypatch.setenv("TMPDIR", str(theirs))
    async with open_chromium(profile, switch) as first:
        monkeypatch.setenv("TMPDIR", str(ours))
        argv = command(trial.ground, "--cdp-endpoint", f"http://127.0.0.1:{port}")
        async with open_agent(*argv) as agent:
            await agent.well("navigate", url=trial.site.url("/form"))
            os.kill(first.pid, signal.SIGKILL)
            await until_status(agent, "state: degraded")
            told = await agent.call("eval", expression="1")
            assert told.code == "NO_BACKEND", told.text
            prompt(told, 1)
            monkeypatch.setenv("TMPDIR", str(theirs))
            async with open_chromium(profile, switch) as second:
                again = await agent.well("eval", expression="location.pathname")
                trial.got(told, again.seconds)
                assert again.text.startswith("Note: the browser was lost")
                prompt(again, 3)
                assert await agent.server.end() == 0
                assert second.returncode is None
