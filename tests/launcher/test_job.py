"""The watchdog's program."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from launcher.errand import _MAIN, _ROOT
from launcher.job import Job


def _run(line: bytes) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-I", "-S", "-c", _MAIN, _ROOT]
    return subprocess.run(command, input=line, capture_output=True, check=False)


@pytest.mark.parametrize("line", [b"", b'{"argv": ["/bin/true"'], ids=["nothing", "half a line"])
def test_no_job(line: bytes) -> None:
    """Whose starter went before the job was whole, it ends in silence."""
    done = _run(line)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_nobody_there(tmp_path: Path) -> None:
    """A whole job is read, without any package; with no lease alive it is not done."""
    job = Job(
        argv=["/none"],
        profile=str(tmp_path),
        headless=True,
        pipes=[],
        keep_open=False,
        remove_profile=False,
        close=1.0,
        terminate=1.0,
    )
    done = _run(json.dumps(job._asdict()).encode() + b"\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
