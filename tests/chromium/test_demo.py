"""The demo, as a newcomer runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.chromium


@pytest.fixture(scope="module")
def picture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "deep" / "picture.png"


@pytest.fixture(scope="module")
def printed(picture: Path) -> str:
    """What it prints; it has to succeed."""
    done = subprocess.run(
        [sys.executable, "-m", "bridge", "demo", "--picture", str(picture)],
        cwd=_ROOT,
        env={"PATH": "/usr/bin:/bin", "HOME": str(picture.parents[1]), "TMPDIR": "/tmp"},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_reads(printed: str) -> None:
    """The snapshot names what is on the page, inside the fence, and no password."""
    page = printed.partition("> snapshot")[2].partition("\n# ")[0]
    assert 'textbox "Name"' in page
    assert 'button "Send"' in page
    assert "untrusted>" in page
    assert "hunter2" not in printed


def test_acts(printed: str) -> None:
    """What was typed and chosen is in the answers."""
    for call, outcome in (
        ("> type", "Ada Lovelace"),
        ("> fill_form", "Filled in 3 of 3 fields."),
        ("> click", "Large"),
    ):
        told = printed.partition(call)[2].partition("\n# ")[0].partition("\n")[2]
        assert outcome in told, told


def test_refuses(printed: str) -> None:
    """The way out is refused with its code and the flag that would open it."""
    refused = printed.partition("# What nobody has allowed")[2]
    assert "POLICY_DENIED: " in refused
    assert "--allow-domain example.com" in refused


def test_picture(printed: str, picture: Path) -> None:
    """The picture is a PNG, where it was wanted."""
    assert f"The picture is in {picture}" in printed
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_leaves_nothing(printed: str, picture: Path) -> None:
    """It keeps nothing but the picture: no profile, no audit, no folder of ours."""
    home = picture.parents[1]
    assert not list(home.rglob("audit.jsonl"))
    assert not (home / ".local" / "share" / "chrome-bridge").exists()


def test_block(printed: str) -> None:
    """The block to paste is JSON and starts this very server."""
    block = printed[printed.index("\n{\n") : printed.index("\n}\n") + 2]
    server = json.loads(block)["mcpServers"]["chrome-bridge"]
    assert "serve" in server["args"]
    assert Path(server["command"]).is_absolute()
