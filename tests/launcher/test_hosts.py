"""Hosts of the data folder are found by every browser we launch."""

import os
import sys
from pathlib import Path

import pytest

from launcher.hosts import FOLDER, IN_PROFILE, place_hosts, put

if sys.platform == "win32":
    pytest.skip("the registry is asked there", allow_module_level=True)


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    (tmp_path / FOLDER).mkdir()
    return tmp_path


def test_placed(data_dir: Path, tmp_path: Path) -> None:
    """A manifest is copied into the profile, for its owner alone; other files are not."""
    (data_dir / FOLDER / "com.example.json").write_text("{}")
    (data_dir / FOLDER / "program").write_text("#!")
    place_hosts(data_dir, tmp_path / "profile")
    [copy] = (tmp_path / "profile" / IN_PROFILE).iterdir()
    assert (copy.name, copy.read_text()) == ("com.example.json", "{}")
    assert copy.stat().st_mode & 0o777 == 0o600


def test_nobody_asked(tmp_path: Path) -> None:
    """Without a host nothing is made in the profile."""
    place_hosts(tmp_path / "data", tmp_path / "profile")
    assert not (tmp_path / "profile").exists()


def test_unreadable(data_dir: Path, tmp_path: Path) -> None:
    """What cannot be read as a file does not keep a browser from its start."""
    os.mkfifo(data_dir / FOLDER / "pipe.json")
    (data_dir / FOLDER / "nowhere.json").symlink_to("nowhere")
    place_hosts(data_dir, tmp_path / "profile")
    assert not (tmp_path / "profile").exists()


def test_put_again(tmp_path: Path) -> None:
    """A file that is as wanted is not touched; another content or mode is made right."""
    file = tmp_path / "file"
    assert put(file, b"one", mode=0o700)
    before = file.stat()
    assert not put(file, b"one", mode=0o700)
    assert file.stat() == before
    file.chmod(0o777)
    assert put(file, b"one", mode=0o700)
    assert put(file, b"two")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"two", 0o600)


def test_put_in_place_of_a_link(tmp_path: Path) -> None:
    """A link in its place is replaced, and where it led is left alone."""
    other = tmp_path / "other"
    other.write_text("theirs")
    (tmp_path / "file").symlink_to(other)
    assert put(tmp_path / "file", b"ours")
    assert (other.read_text(), (tmp_path / "file").read_text()) == ("theirs", "ours")


def test_put_fails(tmp_path: Path) -> None:
    """Where it cannot be put, nothing half done stays behind."""
    (tmp_path / "file").mkdir()
    with pytest.raises(IsADirectoryError):
        put(tmp_path / "file", b"ours")
    assert os.listdir(tmp_path) == ["file"]
