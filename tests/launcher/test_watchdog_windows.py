"""What only the polling watchdog does; what it shares with the other is asked in its tests."""

import sys
from pathlib import Path
from typing import Any

import pytest
import trio

from launcher import errand, record
from launcher.errand import Errand
from launcher.job import END
from tests.launcher.conftest import Install
from tests.support.conditions import limit, until
from tests.support.yard import Yard

if sys.platform == "win32":
    pytest.skip("scripts as browsers", allow_module_level=True)

_MAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from launcher import watchdog_windows
from launcher.job import read_job
watchdog_windows._LOOK = 0.02
watchdog_windows.Watchdog(read_job()).run()
"""


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path / "p")


async def _start(yard: Yard, program: Path, **changes: Any) -> tuple[Errand, trio.Process]:
    process = await errand._spawn([sys.executable, "-ISc", _MAIN, errand._ROOT], [])
    assert process.stdin is not None
    await process.stdin.send_all(yard.job(program, **changes).pack())
    started = Errand(process)
    await started.until("listening")
    return started, process


async def test_word(yard: Yard, fake: Install) -> None:
    """The word on stdin ends the browser in order, though leases are held."""
    browser = fake()
    started, process = await _start(yard, browser.path)
    assert process.stdin is not None
    await process.stdin.send_all(b"something else\n")
    await process.stdin.send_all(END)
    with limit():
        assert (await started.end())["code"] == 0
    assert process.returncode == 0
    await started.aclose()
    assert browser.events[1:] == ["close"]
    yard.lease.release()


async def test_end_of_stdin(yard: Yard, fake: Install) -> None:
    """That nobody can say the word any more means nothing: leases count."""
    browser = fake()
    started, process = await _start(yard, browser.path)
    assert process.stdin is not None
    await process.stdin.aclose()
    with trio.move_on_after(0.1):
        await started.end()
    assert record.started_at(browser.pids[0])
    yard.lease.release()
    await started.end()
    await started.aclose()
    assert browser.events[1:] == ["close"]


async def test_somebody_decides(yard: Yard, fake: Install) -> None:
    """While somebody is inside the gate the browser is left alone, with or without leases."""
    browser = fake()
    started, _ = await _start(yard, browser.path)
    gate = yard.leases.try_gate()
    assert gate is not None
    yard.lease.release()
    with trio.move_on_after(0.15):
        await started.end()
    assert record.started_at(browser.pids[0])
    gate.close()
    await started.end()
    await started.aclose()
    assert browser.events[1:] == ["close"]


async def test_gate_while_closing(yard: Yard, fake: Install) -> None:
    """From the last lease's end to its own it keeps the gate."""
    browser = fake(ignores_close=True, ignores_term=True)
    started, _ = await _start(yard, browser.path, close=0.3)
    yard.lease.release()
    await until(lambda: "term" in browser.events)
    assert yard.leases.try_gate() is None
    await started.end()
    await started.aclose()
