"""The fixture `ground`: a fresh folder for one test, from which nothing may be left over.

Everything a test starts lives there: profiles under `d`, temporary files under `t`. The path is
short because Chrome refuses sockets with long ones. After the test nothing marked by this folder
may be alive; whatever is would falsify the next test as well, so it is ended, and reported.
"""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trio

from launcher.options import LaunchOptions
from tests.support import processes

if sys.platform != "linux":
    pytest.skip("reads /proc", allow_module_level=True)


_AFTERMATH = 3.0  # crash handlers notice by themselves that their browser has gone


@dataclass(frozen=True, slots=True)
class Ground:
    """One test's folder."""

    root: Path
    note: Callable[[str, object], None]  # a measured figure, for the report of the test run

    @property
    def data(self) -> Path:
        return self.root / "d"

    @property
    def profile(self) -> Path:
        """The profile that `options()` means."""
        return self.data / "profiles" / "default"

    @property
    def browsers(self) -> list[int]:
        return processes.browsers(str(self.root))

    @property
    def watchdogs(self) -> list[int]:
        return processes.watchdogs(str(self.root))

    def options(self, **changes: Any) -> LaunchOptions:
        """Headless, on this ground."""
        return LaunchOptions(**{"headless": True, "data_dir": self.data, **changes})

    async def assert_clean(self, *, within: float = 10.0) -> None:
        """Nothing runs, nothing lies about."""
        self.note("left", round(await processes.assert_nothing_left(self.root, within=within), 2))


@pytest.fixture
async def ground(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Ground]:
    """A folder of this test's own; fails the test if something still runs at its end."""
    figures: list[tuple[str, object]] = request.node.user_properties
    root = Path(tempfile.mkdtemp(prefix="cb-"))
    (root / "t").mkdir()
    monkeypatch.setenv("TMPDIR", str(root / "t"))
    try:
        yield Ground(root, lambda name, value: figures.append((name, value)))
    finally:
        with trio.move_on_after(_AFTERMATH):
            await processes.all_gone(str(root))
        left = processes.marked(str(root))
        for seen in left:
            _kill(seen.pid)
        for seen in left:
            await processes.wait_gone(seen.pid, 5.0)
        shutil.rmtree(root, ignore_errors=True)
    assert not left, f"still alive: {left}"


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
