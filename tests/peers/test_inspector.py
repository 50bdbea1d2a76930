"""The protocol's own inspector as a client of our command."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.peer_programs import Programs

pytestmark = pytest.mark.peers


class Inspector:
    """One request per run, over standard input and output."""

    def __init__(self, programs: Programs, data: Path) -> None:
        self._programs = programs
        self._command = [sys.executable, "-m", "bridge", "serve", "--headless", "--isolated"]
        self._command += ["--data-dir", str(data), "--log-level", "off"]

    def __call__(self, *arguments: str) -> tuple[int, Any]:
        """Exit code and what it printed."""
        # Its own patience is 15 s, in which a busy machine has not started both programs.
        options = ["--cli", "--format", "json", "-q", "--connect-timeout", "60000", *arguments]
        done = self._programs.run("inspector", *options, "--", *self._command)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)["result"]


@pytest.fixture
def inspector(programs: Programs, tmp_path: Path) -> Inspector:
    return Inspector(programs, tmp_path / "data")


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_list(inspector: Inspector, era: str) -> None:
    """It lists our tools, and finds no schema that other clients could not read."""
    code, found = inspector("--strict", "--protocol-era", era, "--method", "tools/list")
    assert code == 0
    assert {"status", "navigate"} <= {tool["name"] for tool in found["tools"]}


def test_call(inspector: Inspector) -> None:
    """It calls a tool."""
    code, found = inspector(
        "--method", "tools/call", "--tool-name", "status", "--tool-args-json", "{}"
    )
    assert code == 0
    assert found["content"][0]["text"].startswith("state: ")


def test_error(inspector: Inspector) -> None:
    """A tool's error is one for it, too: it may go nowhere yet."""
    where = json.dumps({"url": "http://example.com/"})
    code, found = inspector(
        "--method", "tools/call", "--tool-name", "navigate", "--tool-args-json", where
    )
    assert code == 5
    assert found["isError"]
    assert found["content"][0]["text"].startswith("POLICY_DENIED: ")
