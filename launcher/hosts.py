"""Programs that extensions of a browser of ours may start: native-messaging hosts.

Chrome looks for a host's manifest in the profile folder it was started with. So what lies in
`native-hosts` of the data folder is put into every profile before a launch; whoever wants a host in
our browsers asks for it by writing it there. Windows has the registry, which knows no profiles.
"""

import sys
from pathlib import Path

from launcher.plain_file import read_plain, replace

FOLDER = "native-hosts"
IN_PROFILE = "NativeMessagingHosts"
_LONGEST = 64 * 1024


def place_hosts(data_dir: Path, profile: Path) -> None:
    """Let the browser on this profile find the hosts of the data folder; raises OSError."""
    if sys.platform == "win32":
        return
    for manifest in sorted((data_dir / FOLDER).glob("*.json")):
        try:
            content = read_plain(manifest, _LONGEST)
        except OSError:
            continue  # a browser starts without a host rather than not at all
        put(profile / IN_PROFILE / manifest.name, content)


def put(file: Path, content: bytes, *, mode: int = 0o600) -> bool:
    """Make the file hold this, in one step; False if it did. Raises OSError."""
    try:
        if read_plain(file, len(content) + 1) == content and _has(file, mode):
            return False
    except OSError:
        pass  # absent, or something else in its place: it is written below, or that says why not
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    replace(file, content, mode=mode)
    return True


def _has(file: Path, mode: int) -> bool:
    return sys.platform == "win32" or file.stat().st_mode & 0o777 == mode
