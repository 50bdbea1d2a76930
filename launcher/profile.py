"""Profile folders: where they are, and whether we may write there.

The user's own profile is never launched: Chrome 136 and later refuse to be debugged on it, older
ones would show the wrong window, and a Chrome started without `--user-data-dir` cannot be told from
a stranger by its command line.
"""

import contextlib
import errno
import os
import secrets
import sys
from pathlib import Path

from bridge.errors import LaunchError, UsageError
from launcher import platform as platforms
from launcher.leases import STATE, Leases
from launcher.options import LaunchOptions

_WRITE_ERRORS = {
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.ENOTDIR: "something on the way there is a file",
    errno.EEXIST: "something else is in its place",
    errno.EISDIR: "a folder is in the place of a file",
    errno.ELOOP: "a symbolic link is in its place, or leads in a circle",
    errno.ENAMETOOLONG: "the name is too long",
}


# Windows opens a device where a file of such a name is asked for, whatever its ending.
_DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}


_ADOPTED = "adopted"
_TAKEN = 3  # times that a folder is made anew; each program that starts here cleans once


def named_profiles(data_dir: Path) -> Path:
    """Profiles that stay."""
    return data_dir / "profiles"


def isolated_profiles(data_dir: Path) -> Path:
    """Profiles that live as long as one session."""
    return data_dir / "isolated"


def profile_folder(options: LaunchOptions) -> Path:
    """The profile folder these options mean; a new one each time when isolated."""
    if options.isolated:
        folder = isolated_profiles(options.data_dir).absolute() / secrets.token_hex(6)
    elif options.user_data_dir is not None:
        folder = _real(options.user_data_dir)
    else:
        folder = named_profiles(options.data_dir).absolute() / safe_name(options.profile)
    _refuse_users_own(folder)
    return folder


def _real(given: Path) -> Path:
    """One identity however it was spelt; Chrome writes the same folder either way."""
    try:
        return Path(os.path.realpath(given.expanduser()))
    except (ValueError, RuntimeError) as error:  # a NUL; a user without a home
        raise UsageError(
            "BAD_ARGS",
            f"{str(given)!r} cannot be a profile folder: {error}",
            hint="Give the path of a folder with --user-data-dir.",
        ) from error


def _refuse_users_own(folder: Path) -> None:
    places = (folder, *folder.parents)
    for channel, own in platforms.current().default_user_data_dirs():
        if any(same_folder(place, own) for place in places):
            raise UsageError(
                "BAD_ARGS",
                f"{folder} belongs to the browser you use yourself ({channel})",
                hint="To use your own browser as it runs, say --auto-connect; or leave the folder "
                "out and log in once in a profile of ours.",
                facts={"profile": str(folder), "channel": channel},
            )


def same_folder(left: Path, right: Path) -> bool:
    """One and the same, whatever links and letter case lead there."""
    try:
        return left.samefile(right)
    except (OSError, ValueError):
        return left == right


def safe_name(name: str) -> str:
    """A profile name that is one harmless path segment; BAD_ARGS otherwise."""
    plain = all(c.isalnum() or c in "-_. " for c in name)
    device = name.partition(".")[0].rstrip().lower() in _DEVICES
    if not name or not plain or device or name.strip(". ") != name or len(name) > 64:
        raise UsageError(
            "BAD_ARGS",
            f"{name!r} cannot be the name of a profile",
            hint="Use letters, digits, dash, underscore, dot and space, 64 at most; for a folder "
            "elsewhere give --user-data-dir.",
        )
    return name


def prepare(folder: Path) -> Leases:
    """Make the folder if need be, for its owner alone; the true cause if that is impossible."""
    try:
        # Half made it looks like what a dead one left, and whoever cleans may remove it.
        for _ in range(_TAKEN):
            with contextlib.suppress(FileNotFoundError):
                return _make(folder)
        return _make(folder)
    except OSError as error:
        raise unusable(folder, error) from error


def _make(folder: Path) -> Leases:
    leases = Leases(folder)
    for each in (*reversed(folder.parents), folder):  # `parents=True` leaves them to the umask
        if not each.is_dir():
            each.mkdir(exist_ok=True, mode=0o700)
    adopted = not (folder / STATE).exists() and (folder / "Local State").exists()
    leases.prepare()
    if adopted:
        (folder / STATE / _ADOPTED).touch(mode=0o600)
    os.utime(folder / STATE)  # a read-only file system shows itself here, not inside Chrome
    return leases


def is_adopted(folder: Path) -> bool:
    """Another program filled this profile before we did: its cookies are under its keyring."""
    return (folder / STATE / _ADOPTED).exists()


def check_writable(folder: Path) -> None:
    """The same error `prepare` would meet, as far as it can be told without making anything."""
    nearest = folder
    while not os.path.exists(nearest) and nearest != nearest.parent:
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
