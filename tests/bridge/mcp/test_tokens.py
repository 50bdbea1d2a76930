"""A token and its file."""

import stat
import sys
from pathlib import Path

import pytest

from bridge.errors import LaunchError
from bridge.mcp.tokens import kept_token


def test_file(tmp_path: Path) -> None:
    """A token is new each time, is its owner's alone, and goes with the server."""
    folder = tmp_path / "new"
    with kept_token(folder) as one, kept_token(folder) as two:
        assert one.file != two.file
        assert one.file.read_text().strip() == one.value != two.value
        assert len(one.value) >= 43
        if sys.platform != "win32":
            assert stat.S_IMODE(one.file.stat().st_mode) == 0o600
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


def test_renewed(tmp_path: Path) -> None:
    """A renewed one is another, in the same file, still its owner's alone; lost or not."""
    with kept_token(tmp_path) as token:
        first = token.value
        token.renew()
        assert not token.lost
        second = token.value
        token.file.unlink()
        assert token.lost
        token.renew()
        assert len({first, second, token.value}) == 3
        assert token.file.read_text().strip() == token.value
        if sys.platform != "win32":
            assert stat.S_IMODE(token.file.stat().st_mode) == 0o600
        assert [each.name for each in tmp_path.iterdir()] == [token.file.name]


def test_not_to_be_written(tmp_path: Path) -> None:
    """Where no file can be, the old one does not stay either, and the value is new."""
    folder = tmp_path / "a"
    with kept_token(folder) as token:
        first = token.value
        token.file.unlink()
        folder.rmdir()
        folder.write_text("in the way")
        with pytest.raises(FileExistsError):
            token.renew()
        assert token.lost
        assert token.value != first
        folder.unlink()


def test_no_folder_for_it(tmp_path: Path) -> None:
    """A server that cannot keep a token says where and why, and what helps."""
    folder = tmp_path / "a"
    folder.write_text("in the way")
    with pytest.raises(LaunchError, match="cannot be written") as caught, kept_token(folder):
        pass
    assert str(folder) in str(caught.value)
    assert "--data-dir" in caught.value.hint
