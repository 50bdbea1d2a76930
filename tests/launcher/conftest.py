"""Browsers that are none, for the launcher to start; every one is gone after its test."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bridge.timeouts import Timeouts
from launcher.record import started_at
from tests.support.fake_browser import Behaviour, FakeBrowser, install

Install = Callable[..., FakeBrowser]


@pytest.fixture
def patience() -> Timeouts:
    """Short where something has to be waited out, generous where it must not run out."""
    return Timeouts(connect=0.3, close=0.4, terminate=0.2)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a browser with the given `Behaviour`; none of them may outlive the test."""
    (tmp_path / "t").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "t"))
    installed: list[FakeBrowser] = []

    def make(**behaviour: Any) -> FakeBrowser:
        fake = install(tmp_path / f"browser{len(installed)}", Behaviour(**behaviour))
        installed.append(fake)
        return fake

    yield make
    left = [pid for fake in installed for pid in fake.pids + fake.children if started_at(pid)]
    for pid in left:
        psutil.Process(pid).kill()
    assert not left, "browsers outlived their test"
