"""The extension's own modules, tested where they run: in JavaScript, with a small fake Chrome."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent

pytestmark = pytest.mark.extension


def test_modules() -> None:
    """Every test of the modules passes, and there are as many files as the runner has found."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node.js to run the extension's modules with")
    files = sorted(str(file) for file in HERE.glob("*.test.mjs"))
    run = subprocess.run(
        [node, "--test", "--test-reporter=tap", *files], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout[-5_000:] + run.stderr[-2_000:]
    passed = re.search(r"^# pass (\d+)$", run.stdout, re.MULTILINE)
    assert passed is not None
    assert int(passed[1]) >= len(files) > 0
