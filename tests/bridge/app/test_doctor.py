"""`doctor` tells each way's truth on machines of every kind."""

import socket
from pathlib import Path

import pytest

from bridge.app import doctor, extension
from bridge.timeouts import Timeouts
from launcher import platform as platforms
from launcher.options import LaunchOptions
from launcher.platform import Machine


def machine(root: Path, **environment: str) -> Machine:
    return Machine(environment=environment, home="/home/me", user_id=1000, root=root)


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> platforms.Platform:
    """A Linux machine without any browser."""
    platform = platforms.current(machine(tmp_path), system="linux")
    monkeypatch.setattr(platforms, "current", lambda: platform)
    return platform


def options(tmp_path: Path, **changes: object) -> LaunchOptions:
    return LaunchOptions(data_dir=tmp_path / "data", **changes)  # type: ignore[arg-type]


def ways(found: doctor.Diagnosis) -> dict[str, doctor.Way]:
    return {way.name: way for way in found.ways}


async def test_no_browser(tmp_path: Path, bare: platforms.Platform) -> None:
    """Without a browser every launching way is closed, and says how to get one."""
    found = await doctor.diagnose(options(tmp_path), Timeouts(), {})
    assert found.browsers == []
    for name in ("launch", "window", "pipe"):
        assert not ways(found)[name].available
        assert bare.install_hint in ways(found)[name].step


def browser(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x7fELF")
    path.chmod(0o755)
    return path


async def test_no_display(tmp_path: Path, bare: platforms.Platform) -> None:
    """A window needs a display; headless does not."""
    program = browser(tmp_path / "chrome")
    found = await doctor.diagnose(options(tmp_path, executable=program), Timeouts(), {})
    assert ways(found)["launch"].available
    assert not ways(found)["window"].available
    assert "display" in ways(found)["window"].why
    shown = await doctor.diagnose(
        options(tmp_path, executable=program), Timeouts(), {"WAYLAND_DISPLAY": "wayland-0"}
    )
    assert ways(shown)["window"].available


async def test_unusable_data_folder(tmp_path: Path, bare: platforms.Platform) -> None:
    """A data folder that is a file closes the launching ways with that cause."""
    (tmp_path / "data").write_text("not a folder")
    program = browser(tmp_path / "chrome")
    found = await doctor.diagnose(options(tmp_path, executable=program), Timeouts(), {})
    assert "cannot be written" in ways(found)["launch"].why


async def test_endpoint_that_is_none(tmp_path: Path, bare: platforms.Platform) -> None:
    """A dead endpoint is closed with its reason and the next step."""
    found = await doctor.diagnose(
        options(tmp_path, cdp_endpoint="http://127.0.0.1:9"), Timeouts(), {}
    )
    assert "nothing listens there" in ways(found)["endpoint"].why
    assert ways(found)["endpoint"].step


async def test_users_own_chrome(
    tmp_path: Path, bare: platforms.Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Chrome of the user's that offers debugging opens auto-connect."""
    _, folder = bare.default_user_data_dirs()[0]
    before = await doctor.diagnose(options(tmp_path), Timeouts(), {})
    assert "chrome://inspect" in ways(before)["auto-connect"].step
    folder.mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        path = "/devtools/browser/0d5c1b9e-4b1c-4a4e-9f51-0e6f8a1c2b3d"
        (folder / "DevToolsActivePort").write_text(f"{port}\n{path}")
        found = await doctor.diagnose(options(tmp_path), Timeouts(), {})
    assert ways(found)["auto-connect"].available


async def extension_way(tmp_path: Path) -> doctor.Way:
    return ways(await doctor.diagnose(options(tmp_path), Timeouts(), {}))["extension"]


async def test_extension(tmp_path: Path, bare: platforms.Platform) -> None:
    """The way through the extension is open once a browser of the person's finds the servers."""
    way = await extension_way(tmp_path)
    assert (way.available, way.why) == (False, "the native host is not installed")
    assert way.step == "Run: chrome-bridge extension install"

    extension.install(options(tmp_path))
    way = await extension_way(tmp_path)
    assert (way.available, way.why) == (False, "no browser of yours was found")

    folders = bare.default_user_data_dirs()
    next(folder for name, folder in folders if name == "chromium").mkdir(parents=True)
    assert "is not told of us" in (await extension_way(tmp_path)).why
    extension.install(options(tmp_path))
    way = await extension_way(tmp_path)
    assert (way.available, way.why) == (True, "servers are found by Chromium")
