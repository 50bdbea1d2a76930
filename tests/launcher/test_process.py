"""Waiting for processes and ending them."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing

from launcher import process
from launcher.record import Record, started_at
from tests.support.conditions import limit

if sys.platform != "linux":
    pytest.skip("states of processes as Linux tells them", allow_module_level=True)

Child = subprocess.Popen[bytes]
_PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-ISc", "import sys; sys.stdin.read()"])
print(child.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def child() -> Iterator[Child]:
    """A process in a group of its own, with a process of its own."""
    with subprocess.Popen(
        [sys.executable, "-ISc", _PARENT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0,
    ) as child:
        yield child
        child.kill()


def _grandchild(child: Child) -> int:
    assert child.stdout is not None
    return int(child.stdout.readline())


def _record(child: Child) -> Record:
    return Record(
        pid=child.pid,
        started=started_at(child.pid),
        watchdog=0,
        watchdog_started="",
        headless=True,
        keep_open=False,
        transport="port",
        endpoint="",
        executable="",
    )


async def _gone(pid: int, started: str) -> None:
    with limit():
        await process.wait_gone(pid, started)


@pytest.mark.parametrize("refusal", [None, errno.ENOSYS, errno.EPERM])
async def test_wait_gone(
    refusal: int | None, child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waiting ends with the process, also where the system knows no pidfd."""
    if refusal is not None:

        def refuse(_: int) -> int:
            raise OSError(refusal, os.strerror(refusal))

        monkeypatch.setattr(os, "pidfd_open", refuse)
    started = started_at(child.pid)
    over = trio.Event()

    async def wait() -> None:
        await _gone(child.pid, started)
        over.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked(0.001)
        assert not over.is_set()
        child.kill()


async def test_wait_for_another(child: Child) -> None:
    """For a process that has gone before, or that only has the pid, there is no waiting."""
    await _gone(child.pid, "12@0000")
    await _gone(999_999_999, "12@0000")


_NOTICE = """
import os, select, sys, trio, trio.testing
sys.path.insert(0, sys.argv[1])
from launcher.process import identify_parent, wait_parent_gone
parent = identify_parent()
async def notice():
    await wait_parent_gone(parent)
    print("alone", flush=True)
"""
_WAITING = """
async def main():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(notice)
        await trio.testing.wait_all_tasks_blocked()
        print("ready", flush=True)
trio.run(main)
"""
_NOT_YET_WAITING = """
ended = os.pidfd_open(parent[0])
print("ready", flush=True)
select.select([ended], [], [])
trio.run(notice)
"""


@pytest.mark.parametrize("moment", [_WAITING, _NOT_YET_WAITING], ids=["waiting", "not yet"])
async def test_wait_parent_gone(moment: str) -> None:
    """It returns when the process that started us has ended, though its pipes are open."""
    program = _NOTICE + moment
    wrapper = "import subprocess, sys; subprocess.Popen(sys.argv[1:]); sys.stdin.read()"
    root = str(process.__file__).rpartition("/launcher/")[0]
    command = [sys.executable, "-ISc", wrapper, sys.executable, "-c", program, root]
    parent = await trio.lowlevel.open_process(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    async with parent.stdin, parent.stdout:
        assert await _line(parent.stdout) == b"ready\n"
        parent.kill()
        await parent.wait()
        with limit():
            assert await _line(parent.stdout) == b"alone\n"
            assert await _line(parent.stdout) == b""


async def _line(stream: trio.abc.ReceiveStream) -> bytes:
    line = b""
    while not line.endswith(b"\n") and (data := await stream.receive_some(1)):
        line += data
    return line


async def test_kill_group(child: Child) -> None:
    """The process of the record ends with all of its group."""
    grandchild = _grandchild(child)
    started = started_at(grandchild)
    process.kill_group(_record(child))
    assert child.wait() == -signal.SIGKILL
    await _gone(grandchild, started)


async def test_kill_alone(child: Child) -> None:
    """A process that does not lead its group takes nobody along."""
    grandchild = _grandchild(child)
    known = _record(child)._replace(pid=grandchild, started=started_at(grandchild))
    process.kill_group(known)
    await _gone(grandchild, known.started)
    assert child.poll() is None


def test_kill_another(child: Child) -> None:
    """A pid that has come to mean another process is left alone, and a dead one is no error."""
    process.kill_group(_record(child)._replace(started="12@0000"))
    assert child.poll() is None
    known = _record(child)
    child.kill()
    child.wait()
    process.kill_group(known)


def test_command_line(child: Child) -> None:
    """The arguments are told apart; of who is gone there are none."""
    _grandchild(child)  # it runs: a process that is just being started has none yet
    assert process.command_line(child.pid) == [sys.executable, "-ISc", _PARENT]
    assert process.command_line(999_999_999) == []


def test_leaders(child: Child) -> None:
    """Whoever leads a group is among them, and whoever merely belongs to it is not."""
    grandchild = _grandchild(child)
    leaders = process.leaders()
    assert child.pid in leaders
    assert grandchild not in leaders


def test_variable(child: Child) -> None:
    """One of another process' environment; nothing of one that is gone."""
    assert process.variable(child.pid, "PATH") == os.environ["PATH"]
    assert process.variable(child.pid, "NO_SUCH_VARIABLE") == ""
    assert process.variable(999_999_999, "PATH") == ""


def test_open_files(tmp_path: Path) -> None:
    """Those of a process; none of one that is gone."""
    with (tmp_path / "x").open("w"):
        assert str(tmp_path / "x") in process.open_files(os.getpid())
    assert str(tmp_path / "x") not in process.open_files(os.getpid())
    assert process.open_files(999_999_999) == []


def test_frozen(child: Child) -> None:
    """Frozen is what a signal has stopped, until it is continued."""
    _grandchild(child)
    assert not process.is_frozen(child.pid)
    child.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED)
    assert process.is_frozen(child.pid)
    child.send_signal(signal.SIGCONT)
    os.waitid(os.P_PID, child.pid, os.WCONTINUED)
    assert not process.is_frozen(child.pid)
    assert not process.is_frozen(999_999_999)
