"""The file that tells where a server is: its owner's alone, for as long as the server lives."""

import json
import os
import stat
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from bridge.errors import UsageError
from bridge.relay.invitation import open_invitation, sweep
from bridge.transport.link import EXTENSION_ID

if sys.platform == "win32":
    pytest.skip("modes and links", allow_module_level=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "links"


def test_file(folder: Path) -> None:
    """It says all an extension needs, is private, new each time, and goes with the block."""
    with open_invitation(folder, "Ada", 4711) as one, open_invitation(folder, "Bob", 1) as two:
        told = json.loads(one.file.read_text())
        assert abs(told.pop("startedAt") - time.time()) < 60
        assert told == {
            "v": 1,
            "serverId": one.server_id,
            "clientName": "Ada",
            "port": 4711,
            "token": one.token,
            "pid": os.getpid(),
            "extensionId": EXTENSION_ID,
        }
        assert one.token != two.token
        assert one.file != two.file
        assert len(one.token) == 43
        assert stat.S_IMODE(one.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert list(folder.iterdir()) == []


def test_token_that_stays(folder: Path) -> None:
    """With a token of the owner's a server is the same one each time, until it is renewed."""
    given = "x" * 32
    with open_invitation(folder, "Ada", 4711, given) as one:
        told = json.loads(one.file.read_text())
        assert (told["token"], one.token) == (given, given)
        assert given not in one.file.name
        one.renew()
        assert one.token != given
    with open_invitation(folder, "Ada", 4711, given) as again:
        assert (again.server_id, again.token) == (one.server_id, given)
    with open_invitation(folder, "Ada", 4712, given) as other:
        assert other.server_id != one.server_id


def test_same_server_again(folder: Path) -> None:
    """One that ends takes its own file away, not that of the next one of the same name."""
    given = "x" * 32
    with ExitStack() as before, ExitStack() as after:
        before.enter_context(open_invitation(folder, "Ada", 4711, given))
        again = after.enter_context(open_invitation(folder, "Ada", 4711, given))
        before.close()
        assert not again.lost
        assert json.loads(again.file.read_text())["token"] == given
    assert list(folder.iterdir()) == []


def test_spoilt(folder: Path) -> None:
    """A file that says nothing any more goes as well."""
    with open_invitation(folder, "Ada", 4711) as one:
        one.file.write_text("[" * 2000)
    assert list(folder.iterdir()) == []


def test_killed(folder: Path) -> None:
    """Nothing with a token stays of a server that was killed as it wrote its file."""
    program = f"""
import os, pathlib, signal
from bridge.relay.invitation import open_invitation
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with open_invitation(pathlib.Path({str(folder)!r}), "Ada", 4711):
    pass
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode < 0
    assert len(list(folder.iterdir())) == 1
    with open_invitation(folder, "Bob", 4712) as next_one:
        assert list(folder.iterdir()) == [next_one.file]


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o701, 0o777])
def test_open_folder(folder: Path, mode: int) -> None:
    """In a folder that others may enter nothing is written, and that is said."""
    folder.mkdir(parents=True)
    folder.chmod(mode)
    with pytest.raises(UsageError, match="owner alone") as caught, open_invitation(folder, "A", 1):
        pass
    assert caught.value.code == "BAD_ARGS"
    assert str(folder) in caught.value.hint
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "file"])
def test_no_folder(folder: Path, kind: str) -> None:
    """A link or a file in the folder's place is not used, nor what it leads to."""
    folder.parent.mkdir(parents=True)
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if kind == "link":
        folder.symlink_to(elsewhere)
    else:
        folder.write_text("")
    with pytest.raises(UsageError), open_invitation(folder, "A", 1):
        pass
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("harm", ["gone", "loose", "link", "folder"])
def test_lost(folder: Path, harm: str) -> None:
    """A file that is gone, open to others or no file any more is lost; another token mends it."""
    with open_invitation(folder, "A", 1) as invitation:
        assert not invitation.lost
        before = invitation.token
        copy = folder.parent / "copy"
        if harm == "loose":
            invitation.file.chmod(0o644)
        else:
            invitation.file.rename(copy)
        if harm == "link":
            invitation.file.symlink_to(copy)
        elif harm == "folder":
            invitation.file.mkdir()
        assert invitation.lost
        if harm == "folder":
            with pytest.raises(IsADirectoryError):
                invitation.renew()
            assert invitation.token != before
            invitation.file.rmdir()
        invitation.renew()
        assert not invitation.lost
        assert json.loads(invitation.file.read_text())["token"] == invitation.token != before
        assert not copy.exists() or invitation.token not in copy.read_text()


def test_sweep(folder: Path) -> None:
    """What dead processes left is removed; what lives, or is not understood, stays."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    folder.mkdir(parents=True, mode=0o700)
    texts = {
        "dead.json": json.dumps({"pid": gone.pid}),
        "huge.json": json.dumps({"pid": 1 << 80}),
        "alive.json": json.dumps({"pid": os.getpid()}),
        ".alive.json.0123": json.dumps({"pid": os.getpid()}),
        ".half.json.0123": '{"pid": ',
        "nobody.json": "{}",
        "list.json": "[]",
        "half.json": '{"pid": ',
        "binary.json": "\x00\x01",
        "dead.txt": json.dumps({"pid": gone.pid}),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "folder.json").mkdir()
    os.mkfifo(folder / "pipe.json")
    elsewhere = folder.parent / "elsewhere.json"
    elsewhere.write_text(texts["dead.json"])
    (folder / "link.json").symlink_to(elsewhere)
    sweep(folder)
    left = {each.name for each in folder.iterdir()}
    assert {*texts, "folder.json", "pipe.json", "link.json"} - left == {"dead.json", "huge.json"}
    assert elsewhere.exists()
