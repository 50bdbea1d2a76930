"""Files we keep for a client: private, in a folder of ours, never in place of another file.

Whoever plants a link where our folder or file should be gets nothing written through it.
"""

import errno
import os
import shutil
from pathlib import Path

from bridge.page.filenames import numbered


def own_folder(path: Path) -> Path:
    """This folder, for nobody but us; OSError if something else is there."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.is_symlink():
        raise OSError(errno.ELOOP, "is a link, not a folder", str(path))
    path.chmod(0o700)
    return path


def room(folder: Path) -> int | None:
    """How many bytes are free there, for us; None where nobody knows."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def place(source: Path, folder: Path, name: str) -> Path:
    """Move a file in, under this name or the next one that nobody has."""
    target = _reserve(folder, name)
    try:
        source.chmod(0o600)
        _move(source, target)
    except OSError:
        target.unlink(missing_ok=True)
        raise
    return target


def write_new(folder: Path, name: str, data: bytes) -> Path:
    """Write a file, under this name or the next one that nobody has."""
    target = _reserve(folder, name)
    try:
        target.write_bytes(data)
    except OSError:
        target.unlink(missing_ok=True)
        raise
    return target


def _reserve(folder: Path, name: str) -> Path:
    """An empty file of ours."""
    own_folder(folder)
    target, number = folder / name, 1
    while True:
        try:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            number += 1
            target = folder / numbered(name, number)
        else:
            return target


def _move(source: Path, target: Path) -> None:
    try:
        source.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with source.open("rb") as before, target.open("wb") as after:
            while piece := before.read(1 << 20):
                after.write(piece)
        source.unlink()
