"""Programs of others on Node.js, as `make peers` installs them."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.sources import ROOT

_FOLDER = ROOT / ".artifacts" / "peers"


class Programs:
    """Run by name, with a home folder of their own."""

    def __init__(self, home: Path) -> None:
        self._home = home
        bundled = sorted(_FOLDER.glob("node_modules/node-*/bin/node"))
        self._node = str(bundled[0]) if bundled else "node"

    def run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of a package."""
        package = _FOLDER / "node_modules" / name
        starts = json.loads((package / "package.json").read_text())["bin"]
        return self._run([str(package / starts[name.removesuffix("-alpha")]), *arguments], {})

    def script(self, file: str, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """One of ours that uses the packages; `more` is for its environment."""
        return self._run([str(ROOT / file)], {"NODE_PATH": str(_FOLDER / "node_modules"), **more})

    def _run(self, arguments: list[str], more: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self._node, *arguments],
            env={**os.environ, "HOME": str(self._home), "NO_COLOR": "1", **more},
            cwd=ROOT,
            capture_output=True,
            check=False,
            text=True,
            timeout=100,
        )


@pytest.fixture
def programs(tmp_path: Path) -> Programs:
    """What tests/peers/package.json names; without Node.js there is nothing to test with."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("there is no Node.js here")
    wanted = (ROOT / "tests" / "peers" / "package.json").read_text()
    installed = _FOLDER / "installed.json"
    if not installed.exists() or installed.read_text() != wanted:
        pytest.fail("The programs are not installed, or not these versions: run `make peers`.")
    return Programs(tmp_path)
