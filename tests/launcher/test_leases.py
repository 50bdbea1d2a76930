"""Leases and the gate, with real locks held by real processes."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
import trio.testing

from launcher.leases import STATE, Gate, Leases
from tests.support.conditions import until

if sys.platform != "linux":
    pytest.skip("locks are looked up in /proc", allow_module_level=True)

_ROOT = str(Path(__file__).resolve().parents[2])
_HOLD = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from launcher.leases import Leases
lease = Leases(Path(sys.argv[2])).take("holder")
print(lease.name, flush=True)
sys.stdin.read()
"""
_CHURN = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from launcher.leases import Leases
leases = Leases(Path(sys.argv[2]))
for _ in range(150):
    lease = leases.take("churn")
    assert lease.name in leases.holders()
    lease.release()
    assert lease.name not in leases.holders()
"""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile with the folders of ours."""
    Leases(tmp_path).prepare()
    return tmp_path


@pytest.fixture
def leases(profile: Path) -> Leases:
    return Leases(profile)


def _start(program: str, profile: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-ISc", program, _ROOT, str(profile)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def _name(holder: "subprocess.Popen[str]") -> str:
    assert holder.stdout is not None
    return holder.stdout.readline().strip()


@pytest.fixture
def holder(profile: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds a lease."""
    with _start(_HOLD, profile) as process:
        yield process
        process.kill()


def test_two_and_twenty_processes(profile: Path, leases: Leases) -> None:
    """Each of 22 processes is counted, and each that is killed is not, at once."""
    holders = [_start(_HOLD, profile) for _ in range(22)]
    names = {_name(holder) for holder in holders}
    assert set(leases.holders()) == names
    for holder in holders:
        holder.kill()
        with holder:
            holder.wait()
    assert leases.holders() == []
    assert os.listdir(profile / STATE / "leases") == []


def test_killed_holder(holder: "subprocess.Popen[str]", leases: Leases) -> None:
    """A lease is dead with its holder, not when somebody notices."""
    name = _name(holder)
    assert leases.holders() == [name]
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert leases.holders() == []


def test_live_pid_without_lock(profile: Path, leases: Leases) -> None:
    """A file that names a live process proves nothing: the lock does."""
    (profile / STATE / "leases" / f"{os.getpid()}-0123abcd").write_text(f"{os.getpid()} test\n")
    assert leases.holders() == []


def test_own_lease(leases: Leases) -> None:
    """A process sees its own leases as others do, and releasing twice is harmless."""
    first, second = leases.take("one"), leases.take("two")
    assert sorted(leases.holders()) == sorted([first.name, second.name])
    first.release()
    first.release()
    assert leases.holders() == [second.name]
    second.release()
    assert leases.holders() == []


def test_note(profile: Path, leases: Leases) -> None:
    """The file says in words who holds it, and nobody else may read it."""
    lease = leases.take("test run")
    path = profile / STATE / "leases" / lease.name
    assert path.read_text() == f"{os.getpid()} test run\n"
    assert path.stat().st_mode & 0o777 == 0o600
    lease.release()


def test_churn(profile: Path, leases: Leases) -> None:
    """While others take, release and sweep, no live lease is overlooked and no dead one counted."""
    processes = [_start(_CHURN, profile) for _ in range(3)]
    mine = leases.take("steady")
    rounds = 0
    while any(process.poll() is None for process in processes):
        assert mine.name in leases.holders()
        rounds += 1
    for process in processes:
        with process:
            assert process.wait() == 0
    assert rounds > 10
    assert leases.holders() == [mine.name]
    mine.release()


def test_two_look_at_a_dead_one(profile: Path, leases: Leases) -> None:
    """Who is just looking at a dead lease is not taken for its holder."""
    import fcntl

    path = profile / STATE / "leases" / "1-0123abcd"
    path.touch()
    with path.open("rb+") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)  # as far as another's look has come
        assert leases.holders() == []


def test_wait_one_end(holder: "subprocess.Popen[str]", leases: Leases) -> None:
    """Waiting ends with a holder, whichever way it ends; without one there is no waiting."""
    _name(holder)
    holder.kill()
    assert leases.wait_one_end() in (True, False)  # it may be gone before we look
    assert not leases.wait_one_end()


async def test_wait_one_end_blocks(
    holder: "subprocess.Popen[str]", profile: Path, leases: Leases
) -> None:
    """It blocks for as long as the holder lives."""
    name = _name(holder)
    ended = trio.Event()

    async def wait() -> None:
        assert await trio.to_thread.run_sync(leases.wait_one_end)
        ended.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await until(lambda: _somebody_waits_for(profile / STATE / "leases" / name))
        assert not ended.is_set()
        holder.kill()


def _somebody_waits_for(file: Path) -> bool:
    with open("/proc/locks", encoding="ascii") as locks:
        return any("->" in line and f":{file.stat().st_ino} " in line for line in locks)


def test_gate(profile: Path, leases: Leases) -> None:
    """One at a time is inside, in the same process too, and closing twice is harmless."""
    gate = leases.try_gate()
    assert gate is not None
    assert Leases(profile).try_gate() is None
    gate.close()
    gate.close()
    again = Leases(profile).try_gate()
    assert again is not None
    again.close()


async def test_wait_gate(profile: Path, leases: Leases) -> None:
    """Waiting for the gate ends when it opens."""
    gate = leases.try_gate()
    assert gate is not None
    got: list[Gate] = []

    async def wait() -> None:
        got.append(await trio.to_thread.run_sync(Leases(profile).wait_gate))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked(0.05)
        assert got == []
        gate.close()
    got[0].close()


def test_gate_of_a_removed_folder(profile: Path, leases: Leases) -> None:
    """A gate whose folder was removed and made anew meanwhile is none."""
    gate = leases.try_gate()
    assert gate is not None
    os.rename(profile / STATE, profile / "old")
    Leases(profile).prepare()
    other = leases.try_gate()
    assert other is not None  # another gate altogether
    other.close()
    gate.close()


def test_started_child(profile: Path, leases: Leases) -> None:
    """A program started by the holder does not keep its lease, nor its gate, alive."""
    lease, gate = leases.take("parent"), leases.try_gate()
    assert gate is not None
    with subprocess.Popen(
        [sys.executable, "-ISc", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as child:
        os.close(lease._fd)  # as the end of this process would, without removing the file
        gate.close()
        assert leases.holders() == []
        again = leases.try_gate()
        assert again is not None
        again.close()
        assert child.poll() is None
        child.kill()
    lease._fd = -1


def test_forked_child(profile: Path, leases: Leases) -> None:
    """A forked child has neither lease nor gate, and cannot give its parent's away."""
    program = """
import os, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from launcher.leases import Leases
leases = Leases(Path(sys.argv[2]))
lease, gate = leases.take("parent"), leases.try_gate()
ready, tell = os.pipe()
child = os.fork()
if not child:
    lease.release()
    gate.close()
    os.write(tell, b".")
    sys.stdin.read()
    os._exit(0)
os.read(ready, 1)
assert leases.holders() == [lease.name]
assert leases.try_gate() is None
print(child, flush=True)
os._exit(0)
"""
    with _start(program, profile) as parent:
        child = int(_name(parent))
        parent.wait()
        assert leases.holders() == []
        gate = leases.try_gate()
        assert gate is not None
        gate.close()
        os.kill(child, 0)  # it lives
        assert parent.stdin is not None


def test_private(tmp_path: Path) -> None:
    """The folders are for their owner alone, even if they were not before."""
    (tmp_path / STATE).mkdir(mode=0o755)
    leases = Leases(tmp_path)
    leases.prepare()
    for folder in (tmp_path / STATE, tmp_path / STATE / "leases"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_planted_leases(profile: Path, leases: Leases, tmp_path: Path) -> None:
    """Links, pipes, folders and strange names among the leases count for nothing and stay."""
    folder = profile / STATE / "leases"
    target = tmp_path / "target"
    target.write_text("mine")
    (folder / "1-00000001").symlink_to(target)
    os.mkfifo(folder / "1-00000002")
    (folder / "1-00000003").mkdir()
    (folder / "notes.txt").write_text("")
    before = sorted(os.listdir(folder))
    assert leases.holders() == []
    assert not leases.wait_one_end()
    assert sorted(os.listdir(folder)) == before
    assert target.read_text() == "mine"


@pytest.mark.parametrize("kind", ["link", "fifo", "folder"])
def test_planted_gate(kind: str, profile: Path, leases: Leases) -> None:
    """What is no file in the gate's place is an error at once, and is not followed."""
    gate = profile / STATE / "gate"
    if kind == "link":
        gate.symlink_to(profile / "nowhere")
    elif kind == "fifo":
        os.mkfifo(gate)
    else:
        gate.mkdir()
    with pytest.raises(OSError, match=r"symbolic links|not an ordinary file|Is a directory"):
        leases.try_gate()
    assert not (profile / "nowhere").exists()


def test_missing_folder(tmp_path: Path) -> None:
    """A profile that was never used, or was removed, has no holders."""
    assert Leases(tmp_path / "none").holders() == []
    assert not Leases(tmp_path / "none").wait_one_end()


def test_out_of_descriptors(leases: Leases, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it cannot be known who is there, nobody is not the answer."""
    lease = leases.take("test")

    def fail(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr("launcher.leases.open_plain", fail)
        with pytest.raises(OSError, match="Too many"):
            leases.holders()
    lease.release()


def test_full_disk(leases: Leases, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note that cannot be written does not cost the lease."""

    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", fail)
    lease = leases.take("test")
    assert leases.holders() == [lease.name]
    lease.release()
