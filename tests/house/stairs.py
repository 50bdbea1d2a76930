"""The import contract: that it holds, and that it speaks of every room there is.

A room the contract does not name may import whatever it likes, unnoticed.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path


def lint(project: Path) -> tuple[bool, str]:
    """Whether the contracts of the project's pyproject.toml hold, and what the linter says."""
    result = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=project,
        capture_output=True,
        check=False,
        text=True,
    )
    return result.returncode == 0, result.stdout + result.stderr


def layers(pyproject: str) -> set[str]:
    """The rooms named by the `layers` contracts; optional ones and neighbours count."""
    contracts = tomllib.loads(pyproject)["tool"]["importlinter"]["contracts"]
    lines = [line for contract in contracts for line in contract.get("layers", [])]
    return {room for line in lines for room in re.findall(r"[\w.]+", line)}


def rooms(modules: list[str]) -> set[str]:
    """The rooms on disk: `launcher`, and what stands directly in `bridge`."""
    found = set()
    for name in modules:
        parts = name.removesuffix(".py").split("/")
        if parts[0] == "launcher":
            found.add("launcher")
        elif not parts[1].startswith("__"):
            found.add(".".join(parts[:2]))
    return found
