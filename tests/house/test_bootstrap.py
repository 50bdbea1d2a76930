"""Setting up a machine ends in an environment or in a sentence that says what to do."""

import os
import re
import subprocess
from pathlib import Path

from tests.house import sources


def bootstrap(verb: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run .ci/bootstrap in the house with these variables."""
    return subprocess.run(
        ["/bin/sh", sources.ROOT / ".ci" / "bootstrap", verb],
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        text=True,
    )


def test_unsuitable_python(tmp_path: Path) -> None:
    """An interpreter the user named that does not run is refused by name; nothing is made."""
    result = bootstrap("environment", PYTHON="no-such-python", VENV=str(tmp_path / "venv"))
    assert result.returncode == 1
    assert result.stderr == "PYTHON=no-such-python does not run or is older than Python 3.11.\n"
    assert list(tmp_path.iterdir()) == []


def test_no_python(tmp_path: Path) -> None:
    """Stubs that only complain do not pass for a Python, and the sentence names the way out."""
    for name in ("python3.12", "python3", "python"):
        stub = tmp_path / name
        stub.write_text("#!/bin/sh\necho 'not installed' >&2\nexit 127\n")
        stub.chmod(0o755)
    (tmp_path / "dirname").symlink_to("/usr/bin/dirname")
    result = bootstrap("environment", PYTHON="", PATH=str(tmp_path), VENV=str(tmp_path / "venv"))
    assert result.returncode == 1
    assert "make PYTHON=" in result.stderr
    assert not (tmp_path / "venv").exists()


def test_unknown_verb() -> None:
    """A verb it does not know ends with the usage."""
    result = bootstrap("everything")
    assert (result.returncode, result.stderr) == (1, "usage: .ci/bootstrap environment|browser\n")


def test_every_verb_is_listed() -> None:
    """`make help` lists every verb that is not a step of another one."""
    makefile = sources.read("Makefile")
    phony = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split()
    listed = re.findall(r"^([a-z]+):.*## ", makefile, re.MULTILINE)
    assert set(phony) - set(listed) == {"static", "house", "browser"}
