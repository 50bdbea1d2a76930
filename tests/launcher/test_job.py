"""The watchdog's program."""

import subprocess
import sys
from pathlib import Path

import pytest

from launcher.errand import _MAIN, _ROOT
from launcher.job import Job


def _run(data: bytes, program: str = _MAIN) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-I", "-S", "-c", program, _ROOT]
    return subprocess.run(command, input=data, capture_output=True, check=False)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(
        argv=["/none", "--ärger=\n"],
        profile=str(tmp_path),
        headless=True,
        pipes=[],
        keep_open=False,
        remove_profile=False,
        close=1.0,
        terminate=0.5,
    )


@pytest.mark.parametrize("size", [0, 3, 8, 30])
def test_no_job(size: int, job: Job) -> None:
    """Whose starter went before the job was whole, it ends in silence."""
    done = _run(job.pack()[:size])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_nobody_there(job: Job) -> None:
    """A whole job is read, without any package; with no lease alive it is not done."""
    done = _run(job.pack())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_whole_job(job: Job) -> None:
    """A job is read as it was given, and what follows it is left for others to read."""
    program = """
import sys
sys.path.insert(0, sys.argv[1])
from launcher.job import read_job
print(ascii(vars(read_job())), sys.stdin.read())
"""
    done = _run(job.pack() + b"rest", program)
    assert done.stdout.decode().strip() == f"{vars(job)!a} rest"


@pytest.mark.skipif(sys.platform == "win32", reason="the other watchdog waits for nothing")
def test_nothing_before_chrome() -> None:
    """What costs milliseconds to import is not imported on the way to Chrome's start."""
    program = """
import sys
sys.path.insert(0, sys.argv[1])
import launcher.job, launcher.watchdog
print(*sys.modules)
"""
    costly = {"enum", "re", "json", "typing", "contextlib", "collections", "functools", "pathlib"}
    assert not costly & set(_run(b"", program).stdout.decode().split())
