"""Reading and replacing what may have been planted."""

import os
import stat
import sys
from pathlib import Path

import pytest

from launcher.plain_file import open_plain, read_plain, replace

if sys.platform == "win32":
    pytest.skip("named pipes and links", allow_module_level=True)


def test_reads(tmp_path: Path) -> None:
    """The first bytes of an ordinary file come back as they are."""
    (tmp_path / "x").write_bytes(b"a\r\nb")
    assert read_plain(tmp_path / "x", 3) == b"a\r\n"


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "missing"])
def test_refuses(kind: str, tmp_path: Path) -> None:
    """Anything else is an OSError at once, and leaves no descriptor open."""
    path = tmp_path / "x"
    if kind == "link":
        (tmp_path / "real").write_text("secret")
        path.symlink_to(tmp_path / "real")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    before = os.listdir("/dev/fd")
    with pytest.raises(OSError, match=r"symbolic links|not an ordinary file|No such file"):
        read_plain(path, 10)
    assert os.listdir("/dev/fd") == before


def test_private(tmp_path: Path) -> None:
    """A file it makes is its owner's alone, and no child's."""
    fd = open_plain(tmp_path / "x", os.O_RDWR | os.O_CREAT)
    assert os.fstat(fd).st_mode & 0o777 == 0o600
    assert not os.get_inheritable(fd)
    os.close(fd)


def test_replaced(tmp_path: Path) -> None:
    """A file is replaced whole, for its owner alone, and nothing else stays behind."""
    path = tmp_path / "file"
    path.write_text("old and longer")
    path.chmod(0o644)
    replace(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_link_replaced(tmp_path: Path) -> None:
    """A link in the place of the file is replaced, and what it leads to stays as it was."""
    elsewhere, path = tmp_path / "elsewhere", tmp_path / "file"
    elsewhere.write_text("precious")
    path.symlink_to(elsewhere)
    replace(path, b"new")
    assert elsewhere.read_text() == "precious"
    assert not path.is_symlink()


def test_not_replaced(tmp_path: Path) -> None:
    """Where a folder is in the way, that is said, and no draft is left."""
    (tmp_path / "file").mkdir()
    with pytest.raises(IsADirectoryError):
        replace(tmp_path / "file", b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
