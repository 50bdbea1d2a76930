"""Records of launches, with every kind of damage, and the identity of processes."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launcher import record
from launcher.leases import STATE, Leases
from launcher.record import Record, started_at

if sys.platform != "linux":
    pytest.skip("start times of /proc", allow_module_level=True)


def _ours() -> Record:
    return Record(
        pid=os.getpid(),
        started=started_at(os.getpid()),
        watchdog=os.getppid(),
        watchdog_started=started_at(os.getppid()),
        headless=True,
        keep_open=False,
        transport="port",
        endpoint="ws://127.0.0.1:1/devtools/browser/x",
        executable="/usr/bin/x",
    )


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    Leases(tmp_path).prepare()
    return tmp_path


def _path(profile: Path) -> Path:
    return profile / STATE / "launch.json"


def test_round_trip(profile: Path) -> None:
    """What is written comes back, in a file for its owner alone and without a draft beside it."""
    record.write(profile, _ours())
    assert record.read(profile) == _ours()
    assert _path(profile).stat().st_mode & 0o777 == 0o600
    assert os.listdir(profile / STATE).count("launch.json") == 1
    assert not [name for name in os.listdir(profile / STATE) if name.endswith(".tmp")]


def test_replaced_in_one_step(profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until the new one is whole the old one stands."""
    record.write(profile, _ours())
    seen: list[Record | None] = []
    replace_file = os.replace

    def watch(draft: str, path: str) -> None:
        seen.append(record.read(profile))
        assert json.loads(Path(draft).read_bytes())["endpoint"] == "new"
        replace_file(draft, path)

    monkeypatch.setattr(os, "replace", watch)
    record.write(profile, _ours()._replace(endpoint="new"))
    assert seen == [_ours()]


VALUES = {"v": record.VERSION, **_ours()._asdict()}
DAMAGE: dict[str, bytes] = {
    "empty": b"",
    "cut": json.dumps(VALUES).encode()[:-9],
    "noise": bytes(range(256)) * 8,
    "huge": b"[" + b" " * 1_000_000 + b"]",
    "deep": b"[" * 60_000,
    "NUL": b"\0" * 400,
    "another type": b"[1, 2]",
    "a number": b"1" * 5000,
    "future version": json.dumps({**VALUES, "v": record.VERSION + 1}).encode(),
    "no version": json.dumps(_ours()._asdict()).encode(),
    "something missing": json.dumps({k: v for k, v in VALUES.items() if k != "pid"}).encode(),
    "something more": json.dumps({**VALUES, "more": 1}).encode(),
    "pid as text": json.dumps({**VALUES, "pid": str(os.getpid())}).encode(),
    "pid as truth": json.dumps({**VALUES, "pid": True}).encode(),
    "pid as fraction": json.dumps({**VALUES, "pid": 1.5}).encode(),
    "negative pid": json.dumps({**VALUES, "pid": -1}).encode(),
    "pid 1": json.dumps({**VALUES, "pid": 1, "started": started_at(1)}).encode(),
    "pid beyond all": json.dumps({**VALUES, "pid": 10**30}).encode(),
    "watchdog beyond all": json.dumps({**VALUES, "watchdog": 10**30}).encode(),
    "negative watchdog": json.dumps({**VALUES, "watchdog": -1}).encode(),
    "headless as number": json.dumps({**VALUES, "headless": 1}).encode(),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage(kind: str, profile: Path) -> None:
    """Damage means that there is no record, and the next one replaces it."""
    _path(profile).write_bytes(DAMAGE[kind])
    assert record.read(profile) is None
    record.remove(profile, os.getpid())
    record.write(profile, _ours())
    assert record.read(profile) == _ours()


@given(st.binary(max_size=300))
def test_any_bytes(tmp_path_factory: pytest.TempPathFactory, noise: bytes) -> None:
    """No content whatsoever is an error."""
    profile = tmp_path_factory.getbasetemp() / "record"
    Leases(profile).prepare()
    _path(profile).write_bytes(noise)
    assert record.read(profile) is None


def test_byte_order_mark(profile: Path) -> None:
    """A byte order mark, which some editors add, is no damage."""
    _path(profile).write_bytes(b"\xef\xbb\xbf" + json.dumps(VALUES).encode())
    assert record.read(profile) == _ours()


@pytest.mark.parametrize("kind", ["dangling link", "pipe", "folder"])
def test_planted(kind: str, profile: Path, tmp_path: Path) -> None:
    """Something else in its place is no record, holds nothing up, and is not written through."""
    path = _path(profile)
    if kind == "dangling link":
        path.symlink_to(tmp_path / "target")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert record.read(profile) is None
    record.write(profile, _ours())
    assert not (tmp_path / "target").exists()
    assert record.read(profile) == (None if kind == "folder" else _ours())
    assert not [name for name in os.listdir(profile / STATE) if name.endswith(".tmp")]


def test_planted_draft(profile: Path, tmp_path: Path) -> None:
    """A link in the draft's place is replaced, not followed."""
    target = tmp_path / "target"
    target.write_text("mine")
    (profile / STATE / f"launch.{os.getpid()}.tmp").symlink_to(target)
    record.write(profile, _ours())
    assert (record.read(profile), target.read_text()) == (_ours(), "mine")


def test_full_disk(mount: Path) -> None:
    """A full disk costs the record, not an error, and leaves neither the old one nor a draft."""
    Leases(mount).prepare()
    record.write(mount, _ours())
    with pytest.raises(OSError, match="No space left"):
        (mount / "filler").write_bytes(b"x" * 100_000)
    record.write(mount, _ours()._replace(endpoint="new"))
    assert record.read(mount) is None
    assert os.listdir(mount / STATE) == ["leases"]


def test_missing_folder(tmp_path: Path) -> None:
    """Neither reading nor writing nor removing minds a profile that is gone."""
    record.write(tmp_path / "none", _ours())
    record.remove(tmp_path / "none", 1)
    assert record.read(tmp_path / "none") is None


def test_pid_of_another(profile: Path) -> None:
    """A pid that has come to mean another process is no browser of ours."""
    record.write(profile, _ours()._replace(started="12@0000"))
    assert record.read(profile) is None


def test_gone_before_it_was_recorded(profile: Path) -> None:
    """Of one that had ended when it was to be written down, nothing is alive."""
    record.write(profile, _ours()._replace(pid=999_999_999, started=started_at(999_999_999)))
    assert record.read(profile) is None
    assert not _ours()._replace(watchdog=999_999_999, watchdog_started="").watched


def test_watched(profile: Path) -> None:
    """A watchdog counts under the same conditions as a browser."""
    assert _ours().watched
    assert not _ours()._replace(watchdog_started="12@0000").watched
    assert not _ours()._replace(watchdog=0, watchdog_started="").watched


def test_remove(profile: Path) -> None:
    """Only the record of that very browser is removed."""
    record.write(profile, _ours())
    record.remove(profile, os.getpid() + 1)
    assert record.read(profile) == _ours()
    record.remove(profile, os.getpid())
    assert not _path(profile).exists()


def test_dead_and_zombie() -> None:
    """A process that has ended is nobody, collected or not."""
    with subprocess.Popen([sys.executable, "-ISc", "input()"], stdin=subprocess.PIPE) as child:
        assert started_at(child.pid)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # a zombie from here on
        assert started_at(child.pid) == ""
    assert started_at(child.pid) == ""


def test_two_processes_differ() -> None:
    """Start times tell apart what a pid alone would not, and do not change."""
    assert started_at(os.getpid()) != started_at(1)
    assert started_at(os.getpid()) == started_at(os.getpid())


@pytest.mark.parametrize("clock", ["time", "time_ns"])
def test_no_wall_clock(clock: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The identity is ticks since boot, so that setting the clock changes nothing."""
    before = started_at(os.getpid())
    shifted: Callable[[], int] = lambda: 0  # noqa: E731 -- 1970
    monkeypatch.setattr(time, clock, shifted)
    assert started_at(os.getpid()) == before
    ticks, _, boot = before.partition("@")
    assert int(ticks) < time.monotonic() * os.sysconf("SC_CLK_TCK")
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        assert file.read().startswith(boot)


def test_name_with_parentheses() -> None:
    """A process may call itself anything."""
    program = "open('/proc/self/comm', 'w').write(') R 1 (x)'); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-ISc", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert int(started_at(child.pid).partition("@")[0]) > 1000
        child.kill()
