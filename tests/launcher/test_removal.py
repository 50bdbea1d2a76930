"""Removing profile folders."""

import os
import shutil
from pathlib import Path

import pytest

from launcher.removal import RUBBISH, remove_folder


def _fill(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").write_text("x")


def test_removes(tmp_path: Path) -> None:
    """A folder goes with everything in it; one that is not there is none."""
    _fill(tmp_path / "x")
    remove_folder(tmp_path / "x")
    remove_folder(tmp_path / "x")
    assert os.listdir(tmp_path) == []


def test_rubbish_keeps_its_name(tmp_path: Path) -> None:
    """What an earlier removal left is removed under the name it has."""
    _fill(tmp_path / f"x{RUBBISH}")
    remove_folder(tmp_path / f"x{RUBBISH}")
    assert os.listdir(tmp_path) == []


def test_old_name_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While files are being removed the old name is gone already."""
    _fill(tmp_path / "x")
    seen: list[list[str]] = []
    remove = shutil.rmtree

    def watch(path: Path, ignore_errors: bool) -> None:
        seen.append(os.listdir(tmp_path))
        remove(path, ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", watch)
    remove_folder(tmp_path / "x")
    assert seen == [[f"x{RUBBISH}"]]


def test_late_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something written during the removal is removed as well."""
    _fill(tmp_path / "x")
    remove = shutil.rmtree
    times = iter(range(3))

    def disturb(path: Path, ignore_errors: bool) -> None:
        remove(path, ignore_errors)
        if next(times) < 2:
            _fill(path)

    monkeypatch.setattr(shutil, "rmtree", disturb)
    remove_folder(tmp_path / "x")
    assert os.listdir(tmp_path) == []


def test_cannot_be_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a folder in use cannot be renamed it is removed under its own name."""
    _fill(tmp_path / "x")

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "rename", refuse)
    remove_folder(tmp_path / "x")
    assert os.listdir(tmp_path) == []
