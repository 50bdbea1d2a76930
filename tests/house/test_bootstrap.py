"""Setting up a machine ends in an environment or in a sentence that says what to do."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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


def without_ensurepip(folder: Path, *, apt_works: bool) -> dict[str, str]:
    """A Debian whose Python lacks ensurepip and makes no environment; apt-get keeps a log."""
    python, apt, log = folder / "python3", folder / "apt-get", folder / "apt.log"
    python.write_text(
        "#!/bin/sh\n"
        'case "$*" in *"import ensurepip"*) exit 1 ;; *"-m venv"*) exit 3 ;; esac\n'
        f'exec {sys.executable} "$@"\n'
    )
    apt.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexit {0 if apt_works else 100}\n')
    root = folder / "id"
    root.write_text("#!/bin/sh\necho 0\n")
    for stub in (python, apt, root):
        stub.chmod(0o755)
    return {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHON": str(python),
        "VENV": str(folder / "venv"),
    }


def test_debian_without_ensurepip(tmp_path: Path) -> None:
    """Where Python cannot make environments, apt brings the venv package of that very version."""
    result = bootstrap("environment", **without_ensurepip(tmp_path, apt_works=True))
    asked = (tmp_path / "apt.log").read_text().splitlines()
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert [line.split()[-1] for line in asked] == ["update", f"python{version}-venv"]
    assert result.returncode == 3


def test_apt_fails(tmp_path: Path) -> None:
    """Where apt fails too, the sentence names the package."""
    result = bootstrap("environment", **without_ensurepip(tmp_path, apt_works=False))
    assert result.returncode == 1
    assert "cannot create environments: install its venv package" in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a browser has a window anyway")
@pytest.mark.parametrize("works", [True, False])
def test_screen(tmp_path: Path, works: bool) -> None:
    """Both programs that a window needs come in one go; where they cannot, setting up goes on."""
    stubs = without_ensurepip(tmp_path, apt_works=works)
    for name in ("dirname", "env", "uname"):
        (tmp_path / name).symlink_to(f"/usr/bin/{name}")
    result = bootstrap("screen", **stubs | {"PATH": str(tmp_path)})
    asked = (tmp_path / "apt.log").read_text().splitlines()
    assert [line.split()[-2:] for line in asked[1:]] == [["xvfb", "xdotool"]]
    assert result.returncode == 0
    assert ("could not be installed" in result.stderr) is not works


def test_unknown_verb() -> None:
    """A verb it does not know ends with the usage."""
    result = bootstrap("everything")
    assert (result.returncode, result.stderr) == (
        1,
        "usage: .ci/bootstrap environment|browser|screen|peers|apps\n",
    )


def test_every_verb_is_listed() -> None:
    """`make help` lists every verb that is not a step of another one."""
    makefile = sources.read("Makefile")
    phony = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split()
    listed = re.findall(r"^([a-z-]+):.*## ", makefile, re.MULTILINE)
    steps = {"static", "lint", "contract", "fresh", "house", "browser"}
    assert set(phony) - set(listed) == steps
