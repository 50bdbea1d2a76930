"""Browsers that are none, for the launcher to start; every one is gone after its test."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from bridge.timeouts import Timeouts
from launcher import record
from launcher.chrome import open_chrome
from launcher.leases import Leases
from launcher.options import LaunchOptions
from launcher.profile import named_profiles
from launcher.record import started_at
from tests.support.fake_browser import Behaviour, FakeBrowser, install

Install = Callable[..., FakeBrowser]
Options = Callable[..., LaunchOptions]


@pytest.fixture
def patience() -> Timeouts:
    """Nothing of it runs out in a test, however busy the machine."""
    return Timeouts(launch=60, gate=60, connect=30, close=20, terminate=10, farewell=60, explain=20)


@pytest.fixture
def haste() -> Timeouts:
    """Short where a test has to wait something out."""
    return Timeouts(connect=0.3, close=0.3, terminate=0.3, launch=60, gate=60, farewell=60)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a browser with the given `Behaviour`; none of them may outlive the test."""
    place = tempfile.mkdtemp(prefix="cb-")  # short, or a browser's own folder would not go there
    monkeypatch.setenv("TMPDIR", place)
    installed: list[FakeBrowser] = []

    def make(**behaviour: Any) -> FakeBrowser:
        fake = install(tmp_path / f"browser{len(installed)}", Behaviour(**behaviour))
        installed.append(fake)
        return fake

    yield make
    left = [pid for fake in installed for pid in fake.pids + fake.children if started_at(pid)]
    for pid in left:
        psutil.Process(pid).kill()
    shutil.rmtree(place, ignore_errors=True)
    assert not left, "browsers outlived their test"


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


def assert_nothing(browser: FakeBrowser, profile: Path) -> None:
    """No browser, no lease, no closed gate, no trace, in the temporary folder neither."""
    assert not [pid for pid in browser.pids if started_at(pid)]
    assert Leases(profile).holders() == []
    gate = Leases(profile).try_gate()
    assert gate is not None
    gate.close()
    assert _traces(profile) == set()
    assert record.read(profile) is None
    assert os.listdir(os.environ["TMPDIR"]) == []


async def hold(options: LaunchOptions, timeouts: Timeouts) -> None:
    """Get a browser and let it go."""
    async with open_chrome(options, timeouts):
        pass


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    place = tmp_path / "m"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if sys.platform != "linux" or os.geteuid():
        pytest.skip("only root can mount")
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting is forbidden here")
    yield place
    subprocess.run(["umount", str(place)], check=True)
