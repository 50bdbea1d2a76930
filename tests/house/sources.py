"""What the house consists of: its root, its tracked files, its Python modules.

Git decides what belongs to the house, so neither caches nor an environment are ever judged. The
`safe.directory` override is needed where a checkout belongs to another user, as in containers.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("bridge/cdp/generated/", "bridge/cdp/protocol/", "docs/pictures/")


def tracked() -> list[str]:
    """Paths of all files under version control that exist, relative to the root."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    )
    return [name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def by_hand(*suffixes: str) -> list[str]:
    """Tracked files with one of these endings that a person wrote."""
    return [
        name for name in tracked() if name.endswith(suffixes) and not name.startswith(GENERATED)
    ]


def product_modules() -> list[str]:
    """The hand-written modules of the two packages."""
    return [name for name in by_hand(".py") if name.startswith(("bridge/", "launcher/"))]


def read(name: str) -> str:
    """The text of a file of the house; bytes that are not UTF-8 become replacement characters."""
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")
