"""Writes `generated/` from the pinned protocol: `python -m bridge.cdp.generate [--check]`.

Load, patch, render are pure and end in a mapping of file names to texts; only `main` touches the
disk. `--check` compares that mapping with what is there and names every file that differs, is
missing, or belongs to a domain that no longer exists.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bridge.cdp.model import Protocol, parse_protocol
from bridge.cdp.naming import module_name
from bridge.cdp.patches import apply_patches
from bridge.cdp.render import render_domain, render_index

HERE = Path(__file__).parent
PINNED = HERE / "protocol" / "protocol.json"
GENERATED = HERE / "generated"


def load(path: Path = PINNED) -> Protocol:
    """The pinned protocol with our patches applied."""
    return apply_patches(parse_protocol(path.read_bytes()))


def render(protocol: Protocol) -> dict[str, str]:
    """File name to text, for every module of the package."""
    texts = {f"{module_name(d.domain)}.py": render_domain(protocol, d) for d in protocol.domains}
    return {"__init__.py": render_index(protocol), **texts}


def find_stale(texts: Mapping[str, str], folder: Path) -> list[str]:
    """The names of files that differ from `texts`, are missing, or do not belong there."""
    present = {path.name: path.read_text("utf-8") for path in folder.glob("*.py")}
    return sorted(
        name for name in texts.keys() | present.keys() if texts.get(name) != present.get(name)
    )


def write(texts: Mapping[str, str], folder: Path) -> list[str]:
    """Make `folder` hold exactly `texts`; returns the names of what had to change."""
    changed = find_stale(texts, folder)
    folder.mkdir(exist_ok=True)
    for name in changed:
        if name in texts:
            (folder / name).write_text(texts[name], "utf-8", newline="\n")
        else:
            (folder / name).unlink()
    return changed


def main(arguments: Sequence[str], folder: Path = GENERATED) -> int:
    """Write the files, or with `--check` only say which ones are stale; the exit code."""
    texts = render(load())
    check = "--check" in arguments
    changed = find_stale(texts, folder) if check else write(texts, folder)
    word = "stale" if check else "written"
    sys.stdout.writelines(f"{word}: {folder.name}/{name}\n" for name in changed)
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
