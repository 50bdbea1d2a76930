"""A temporary folder of a browser's own."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher import temporary

if sys.platform == "win32":
    pytest.skip("POSIX paths", allow_module_level=True)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose own name is not too long already."""
    folder = Path(tempfile.mkdtemp(prefix="t-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


def test_private(short: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made in the usual place, for us alone, and removed with all it holds."""
    monkeypatch.setenv("TMPDIR", str(short))
    folder = temporary.make()
    assert Path(folder).parent == short
    assert os.stat(folder).st_mode & 0o777 == 0o700
    (Path(folder) / "org.chromium.Chromium.x").mkdir()
    temporary.remove(folder)
    assert list(short.iterdir()) == []


def test_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a socket's path would be too long, it is made in the place that everybody has."""
    deep = tmp_path / ("x" * 90)
    deep.mkdir()
    monkeypatch.setenv("TMPDIR", str(deep))
    folder = temporary.make()
    try:
        assert os.path.dirname(folder) == "/tmp"
    finally:
        temporary.remove(folder)


def test_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no folder can be made, the browser has to do without."""
    monkeypatch.setattr(os, "mkdir", _full)
    assert temporary.make() == ""


def _full(path: str, mode: int) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("name", ["precious", "chrome-bridge-link"])
def test_others(tmp_path: Path, name: str) -> None:
    """Nothing is removed that was not made so: another name, a link to elsewhere, no folder."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / "chrome-bridge-link").symlink_to(precious)
    temporary.remove(str(tmp_path / name))
    temporary.remove("")
    assert precious.is_dir()
