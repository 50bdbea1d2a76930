"""A temporary folder for one browser: whatever it drops there when it is killed goes with it.

Chrome makes its shared memory, the folder of its lock's socket and much else in the temporary
folder, under names that are written nowhere; one that is killed leaves what it had at that moment.
So it gets a folder of its own in there. The name is short, for the path of a socket must be.

Standard library only, and little of that: the watchdog needs it before Chrome starts.
"""

import os

_PREFIX = "chrome-bridge-"
_RANDOM = 4  # bytes
_LONGEST = 103 - len("/org.chromium.Chromium.XXXXXX/SingletonSocket")  # a socket's path on macOS


def make() -> str:
    """A new private folder; "" where there is no good place for one, and Chrome has to do without.

    The usual place can have too long a name (macOS); then it is the one everybody has.
    """
    for place in (os.environ.get("TMPDIR") or "/tmp", "/tmp"):
        path = os.path.join(place, _PREFIX + os.urandom(_RANDOM).hex())
        if len(os.fsencode(path)) <= _LONGEST:
            try:
                os.mkdir(path, 0o700)
            except OSError:
                continue
            return path
    return ""


def remove(path: str) -> None:
    """Remove such a folder; anything else is left alone."""
    from pathlib import Path

    from launcher.removal import remove_folder

    name = os.path.basename(path)
    if name.startswith(_PREFIX) and os.path.isdir(path) and not os.path.islink(path):
        remove_folder(Path(path))
