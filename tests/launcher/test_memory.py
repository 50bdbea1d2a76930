"""The files of a throwaway profile, in memory."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from launcher import memory
from launcher.removal import RUBBISH, remove_folder

if sys.platform == "win32":
    pytest.skip("links of POSIX", allow_module_level=True)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """An empty profile, beside a place in memory."""
    (tmp_path / "memory").mkdir()
    made = tmp_path / "profile"
    made.mkdir()
    return made


def _lodged(profile: Path) -> Path:
    """Where its files lie now."""
    place = profile.parent / "memory"
    assert memory.lodge(str(profile), str(place))
    (profile / "Default" / "Cookies").write_text("x")
    (lodging,) = place.iterdir()
    return lodging


def test_lodged(profile: Path) -> None:
    """What Chrome writes is in memory, for us alone, and says whose it is."""
    lodging = _lodged(profile)
    assert (lodging / "Cookies").read_text() == "x"
    assert os.stat(lodging).st_mode & 0o777 == 0o700
    assert (lodging / memory.OWNER).readlink() == profile


def test_removed(profile: Path) -> None:
    """Whoever removes the profile removes what it has in memory."""
    lodging = _lodged(profile)
    remove_folder(profile)
    assert not lodging.exists()
    assert os.listdir(profile.parent / "memory") == []


def test_removed_later(profile: Path) -> None:
    """So does who finds it half removed."""
    lodging = _lodged(profile)
    rubbish = profile.with_name(f"profile{RUBBISH}")
    profile.rename(rubbish)
    remove_folder(rubbish)
    assert not lodging.exists()


def test_not_gone_yet(profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The link stays as long as there is something in memory: nothing else leads there."""
    lodging = _lodged(profile)
    remove, tries = shutil.rmtree, list[str]()

    def stubborn(folder: object, ignore_errors: bool = False) -> None:
        tries.append(str(folder))
        if len(tries) > 2:
            remove(str(folder), ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", stubborn)
    remove_folder(profile)
    assert tries[:3] == [str(lodging)] * 3
    assert not lodging.exists()
    assert not profile.parent.joinpath(f"profile{RUBBISH}").exists()


def test_no_place(profile: Path) -> None:
    """Where there is no such place, or it is full, the files stay where they were."""
    assert not memory.lodge(str(profile), str(profile.parent / "nowhere"))
    assert os.listdir(profile) == []


def test_files_there_already(profile: Path) -> None:
    """A profile that has files keeps them, and nothing is left in memory."""
    (profile / "Default").mkdir()
    place = profile.parent / "memory"
    assert not memory.lodge(str(profile), str(place))
    assert os.listdir(place) == []


def test_nothing_else_is_removed(profile: Path) -> None:
    """A link to any other folder is a link, and goes alone."""
    precious = profile.parent / "precious"
    precious.mkdir()
    (profile / "Default").symlink_to(precious)
    assert memory.clear(str(profile))
    remove_folder(profile)
    assert precious.is_dir()
