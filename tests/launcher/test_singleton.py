"""Chrome's own lock: reading it, and clearing it without taking anything else along."""

import os
import socket
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launcher import singleton
from launcher.singleton import COOKIE, LOCK, SOCKET, Lock, parse_lock, read_lock

if sys.platform == "win32":
    pytest.skip("a mutex there", allow_module_level=True)

HERE = socket.gethostname()


@pytest.mark.parametrize(
    ("target", "lock"),
    [
        ("vm-123", Lock("vm", 123)),
        ("build-agent-7-4711", Lock("build-agent-7", 4711)),
        ("-5", Lock("", 5)),
        ("vm-", Lock("vm", 0)),
        ("vm", Lock("", 0)),
        ("", Lock("", 0)),
        ("vm-12a", Lock("vm", 0)),
        ("vm--3", Lock("vm-", 3)),
        ("vm-\u0661\u0662", Lock("vm", 0)),
        ("vm-" + "9" * 5000, Lock("vm", 0)),
    ],
)
def test_parse(target: str, lock: Lock) -> None:
    """Host and pid are told apart by the last dash; a pid is a short decimal number."""
    assert parse_lock(target) == lock


@given(st.text(), st.integers(1, 999_999_999))
def test_parse_any(host: str, pid: int) -> None:
    """Whatever the host is called, both parts come back."""
    assert parse_lock(f"{host}-{pid}") == Lock(host, pid)


@given(st.text())
def test_parse_anything(target: str) -> None:
    """No text is an error."""
    assert parse_lock(target).pid >= 0


def test_foreign() -> None:
    """Foreign is a lock with a pid and another host's name."""
    assert Lock("other", 5).foreign
    assert not Lock(HERE, 5).foreign
    assert not Lock("other", 0).foreign


def test_read(tmp_path: Path) -> None:
    """The link's target counts, whether or not it exists; something else is a lock of nobody."""
    assert read_lock(tmp_path) is None
    (tmp_path / LOCK).symlink_to(f"{HERE}-77")
    assert read_lock(tmp_path) == Lock(HERE, 77)
    (tmp_path / LOCK).unlink()
    (tmp_path / LOCK).write_text("x")
    assert read_lock(tmp_path) == Lock("", 0)
    assert read_lock(tmp_path / "none") is None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A temporary folder as Chrome makes it, and links of process 77 to it in `profile`."""
    folder = tmp_path / "t"
    folder.mkdir(mode=0o700)
    _socket(folder / SOCKET)
    (folder / COOKIE).symlink_to("1")
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / LOCK).symlink_to(f"{HERE}-77")
    (profile / SOCKET).symlink_to(folder / SOCKET)
    (profile / COOKIE).symlink_to("1")
    return folder


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path may have no more than a hundred characters
    try:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind(path.name)
    finally:
        os.chdir(here)


def test_remove_links(folder: Path) -> None:
    """The links of a browser that has gone are removed with the folder they lead to."""
    profile = folder.parent / "profile"
    singleton.remove_links(profile, 77)
    assert os.listdir(profile) == []
    assert not folder.exists()


def test_live_socket(tmp_path: Path) -> None:
    """Links that were copied go; the folder of the browser that listens there stays."""
    with tempfile.TemporaryDirectory(prefix="cb-") as short, socket.socket(socket.AF_UNIX) as sock:
        (tmp_path / LOCK).symlink_to(f"{HERE}-77")
        (tmp_path / SOCKET).symlink_to(Path(short) / SOCKET)
        sock.bind(f"{short}/{SOCKET}")
        sock.listen(1)
        for _ in range(3):  # those that nobody has accepted fill its queue
            singleton.remove_links(tmp_path, 77)
            assert os.listdir(tmp_path) == []
            assert os.listdir(short) == [SOCKET]
            (tmp_path / LOCK).symlink_to(f"{HERE}-77")
            (tmp_path / SOCKET).symlink_to(Path(short) / SOCKET)


def test_lock_last(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as one of the links is there the lock is, which tells whose it is."""
    profile = folder.parent / "profile"
    removed: list[str] = []
    unlink = Path.unlink

    def note(path: Path, missing_ok: bool = False) -> None:
        removed.append(path.name if path.parent == profile else "")
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", note)
    singleton.remove_links(profile, 77)
    assert sorted(filter(None, removed)) == sorted([LOCK, SOCKET, COOKIE])
    assert removed[-1] == LOCK


@pytest.mark.parametrize("target", [f"{HERE}-78", "other-77", "garbage"])
def test_of_another(target: str, folder: Path) -> None:
    """Links that name another browser, or one elsewhere, stay."""
    profile = folder.parent / "profile"
    (profile / LOCK).unlink()
    (profile / LOCK).symlink_to(target)
    singleton.remove_links(profile, 77)
    assert set(os.listdir(profile)) == {LOCK, SOCKET, COOKIE}
    assert set(os.listdir(folder)) == {SOCKET, COOKIE}


@pytest.mark.parametrize(
    "change", ["more in it", "open to others", "no socket", "another name", "a link", "relative"]
)
def test_not_chromes(change: str, folder: Path) -> None:
    """A folder that is not exactly what Chrome makes stays as it is; the links go."""
    profile = folder.parent / "profile"
    if change == "more in it":
        (folder / "letter").write_text("x")
    elif change == "open to others":
        folder.chmod(0o755)
    elif change == "no socket":
        (folder / SOCKET).unlink()
        (folder / SOCKET).write_text("x")
    elif change == "another name":
        _relink(profile / SOCKET, folder / COOKIE)
    elif change == "a link":
        (folder.parent / "link").symlink_to(folder)
        _relink(profile / SOCKET, folder.parent / "link" / SOCKET)
    else:
        _relink(profile / SOCKET, Path("../t") / SOCKET)
    before = sorted(os.listdir(folder))
    singleton.clear(profile)
    assert os.listdir(profile) == []
    assert sorted(os.listdir(folder)) == before


def _relink(link: Path, target: Path) -> None:
    link.unlink()
    link.symlink_to(target)


def test_owner(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of another user than the link's stays."""
    if os.geteuid():
        pytest.skip("only root can give files away")
    os.chown(folder, 12345, -1)
    singleton.clear(folder.parent / "profile")
    assert set(os.listdir(folder)) == {SOCKET, COOKIE}


def test_clear_twice(folder: Path) -> None:
    """Clearing what is clear, or was never there, is no error."""
    profile = folder.parent / "profile"
    singleton.clear(profile)
    singleton.clear(profile)
    singleton.clear(folder / "none")
    (profile / LOCK).mkdir()
    singleton.clear(profile)
    assert (profile / LOCK).is_dir()
