"""Which processes of a test are alive, and what ended ones have left on the disk.

A test keeps everything in one fresh folder. Its path is the mark: processes inherit it in TMPDIR
(watchdogs and Chrome's crash handlers), Chrome hands it to every helper in `--user-data-dir`. A
helper rewrites its environment, a crash handler names no profile, so both places are searched.
"""

import math
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio

from launcher import memory
from launcher.leases import STATE
from launcher.process import is_frozen

if sys.platform != "linux":
    pytest.skip("reads /proc", allow_module_level=True)

_TURN = 0.002  # a file that appears and a command line that changes have no event
_TRACES = ("SingletonLock", "SingletonSocket", "SingletonCookie", "DevToolsActivePort")


@dataclass(frozen=True, slots=True)
class Seen:
    """A live process."""

    pid: int
    arguments: tuple[str, ...]

    @property
    def is_browser(self) -> bool:
        """Chrome itself: none of its helpers, and not our watchdog either."""
        helper = any(a.startswith("--type=") for a in self.arguments)
        return not helper and any(a.startswith("--user-data-dir=") for a in self.arguments)

    @property
    def is_watchdog(self) -> bool:
        return any("launcher.job" in argument for argument in self.arguments)


def marked(mark: str) -> list[Seen]:
    """Everything alive with this mark; zombies have neither arguments nor environment."""
    return [seen for seen in _all() if _has(seen, mark)]


def browsers(mark: str) -> list[int]:
    """Pids of the browsers among them; a child that one has just forked still looks the same."""
    found = [seen.pid for seen in marked(mark) if seen.is_browser]
    return [pid for pid in found if _parent(pid) not in found]


def watchdogs(mark: str) -> list[int]:
    """Pids of our watchdogs among them."""
    return [seen.pid for seen in marked(mark) if seen.is_watchdog]


async def until(condition: Callable[[], object], within: float, what: str) -> None:
    """Return once the condition holds; fail the test if it takes longer."""
    with trio.move_on_after(within):
        while not condition():  # noqa: ASYNC110 -- see _TURN
            await trio.sleep(_TURN)
        return
    pytest.fail(f"after {within:g} s still not: {what}")


async def wait_gone(pid: int, within: float) -> None:
    """Return once no process has this pid any more, or only a zombie."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        with trio.move_on_after(within) as limit:
            await trio.lowlevel.wait_readable(fd)
    finally:
        os.close(fd)
    assert not limit.cancelled_caught, f"process {pid} still lives after {within:g} s"


async def freeze(leader: int) -> None:
    """Stop this process and its group; the signal is sent long before a busy machine obeys it."""
    os.killpg(leader, signal.SIGSTOP)
    await until(lambda: is_frozen(leader), 5.0, f"process {leader} has stopped")


async def assert_nothing_left(root: Path, *, within: float) -> float:
    """Fail unless all processes and traces of this test go in time; how long it took."""
    begun = trio.current_time()
    with trio.move_on_after(within):
        await all_gone(str(root))
        while traces(root):  # noqa: ASYNC110 -- see _TURN
            await trio.sleep(_TURN)
    left = [f"{seen.pid} {' '.join(seen.arguments)[:200]}" for seen in marked(str(root))]
    left += traces(root)
    assert not left, f"left after {within:g} s: {left}"
    return trio.current_time() - begun


async def all_gone(mark: str) -> None:
    """Return once nothing with this mark is alive."""
    while left := marked(mark):
        await wait_gone(left[0].pid, math.inf)


def traces(root: Path) -> list[str]:
    """What no ended browser of ours may leave: locks, ports, records, leases, temporary folders."""
    found = [*(root / "t").iterdir(), *(root / "d" / "isolated").glob("*")]
    for profile in (root / "d" / "profiles").glob("*"):
        found += [profile / name for name in _TRACES if os.path.lexists(profile / name)]
        found += [*(profile / STATE / "leases").glob("*"), *(profile / STATE).glob("launch.*")]
    left = [str(path.relative_to(root)) for path in found]
    return sorted([*left, *map(str, _in_memory(root))])


def _in_memory(root: Path) -> list[Path]:
    """Folders of throwaway profiles of this test, wherever these are by now."""
    owners = [(each, each / memory.OWNER) for each in Path("/dev/shm").glob("chrome-bridge-*")]
    return [each for each, link in owners if link.is_symlink() and root in link.readlink().parents]


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _has(seen: Seen, mark: str) -> bool:
    if any(mark in argument for argument in seen.arguments):
        return True
    try:
        return mark.encode() in Path(f"/proc/{seen.pid}/environ").read_bytes()
    except OSError:
        return False


def _all() -> Iterator[Seen]:
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            try:
                line = Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
            yield Seen(int(name), tuple(os.fsdecode(line).split("\0")))
