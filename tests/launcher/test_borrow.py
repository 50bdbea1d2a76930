"""Browsers that somebody else runs."""

import os
import socket
import sys
from pathlib import Path

import pytest

from bridge.errors import ChromeError, UsageError
from bridge.timeouts import Timeouts
from launcher import farewell
from launcher.borrow import borrow, users_own
from launcher.options import LaunchOptions
from launcher.platform.base import Machine
from launcher.platform.linux import Linux

PATH = "/devtools/browser/0a1b"


@pytest.fixture
def platform(tmp_path: Path) -> Linux:
    """A Linux whose user has a Chrome and a Chromium."""
    for name in ("google-chrome", "chromium"):
        (tmp_path / "home" / ".config" / name).mkdir(parents=True)
    return Linux(Machine(environment={}, home="/home", root=tmp_path))


def _offer(platform: Linux, name: str, port: int) -> Path:
    folder = platform.machine.in_home(f".config/{name}")
    farewell.port_file(folder).write_text(f"{port}\n{PATH}")
    return folder


def test_users_own(platform: Linux) -> None:
    """The browser whose port file leads somewhere is found, and has to be allowed."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        folder = _offer(platform, "chromium", port)
        found = users_own(platform)
    assert found.url == f"ws://127.0.0.1:{port}{PATH}"
    assert (found.profile, found.needs_approval) == (folder, True)


def test_first(platform: Linux) -> None:
    """Of two the preferred one is taken."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        _offer(platform, "chromium", port)
        folder = _offer(platform, "google-chrome", port)
        assert users_own(platform).profile == folder


def test_stale(platform: Linux) -> None:
    """A port file that a browser left behind hides no other, and offers nothing itself."""
    with socket.create_server(("127.0.0.1", 0)) as gone:
        dead = gone.getsockname()[1]
    _offer(platform, "google-chrome", dead)
    with pytest.raises(ChromeError):
        users_own(platform)
    with socket.create_server(("127.0.0.1", 0)) as server:
        folder = _offer(platform, "chromium", server.getsockname()[1])
        assert users_own(platform).profile == folder


def test_none(platform: Linux) -> None:
    """When none offers it, the error says how to switch it on and where it looked."""
    with pytest.raises(ChromeError) as caught:
        users_own(platform)
    assert caught.value.code == "NO_BACKEND"
    assert "chrome://inspect" in caught.value.hint
    looked = caught.value.facts["looked_at"]
    assert str(platform.machine.in_home(".config/google-chrome")) in str(looked)


@pytest.mark.skipif(sys.platform != "linux", reason="their places are fixed elsewhere")
async def test_auto_connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option looks at this user's own folders."""
    monkeypatch.delenv("CHROME_CONFIG_HOME", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    os.mkdir(tmp_path / "chromium")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        farewell.port_file(tmp_path / "chromium").write_text(f"{port}\n{PATH}")
        found = await borrow(LaunchOptions(auto_connect=True), Timeouts())
    assert found.profile == tmp_path / "chromium"


async def test_endpoint() -> None:
    """A ws address is used as it stands; a bad one is the caller's fault."""
    url = f"ws://127.0.0.1:9{PATH}"
    found = await borrow(LaunchOptions(cdp_endpoint=url), Timeouts())
    assert (found.url, found.profile, found.needs_approval) == (url, None, False)
    with pytest.raises(UsageError):
        await borrow(LaunchOptions(cdp_endpoint="https://x"), Timeouts())
