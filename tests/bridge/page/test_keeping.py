"""Files of ours are private and never replace another."""

import os
import stat
import sys
from pathlib import Path

import pytest

from bridge.page.keeping import own_folder, place, room, write_new


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="modes mean nothing there")
def test_private(tmp_path: Path) -> None:
    """Folder and file are for nobody but us, whatever the source allowed."""
    source = tmp_path / "source"
    source.write_text("x")
    source.chmod(0o777)
    kept = place(source, tmp_path / "own", "a.txt")
    assert (_mode(kept), _mode(kept.parent)) == (0o600, 0o700)
    assert _mode(write_new(tmp_path / "own", "b.txt", b"x")) == 0o600


def test_never_over_another(tmp_path: Path) -> None:
    """A name that is taken gets a number, also where a link that leads nowhere has it."""
    own = tmp_path / "own"
    assert write_new(own, "a.txt", b"1").name == "a.txt"
    (own / "a (2).txt").symlink_to(tmp_path / "outside")
    assert write_new(own, "a.txt", b"2").name == "a (3).txt"
    assert not (tmp_path / "outside").exists()
    assert (own / "a.txt").read_bytes() == b"1"


def test_folder_that_is_a_link(tmp_path: Path) -> None:
    """Nothing is written through a link in place of our folder."""
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tmp_path / "own"
    link.symlink_to(outside, target_is_directory=True)
    with pytest.raises(OSError, match="is a link"):
        write_new(link, "a.txt", b"x")
    assert list(outside.iterdir()) == []


def test_source_that_is_gone(tmp_path: Path) -> None:
    """A file that cannot be moved in leaves nothing behind."""
    with pytest.raises(FileNotFoundError):
        place(tmp_path / "nothing", tmp_path / "own", "a.txt")
    assert list((tmp_path / "own").iterdir()) == []


def test_from_another_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be moved is copied, and then removed."""
    source = tmp_path / "source"
    source.write_bytes(b"x" * 3_000_000)

    def refuse(self: Path, target: Path) -> Path:
        raise OSError(18, "cross-device link")

    monkeypatch.setattr(Path, "replace", refuse)
    kept = place(source, tmp_path / "own", "a.bin")
    assert kept.stat().st_size == 3_000_000
    assert not source.exists()


def test_own_folder_again(tmp_path: Path) -> None:
    """A folder that is there already is closed to others."""
    folder = tmp_path / "own"
    folder.mkdir(mode=0o755)
    own_folder(folder)
    if os.name == "posix":
        assert _mode(folder) == 0o700


def test_room(tmp_path: Path) -> None:
    """There is some, where there is a folder."""
    assert room(tmp_path)
    assert room(tmp_path / "none") is None
