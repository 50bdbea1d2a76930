"""The watchdogs, with a fake browser; what both promise is asked of both."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from bridge.errors import LaunchError
from bridge.scope import open_scope
from launcher import errand, farewell, record, singleton
from launcher.chronicle import TAIL
from launcher.errand import Errand, News, start_watchdog
from launcher.job import Job
from launcher.process import is_frozen, wait_gone
from tests.launcher.conftest import Install
from tests.support.conditions import limit, until
from tests.support.yard import Yard, replaced

if sys.platform == "win32":
    pytest.skip("signals and process groups", allow_module_level=True)

POSIX, WINDOWS = "launcher.watchdog", "launcher.watchdog_windows"
_MAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from launcher.job import read_job
from launcher import watchdog_windows
from {module} import Watchdog
watchdog_windows._LOOK = 0.02
Watchdog(read_job()).run()
"""


@pytest.fixture(params=[POSIX, WINDOWS], ids=["posix", "windows"])
def yard(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Yard]:
    """Under either watchdog."""
    yield from _open_yard(tmp_path, request.param, monkeypatch)


@pytest.fixture
def posix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Yard]:
    """For what only signals and groups can do."""
    yield from _open_yard(tmp_path, POSIX, monkeypatch)


def _open_yard(tmp_path: Path, module: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Yard]:
    monkeypatch.setattr(errand, "_MAIN", _MAIN.format(module=module))
    yard = Yard(tmp_path / "p")
    yield yard
    yard.lease.release()


async def _up(yard: Yard, job: Job) -> Errand:
    errand = await start_watchdog(job)
    await errand.until("listening")
    return errand


async def _close(errand: Errand) -> News:
    last = await errand.end()
    await errand.aclose()
    return last


async def test_news(yard: Yard, fake: Install) -> None:
    """Its news are started, listening, exited; the record is there before each is told."""
    browser = fake()
    errand = await start_watchdog(yard.job(browser.path))
    begun = await errand.until("started")
    assert begun["pid"] == yard.known.pid
    assert (yard.known.watched, yard.known.transport) == (True, "port")
    listening = await errand.until("listening")
    assert browser.pids == [begun["pid"]]
    assert listening["url"] == yard.known.endpoint
    yard.lease.release()
    assert (await _close(errand))["code"] == 0


async def test_last_lease(yard: Yard, fake: Install) -> None:
    """When the last lease goes the browser is asked to close, and leaves no trace."""
    browser = fake()
    second = yard.leases.take("second")
    errand = await _up(yard, yard.job(browser.path))
    second.release()
    assert yard.known.alive
    yard.lease.release()
    assert (await _close(errand))["event"] == "exited"
    assert browser.events[1:] == ["close"]
    assert yard.traces == set()
    assert record.read(yard.profile) is None


async def test_no_lease(yard: Yard, fake: Install) -> None:
    """Without a lease alive nothing is started."""
    browser = fake()
    yard.lease.release()
    errand = await start_watchdog(yard.job(browser.path))
    assert await _close(errand) == {}
    assert browser.events == []


async def test_insists(yard: Yard, fake: Install) -> None:
    """One that ignores the request gets SIGTERM, one that ignores that as well is killed."""
    browser = fake(ignores_close=True, ignores_term=True)
    errand = await _up(yard, yard.job(browser.path, close=0.3))
    yard.lease.release()
    assert (await _close(errand))["code"] == -signal.SIGKILL
    assert browser.events[1:] == ["term"]
    assert yard.traces == set()


async def test_term_is_enough(yard: Yard, fake: Install) -> None:
    """One that never opened its port ends on SIGTERM."""
    browser = fake(mute=True)
    errand = await start_watchdog(yard.job(browser.path))
    await errand.until("started")
    await until(lambda: len(browser.events) == 1)
    yard.lease.release()
    assert (await _close(errand))["code"] == 0
    assert browser.events[1:] == ["term"]


async def test_dies_by_itself(yard: Yard, fake: Install) -> None:
    """A browser that ends by itself is reported with its code and its last words."""
    errand = await start_watchdog(yard.job(fake(says="no room\n", exits=7).path))
    with pytest.raises(LaunchError, match=r"exit code 7.*no room"):
        await errand.until("listening")
    last = await _close(errand)
    assert (last["code"], last["tail"]) == (7, "no room\n")
    assert record.read(yard.profile) is None


async def test_tail_is_bounded(yard: Yard, fake: Install) -> None:
    """Of many words the last are kept."""
    errand = await start_watchdog(yard.job(fake(says="x" * 200_000 + "end", exits=1).path))
    last = await _close(errand)
    assert len(str(last["tail"])) == TAIL
    assert str(last["tail"]).endswith("xend")


async def test_flood(yard: Yard, fake: Install) -> None:
    """A browser that never stops talking is heard, and closed, all the same."""
    browser = fake(floods=True)
    errand = await _up(yard, yard.job(browser.path))
    yard.lease.release()
    await _close(errand)
    assert browser.events[1:] == ["close"]


async def test_nobody_listens(yard: Yard, fake: Install) -> None:
    """That nobody reads its news any more does not keep it from its work."""
    browser = fake()
    errand = await _up(yard, yard.job(browser.path))
    known = yard.known
    await errand.aclose()
    yard.lease.release()
    with limit():
        await wait_gone(known.watchdog, known.watchdog_started)
    assert browser.events[1:] == ["close"]
    assert yard.traces == set()


async def test_output_kept_open(yard: Yard, fake: Install) -> None:
    """A process that escaped with the browser's output does not delay the end."""
    browser = fake(escapee=True)
    errand = await _up(yard, yard.job(browser.path))
    yard.lease.release()
    await _close(errand)
    os.kill(browser.children[0], signal.SIGKILL)
    await wait_gone(browser.children[0], record.started_at(browser.children[0]))


async def test_not_a_program(yard: Yard, tmp_path: Path) -> None:
    """What cannot be started is reported with the system's reason."""
    errand = await start_watchdog(yard.job(tmp_path / "nothing"))
    with pytest.raises(LaunchError, match="No such file"):
        await errand.until("started")
    await _close(errand)
    assert record.read(yard.profile) is None


async def test_keep_open(yard: Yard, fake: Install) -> None:
    """A browser that is to stay survives its last user, and says so in the record."""
    browser = fake()
    errand = await _up(yard, yard.job(browser.path, keep_open=True))
    known = yard.known
    yard.lease.release()
    assert known.keep_open
    with trio.move_on_after(0.15):
        await wait_gone(known.pid, known.started)
    assert known.alive
    assert known.watched
    assert farewell.say(known.endpoint, "Browser.close", 5)
    assert (await _close(errand))["code"] == 0
    assert browser.events[1:] == ["close"]


async def test_removes_profile(yard: Yard, fake: Install) -> None:
    """A throwaway profile goes with its browser."""
    errand = await _up(yard, yard.job(fake().path, remove_profile=True))
    yard.lease.release()
    await _close(errand)
    assert not os.listdir(yard.profile.parent) or not yard.profile.exists()


async def test_profile_removed_by_hand(yard: Yard, fake: Install) -> None:
    """That somebody deletes the profile does not leave the browser behind."""
    browser = fake()
    errand = await _up(yard, yard.job(browser.path))
    os.rename(yard.profile, yard.profile.with_name("elsewhere"))
    yard.lease.release()
    await _close(errand)
    assert browser.events[1:] == ["close"]


async def test_successors_traces(yard: Yard, fake: Install) -> None:
    """What a successor has written meanwhile stays: its record, its port file, its lock."""
    browser = fake()
    errand = await _up(yard, yard.job(browser.path))
    successor = yard.known._replace(pid=os.getpid(), started=record.started_at(os.getpid()))
    record.write(yard.profile, successor)
    farewell.port_file(yard.profile).write_text("1\n/devtools/browser/successor")
    lock = yard.profile / singleton.LOCK
    lock.unlink()
    lock.symlink_to(f"{os.uname().nodename}-{os.getpid()}")
    os.kill(browser.pids[0], signal.SIGKILL)
    await _close(errand)
    assert record.read(yard.profile) == successor
    assert farewell.read_port(yard.profile) == (1, "/devtools/browser/successor")
    assert lock.is_symlink()


async def test_killed_browser_leaves_nothing(yard: Yard, fake: Install) -> None:
    """What a killed browser leaves is removed: lock links, their folder, port file, record."""
    browser = fake()
    errand = await _up(yard, yard.job(browser.path))
    folder = Path(os.readlink(yard.profile / singleton.SOCKET)).parent
    os.kill(browser.pids[0], signal.SIGKILL)
    assert (await _close(errand))["code"] == -signal.SIGKILL
    assert yard.traces == set()
    assert not folder.exists()


# What needs signals and groups.

_MACOS = """
import sys
sys.path.insert(0, sys.argv[1])
from types import SimpleNamespace
from launcher import watchdog
from launcher.job import read_job
watchdog.sys = SimpleNamespace(platform="darwin")
watchdog.Watchdog(read_job()).run()
"""


async def test_group(posix: Yard, fake: Install) -> None:
    """What the browser leaves in its process group ends with it."""
    await _ends_with_its_group(posix, fake)


async def test_group_macos(posix: Yard, fake: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where a process has to be collected to learn that it has ended."""
    monkeypatch.setattr(errand, "_MAIN", _MACOS)
    await _ends_with_its_group(posix, fake)


async def _ends_with_its_group(posix: Yard, fake: Install) -> None:
    browser = fake(child=True)
    errand = await _up(posix, posix.job(browser.path))
    child = browser.children[0]
    started = record.started_at(child)
    posix.lease.release()
    await _close(errand)
    with limit():
        await wait_gone(child, started)


async def test_frozen(posix: Yard, fake: Install) -> None:
    """A stopped browser is killed without asking it first."""
    browser = fake()
    errand = await _up(posix, posix.job(browser.path, close=30.0))
    os.kill(browser.pids[0], signal.SIGSTOP)
    await until(lambda: is_frozen(browser.pids[0]))
    posix.lease.release()
    with limit():
        assert (await _close(errand))["code"] == -signal.SIGKILL


async def test_request(posix: Yard, fake: Install) -> None:
    """SIGTERM to the watchdog closes the browser in order, though leases are held."""
    browser = fake()
    errand = await _up(posix, posix.job(browser.path))
    await errand.cancel()
    await errand.aclose()
    assert browser.events[1:] == ["close"]
    assert posix.leases.holders() == [posix.lease.name]


async def test_request_at_any_moment(posix: Yard, fake: Install) -> None:
    """SIGTERM as soon as the browser is there, or before, leaves no browser."""
    browser = fake()
    for _ in range(5):
        errand = await start_watchdog(posix.job(browser.path))
        await errand.cancel()
        await errand.aclose()
    for _ in range(5):
        errand = await start_watchdog(posix.job(browser.path))
        await errand.until("started")
        await errand.cancel()
        await errand.aclose()
    assert not [pid for pid in browser.pids if record.started_at(pid)]


async def test_not_for_us(posix: Yard, fake: Install) -> None:
    """SIGINT and SIGHUP, meant for those who use the browser, change nothing."""
    browser = fake()
    errand = await _up(posix, posix.job(browser.path))
    for number in (signal.SIGINT, signal.SIGHUP):
        os.kill(posix.known.watchdog, number)
    posix.lease.release()
    await _close(errand)
    assert browser.events[1:] == ["close"]


async def test_pipe(posix: Yard, fake: Install) -> None:
    """On the pipe the browser gets descriptors 3 and 4, and the pipe's end is its end."""
    browser = fake()
    their_read, our_write = os.pipe()
    our_read, their_write = os.pipe()
    job = posix.job(browser.path, pipes=[their_read, their_write])
    errand = await start_watchdog(replaced(job, argv=[*job.argv, "--remote-debugging-pipe"]))
    os.close(their_read)
    os.close(their_write)
    await errand.until("started")
    assert (posix.known.transport, posix.known.endpoint) == ("pipe", "")
    os.write(our_write, b'{"id": 1, "method": "Browser.close"}\0')
    assert (await _close(errand))["code"] == 0
    assert os.read(our_read, 1) == b""
    os.close(our_write)
    os.close(our_read)
    assert browser.events[1:] == ["close"]


async def test_signals_in_the_browser(posix: Yard, tmp_path: Path) -> None:
    """The browser inherits no ignored signal and only the descriptors it needs."""
    script = tmp_path / "look"
    script.write_text("#!/bin/sh\ngrep SigIgn /proc/self/status\nls -x /proc/self/fd\n")
    ours = [signal.SIGPIPE, signal.SIGXFSZ, signal.SIGHUP, signal.SIGINT, signal.SIGTERM]
    script.chmod(0o755)
    errand = await start_watchdog(posix.job(script))
    tail = str((await _close(errand))["tail"])
    ignored, descriptors = tail.splitlines()
    assert not [number for number in ours if int(ignored.split()[1], 16) >> (number - 1) & 1]
    assert descriptors.split() == ["0", "1", "2", "3"]  # 3: the folder being listed


async def test_gate_while_closing(posix: Yard, fake: Install) -> None:
    """From the last lease's end to its own the watchdog keeps the gate."""
    browser = fake(ignores_close=True, ignores_term=True)
    errand = await _up(posix, posix.job(browser.path, close=0.3))
    known = posix.known
    posix.lease.release()
    await until(lambda: "term" in browser.events)
    assert posix.leases.try_gate() is None
    assert known.alive
    await _close(errand)
    gate = posix.leases.try_gate()
    assert gate is not None
    gate.close()


async def test_somebody_comes(posix: Yard, fake: Install) -> None:
    """One who comes, behind the gate, while the last one leaves keeps the browser."""
    browser = fake()
    errand = await _up(posix, posix.job(browser.path))
    gate = posix.leases.try_gate()
    assert gate is not None
    posix.lease.release()
    newcomer = posix.leases.take("newcomer")
    gate.close()
    async with open_scope():
        with trio.move_on_after(0.1):
            await wait_gone(posix.known.pid, posix.known.started)
    assert posix.known.alive
    newcomer.release()
    await _close(errand)
    assert browser.events[1:] == ["close"]
