"""The files of a throwaway profile, in memory instead of on a disk.

Chrome makes some thirty files in `Default` while it starts, and waits for the disk at most of them:
the first page comes after 347 ms on a disk and after 269 in memory (medians of 12 in turns, with
both cores busy; 274 and 259 at best). The profile folder itself stays where profiles are, with its
leases, its record and all that tells whose it is; `Default` in it is a link to a folder in memory.

The link alone names that folder. It is there before Chrome is, and goes when the folder has gone:
whoever removes the profile, however late, finds it. Standard library only: the watchdog does, too.
"""

import os
import shutil

_FOLDER = "Default"
_PREFIX = "chrome-bridge-profile-"
_RANDOM = 8  # bytes
OWNER = "profile"
"""A link back, for whoever wonders what the folder is."""


def lodge(profile: str, place: str) -> bool:
    """Have its files lie in this place; whether that was possible."""
    folder = os.path.join(place, _PREFIX + os.urandom(_RANDOM).hex())
    try:
        os.mkdir(folder, 0o700)
    except OSError:
        return False
    try:
        os.symlink(profile, os.path.join(folder, OWNER))
        os.symlink(folder, os.path.join(profile, _FOLDER))
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        return False
    return True


def clear(profile: str) -> bool:
    """Remove what a profile has in memory; true when there is nothing (any more)."""
    try:
        folder = os.readlink(os.path.join(profile, _FOLDER))
    except OSError:  # no link: it is all in one place
        return True
    if not os.path.basename(folder).startswith(_PREFIX) or os.path.islink(folder):
        return True
    shutil.rmtree(folder, ignore_errors=True)
    return not os.path.lexists(folder)
