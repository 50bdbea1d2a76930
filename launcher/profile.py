"""Profile folders: where they are, and whether we may write there."""

import errno
import os
import secrets
import sys
from pathlib import Path

from bridge.errors import LaunchError, UsageError
from launcher.leases import Leases
from launcher.options import LaunchOptions

_WRITE_ERRORS = {
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.ENOTDIR: "something on the way there is a file",
    errno.EEXIST: "a file of that name is in its place",
    errno.ELOOP: "a symbolic link leads in a circle",
    errno.ENAMETOOLONG: "the name is too long",
}


def named_profiles(data_dir: Path) -> Path:
    """Profiles that stay."""
    return data_dir / "profiles"


def isolated_profiles(data_dir: Path) -> Path:
    """Profiles that live as long as one session."""
    return data_dir / "isolated"


def profile_folder(options: LaunchOptions) -> Path:
    """The profile folder these options mean; a new one each time when isolated."""
    if options.isolated:
        return isolated_profiles(options.data_dir).absolute() / secrets.token_hex(6)
    if options.user_data_dir is not None:
        # One identity however it was spelt; Chrome writes the same folder either way.
        return Path(os.path.realpath(options.user_data_dir.expanduser()))
    return named_profiles(options.data_dir).absolute() / safe_name(options.profile)


def safe_name(name: str) -> str:
    """A profile name that is one harmless path segment; BAD_ARGS otherwise."""
    plain = all(c.isalnum() or c in "-_. " for c in name)
    if not name or not plain or name.strip(". ") != name or len(name) > 64:
        raise UsageError(
            "BAD_ARGS",
            f"{name!r} cannot be the name of a profile",
            hint="Use letters, digits, dash, underscore, dot and space, 64 at most; for a folder "
            "elsewhere give --user-data-dir.",
        )
    return name


def prepare(folder: Path) -> Leases:
    """Make the folder if need be, for its owner alone; the true cause if that is impossible."""
    leases = Leases(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
        leases.prepare()
        os.utime(leases.folder)  # a read-only file system shows itself here, not inside Chrome
    except OSError as error:
        raise unusable(folder, error) from error
    return leases


def check_writable(folder: Path) -> None:
    """The same error `prepare` would meet, as far as it can be told without making anything."""
    nearest = folder
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        raise unusable(folder, OSError(errno.ENOTDIR, ""))
    if not os.access(nearest, os.W_OK | os.X_OK):
        read_only = sys.platform != "win32" and bool(os.statvfs(nearest).f_flag & os.ST_RDONLY)
        raise unusable(folder, OSError(errno.EROFS if read_only else errno.EACCES, ""))


def unusable(folder: Path, error: OSError) -> LaunchError:
    """The profile folder cannot be used, and why."""
    why = _WRITE_ERRORS.get(error.errno or 0, error.strerror or "unknown reason")
    return LaunchError(
        "LAUNCH_FAILED",
        f"the profile folder {folder} cannot be written: {why}",
        hint="Give another folder with --user-data-dir, or make this one writable for you.",
        facts={"profile": str(folder), "errno": error.errno},
    )
