"""What ends a command: its work, a signal, its parent."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trio

from bridge.app.endings import until_ended

assert sys.platform != "win32"  # signals, which the claims are about

_PROGRAM = """
import json, sys, trio
from bridge.app.endings import until_ended

async def work():
    print(json.dumps("up"), flush=True)
    try:
        await trio.sleep_forever()
    finally:
        with trio.CancelScope(shield=True):
            await trio.lowlevel.checkpoint()
        print(json.dumps("tidied"), flush=True)

why = trio.run(until_ended, work)
print(json.dumps(why), flush=True)
"""


@contextmanager
def program(*prefix: str) -> Iterator["subprocess.Popen[str]"]:
    """The program above, up and waiting; killed at the end if it is still there."""
    process = subprocess.Popen(
        [*prefix, sys.executable, "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def test_work_done() -> None:
    """Work that finishes ends the wait with no reason."""
    done = []

    async def work() -> None:
        done.append(True)

    assert await until_ended(work) == ""
    assert done == [True]


async def test_work_fails() -> None:
    """An error of the work leaves as itself."""

    async def work() -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await until_ended(work)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_signal(name: str) -> None:
    """A signal lets the blocks close, then names itself."""
    with program() as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline()) == "up"
        process.send_signal(getattr(signal, name))
        assert [json.loads(line) for line in process.stdout] == ["tidied", name]


def test_parent_killed() -> None:
    """The end of the parent is noticed though our pipes stay open."""
    read_end, write_end = os.pipe()
    wrapper = (
        "import subprocess, sys\n"
        "out = int(sys.argv[1])\n"
        "child = subprocess.Popen(sys.argv[2:], stdout=out, pass_fds=[out])\n"
        "print(child.pid, flush=True)\n"
        "child.wait()\n"
    )
    command = [sys.executable, "-c", wrapper, str(write_end), sys.executable, "-c", _PROGRAM]
    parent = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[write_end], text=True
    )
    os.close(write_end)
    with os.fdopen(read_end) as news:
        assert json.loads(news.readline()) == "up"
        parent.kill()
        assert [json.loads(line) for line in news] == ["tidied", "parent gone"]
    parent.communicate()


def test_nohup_outlives_parent() -> None:
    """Under nohup the end of the parent is no reason to end; SIGTERM still is."""
    ignoring = "import signal, os, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
    ignoring += "os.execv(sys.argv[1], sys.argv[1:])"
    with program(sys.executable, "-c", ignoring) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline()) == "up"
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        assert [json.loads(line) for line in process.stdout] == ["tidied", "SIGTERM"]


async def test_listening_before_work() -> None:
    """The work starts only when signals are already heard."""
    seen: list[object] = []

    async def work() -> None:
        seen.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    await until_ended(work)
    assert seen != [before]
    assert signal.getsignal(signal.SIGTERM) is before
    await trio.lowlevel.checkpoint()


# Up to its first line the process is Python's own, which tells of an interrupt as it likes.
_SERVER = """
import os, sys
from bridge.__main__ import main
os.write(1, b".")
sys.argv = ["chrome-bridge", "serve", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_signal_while_loading(name: str, tmp_path: Path) -> None:
    """Ended at any moment of its start, a server ends as signals end programs, and says nothing."""
    number = getattr(signal, name)
    right = {"SIGINT": (-number, 130), "SIGTERM": (-number, 0)}[name]
    command = [sys.executable, "-c", _SERVER, "--data-dir", str(tmp_path), "--config", os.devnull]
    pipe = subprocess.PIPE
    for moment in range(12):
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as server:
            assert server.stdout is not None
            assert server.stderr is not None
            server.stdout.read(1)
            with suppress(subprocess.TimeoutExpired):
                server.wait(0.03 + moment * 0.075)
            server.send_signal(number)
            assert server.wait(10) in right, moment
            assert server.stderr.read() == b""
