"""The conformance suites of the protocol, against our HTTP server with the fixtures they call."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.sources import ROOT
from tests.support.peer_programs import Programs

pytestmark = pytest.mark.peers
BASELINE = Path(__file__).with_name("baseline.yml")


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.conformance_server", str(tmp_path / "data")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("suite", ["conformance", "conformance-alpha"])
def test_suite(programs: Programs, url: str, suite: str) -> None:
    """Everything passes but what the baseline names, and nothing of that passes."""
    done = programs.run(suite, "server", "--url", url, "--expected-failures", str(BASELINE))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert int(re.findall(r"Total: (\d+) passed", done.stdout)[-1]) >= 16


def test_baseline_is_explained() -> None:
    """The page on conformance has a reason for each scenario of the baseline, and no other."""
    listed = re.findall(r"^  - (\S+)$", BASELINE.read_text(), re.MULTILINE)
    page = (ROOT / "docs" / "conformance.md").read_text()
    rows = re.findall(r"^\| `([^|]+)` \|", page, re.MULTILINE)
    assert len(listed) == 16
    assert sorted(name for row in rows for name in row.split("`, `")) == sorted(listed)
