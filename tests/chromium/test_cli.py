"""The commands with a real browser: none, one, a dead one."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from tests.support.conditions import halt

assert sys.platform != "win32"  # signals, which the claims are about

pytestmark = pytest.mark.chromium
_PAGE = "data:text/html,<title>Hello</title>"


class Commands:
    """Runs `chrome-bridge` on a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._held: list[subprocess.Popen[str]] = []

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self._command(arguments), capture_output=True, text=True, timeout=60, check=False
        )

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def hold(self, *arguments: str) -> tuple["subprocess.Popen[str]", str]:
        """A command that stays; the first line it printed."""
        process = subprocess.Popen(self._command(arguments), stdout=subprocess.PIPE, text=True)
        self._held.append(process)
        assert process.stdout is not None
        return process, process.stdout.readline()

    def _command(self, arguments: tuple[str, ...]) -> list[str]:
        folder = ["--data-dir", str(self.folder), "--log-level", "off"]
        return [sys.executable, "-m", "bridge", arguments[0], *folder, *arguments[1:]]

    def close(self) -> None:
        for process in self._held:
            process.kill()
            process.communicate()
        self.run("stop")


@pytest.fixture
def commands(tmp_path: Path) -> Iterator[Commands]:
    made = Commands(tmp_path / "data")
    yield made
    made.close()


def wait_gone(pid: int) -> None:
    """Until this process, no child of ours, has ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(10)


def test_open_status_end(commands: Commands) -> None:
    """A held browser shows in `status` with page, holder and port, and goes with its holder."""
    process, line = commands.hold("open", "--headless", _PAGE)
    assert line.startswith("Hello is open in tab t")
    found = commands.json("status")
    assert (found["state"], found["ownership"]) == ("running", "launched")
    assert found["holders"] == [process.pid]
    assert found["headless"]
    assert found["watched"]
    assert found["tabs"] == 1
    assert found["active_tab"] == {"url": _PAGE, "title": "Hello"}
    process.send_signal(signal.SIGTERM)
    assert process.wait(10) == 0
    wait_gone(found["pid"])
    assert commands.json("status")["state"] == "not running"


def test_interrupt(commands: Commands) -> None:
    """Ctrl-C ends a held browser in order, with the exit code shells expect."""
    process, _ = commands.hold("open", "--headless")
    pid = commands.json("status")["pid"]
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 130
    wait_gone(pid)


def test_stop(commands: Commands) -> None:
    """`stop` closes the browser though somebody holds it, and the holder ends."""
    process, _ = commands.hold("open", "--headless")
    pid = commands.json("status")["pid"]
    assert commands.json("stop") == {
        "stopped": True,
        "reason": "the browser was closed",
        "pid": pid,
    }
    wait_gone(pid)
    assert process.wait(10) == 0
    assert not commands.json("stop")["stopped"]


def test_dead_browser(commands: Commands) -> None:
    """`status` and `doctor` tell of a browser that was killed, and start none."""
    process, _ = commands.hold("open", "--headless")
    pid = commands.json("status")["pid"]
    os.kill(pid, signal.SIGKILL)
    wait_gone(pid)
    process.wait(10)
    found = commands.json("status")
    assert (found["state"], found["ready"], found["pid"]) == ("not running", False, 0)
    assert [way["name"] for way in commands.json("doctor")["ways"] if way["available"]]


def test_frozen_browser(commands: Commands) -> None:
    """A browser that does not answer is said to be there, and `stop` ends it."""
    commands.hold("open", "--headless")
    pid = commands.json("status")["pid"]
    trio.run(halt, pid)
    found = commands.json("status")
    assert (found["state"], found["ready"]) == ("not answering", False)
    assert commands.json("stop")["stopped"]
    wait_gone(pid)


def test_window_stays(commands: Commands) -> None:
    """With a window the command returns, the browser stays, and `stop` closes it."""
    opened = commands.json("open", _PAGE, "--chrome-arg=--ozone-platform=headless")
    assert (opened["title"], opened["headless"]) == ("Hello", False)
    found = commands.json("status")
    assert (found["state"], found["holders"], found["tabs"]) == ("running", [], 1)
    mismatch = commands.run("open", "--headless")
    assert mismatch.returncode == 1
    assert mismatch.stderr.startswith("PROFILE_LOCKED: ")
    assert commands.json("stop")["stopped"]
    wait_gone(found["pid"])


def test_no_window_to_be_had(commands: Commands) -> None:
    """Whoever wants a window is told that the profile runs without one; nothing is opened there."""
    commands.hold("open", "--headless")
    refused = commands.run("open", _PAGE)
    assert refused.returncode == 1
    assert "PROFILE_LOCKED: " in refused.stderr
    assert "runs headless already" in refused.stderr
    assert commands.json("status")["tabs"] == 1


def test_endpoint(commands: Commands) -> None:
    """`status` and `doctor` look at an endpoint as well; `open` uses it and leaves it alive."""
    commands.hold("open", "--headless")
    running = commands.json("status")
    address = f"http://127.0.0.1:{running['port']}"
    found = commands.json("status", "--cdp-endpoint", address)
    assert (found["state"], found["ownership"]) == ("running", "attached")
    ways = {way["name"]: way for way in commands.json("doctor", "--cdp-endpoint", address)["ways"]}
    assert ways["endpoint"]["available"]
    opened = commands.json("open", "--cdp-endpoint", address, _PAGE)
    assert opened["ownership"] == "attached"
    assert commands.json("status")["tabs"] == 2
