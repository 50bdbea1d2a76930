"""Set-up brings a browser only where none answers, and says so when it cannot.

The machine is made of stubs: a search that names what stands in `found`, and an apt-get that keeps
a log and may put a browser there.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.house import sources

WORKS = "exit 0"
STUB_OF_A_SNAP = "echo 'requires the chromium snap' >&2; exit 1"


@dataclass(frozen=True)
class Box:
    """A Linux machine with apt-get, root, and no browser yet."""

    folder: Path

    def program(self, name: str, script: str) -> Path:
        """Put a shell script on the PATH."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def browser(self, script: str) -> None:
        """Let the search find a browser that does this when run."""
        (self.folder / "found").write_text(f"{self.program('a-browser', script)}\n")

    def apt(self, then: str) -> None:
        """Log what apt-get is asked, then do this when it installs."""
        log = self.folder / "apt.log"
        self.program("apt-get", f'echo "$*" >> {log}\ncase "$*" in *install*) {then} ;; esac')

    def asked(self) -> list[str]:
        """The last word of each request to apt-get."""
        log = self.folder / "apt.log"
        return [line.split()[-1] for line in log.read_text().splitlines()] if log.exists() else []

    def set_up(self) -> subprocess.CompletedProcess[str]:
        """Run `.ci/bootstrap browser` here."""
        return subprocess.run(
            ["/bin/sh", sources.ROOT / ".ci" / "bootstrap", "browser"],
            env={
                **os.environ,
                "PATH": f"{self.folder}:{os.environ['PATH']}",
                "VENV": str(self.folder / "venv"),
            },
            capture_output=True,
            check=False,
            text=True,
        )


@pytest.fixture
def box(tmp_path: Path) -> Box:
    """A machine whose search finds nothing and whose apt-get can install nothing."""
    machine = Box(tmp_path)
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    (tmp_path / "found").touch()
    machine.program("venv/bin/python", f"cat {tmp_path / 'found'}")
    machine.program("uname", "echo Linux")
    machine.program("id", "echo 0")
    machine.apt("exit 100")
    return machine


def test_browser_is_there(box: Box) -> None:
    """A browser that answers is left as it is."""
    box.browser(WORKS)
    assert box.set_up().returncode == 0
    assert box.asked() == []


def test_no_browser(box: Box) -> None:
    """Where there is none, Chromium is installed, and then it counts."""
    later = box.program("later", WORKS)
    box.apt(f"echo {later} > {box.folder / 'found'}")
    assert box.set_up().returncode == 0
    assert box.asked() == ["update", "chromium"]


def test_stub_of_a_snap(box: Box) -> None:
    """A program that only asks for a snap is no browser, before apt ran or after."""
    box.browser(STUB_OF_A_SNAP)
    box.apt("exit 0")
    result = box.set_up()
    assert result.returncode == 1
    assert box.asked() == ["update", "chromium"]
    assert "Google Chrome" in result.stderr.splitlines()[-1]


def test_apt_cannot(box: Box) -> None:
    """Where apt has no Chromium, the last line says what to install by hand."""
    result = box.set_up()
    assert result.returncode == 1
    assert "Google Chrome" in result.stderr.splitlines()[-1]


def test_neither_root_nor_sudo(box: Box) -> None:
    """Without root and without a silent sudo nothing is installed, and the reason is said."""
    box.program("id", "echo 1000")
    box.program("sudo", "exit 1")
    result = box.set_up()
    assert result.returncode == 1
    assert box.asked() == []
    assert result.stderr.count("sudo would ask for a password") == 1


def test_search_breaks(box: Box) -> None:
    """A search that fails is an error of its own and installs nothing."""
    box.program("venv/bin/python", "echo broken >&2; exit 1")
    result = box.set_up()
    assert (result.returncode, result.stderr, box.asked()) == (1, "broken\n", [])


def test_mac(box: Box) -> None:
    """On a Mac nothing is installed; the sentence names both ways to a Chrome."""
    box.program("uname", "echo Darwin")
    result = box.set_up()
    assert result.returncode == 1
    assert "brew install --cask google-chrome" in result.stderr
    assert box.asked() == []
