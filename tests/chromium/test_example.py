"""The example of docs/architecture.md does what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

_DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.chromium
def test_ten_lines(tmp_path: Path) -> None:
    """The first Python block of the page runs as it stands and prints what a reader expects."""
    page = (_DOCS / "architecture.md").read_text(encoding="utf-8")
    code = page.split("```python\n", 1)[1].split("```", 1)[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TMPDIR": "/tmp"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=_DOCS.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith(" Hello")
