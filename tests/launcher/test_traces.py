"""Clearing up after one browser, and after no other."""

import os
import sys
from pathlib import Path

import pytest

from launcher import farewell, record, singleton, temporary
from launcher.leases import Leases
from launcher.traces import remove_dead, remove_traces

if sys.platform == "win32":
    pytest.skip("lock links", allow_module_level=True)

PATH = "/devtools/browser/0a1b"
URL = f"ws://127.0.0.1:5{PATH}"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Left by a browser with our pid."""
    Leases(tmp_path).prepare()
    pid = os.getpid()
    (tmp_path / singleton.LOCK).symlink_to(f"{os.uname().nodename}-{pid}")
    farewell.port_file(tmp_path).write_text(f"5\n{PATH}")
    known = record.Record(
        pid=pid,
        started=record.started_at(pid),
        watchdog=0,
        watchdog_started="",
        headless=True,
        keep_open=False,
        transport="port",
        endpoint=URL,
        executable="/x",
    )
    record.write(tmp_path, known)
    return tmp_path


def test_own(profile: Path) -> None:
    """Lock, port file and record of the browser go; the rest of the profile stays."""
    (profile / "Local State").touch()
    remove_traces(profile, os.getpid(), URL, "")
    assert set(os.listdir(profile)) == {".chrome-bridge", "Local State"}
    assert record.read(profile) is None


def test_unheard(profile: Path) -> None:
    """One that was ended before it was heard where it listens leaves no port file either."""
    remove_traces(profile, os.getpid(), "", "")
    assert set(os.listdir(profile)) == {".chrome-bridge"}


def test_unheard_successor(profile: Path) -> None:
    """Unless somebody else is on record by then, whose file it may be."""
    before = set(os.listdir(profile))
    remove_traces(profile, os.getpid() + 1, "", "")
    assert set(os.listdir(profile)) == before


def test_successors(profile: Path) -> None:
    """What names another browser stays."""
    before = set(os.listdir(profile))
    remove_traces(profile, os.getpid() + 1, URL.replace("0a1b", "0a1c"), "")
    assert set(os.listdir(profile)) == before
    assert record.read(profile) is not None


def test_record_last(profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as something is to be removed the record is there and says what."""
    told = []
    monkeypatch.setattr(temporary, "remove", lambda _: told.append(record.read(profile)))
    remove_traces(profile, os.getpid(), URL, "/t")
    assert told != [None]
    assert record.read(profile) is None


def test_folder_gone(tmp_path: Path) -> None:
    """Where there is no profile any more there is nothing to do."""
    remove_traces(tmp_path / "none", 5, URL, "")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("alive", [True, False])
def test_nobody_left(profile: Path, alive: bool) -> None:
    """What a browser left whose watchdog is gone as well is cleared, its temporary folder too."""
    folder = temporary.make()
    known = record.read(profile)
    assert known is not None
    started = known.started if alive else "1@0"
    record.write(profile, known._replace(started=started, temporary=folder))
    try:
        remove_dead(profile)
        assert os.path.isdir(folder) == alive
        assert farewell.port_file(profile).exists() == alive
    finally:
        temporary.remove(folder)


def test_elsewhere(profile: Path) -> None:
    """What a browser on another computer has there stays, though it seems dead from here."""
    known = record.read(profile)
    assert known is not None
    record.write(profile, known._replace(started="1@0"))
    (profile / singleton.LOCK).unlink()
    (profile / singleton.LOCK).symlink_to(f"other-{known.pid}")
    remove_dead(profile)
    assert farewell.port_file(profile).exists()
    assert record.names(profile, known.pid)
