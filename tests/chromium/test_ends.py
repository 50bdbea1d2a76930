"""However we end, and whatever Chrome is doing then, nothing of ours is left."""

import os
import signal
import sys

import pytest

from bridge.timeouts import Timeouts
from launcher.leases import STATE
from launcher.reaper import reap
from tests.support.ground import Ground, ground
from tests.support.holding import command, open_holder, open_process
from tests.support.processes import freeze, until
from tests.support.rounds import ROUNDS, some

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

__all__ = ["ground"]
pytestmark = pytest.mark.chromium

SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")
ENDS = ("stdin", *SIGNALS)
TRANSPORTS = ("port", "pipe")
STAGES = ("hello", "lease", "watchdog", "chrome", "lock", "page")


def profiles(ground: Ground, transport: str) -> list[str]:
    folder = ground.data / ("isolated" if transport == "pipe" else "profiles")
    return [str(path) for path in folder.glob("*")]


def leases(ground: Ground, transport: str) -> list[str]:
    found = []
    for profile in profiles(ground, transport):
        folder = os.path.join(profile, STATE, "leases")
        found += os.listdir(folder) if os.path.isdir(folder) else []
    return found


async def reach(ground: Ground, transport: str, stage: str) -> None:
    """Wait for a moment in the life of a start."""
    signs = {
        "hello": lambda: True,
        "lease": lambda: leases(ground, transport),
        "watchdog": lambda: ground.watchdogs,
        "chrome": lambda: ground.browsers,
        "lock": lambda: [
            p for p in profiles(ground, transport) if os.path.islink(f"{p}/SingletonLock")
        ],
        "page": lambda: [p for p in profiles(ground, transport) if os.path.exists(f"{p}/Default")],
    }
    await until(signs[stage], 15.0, f"the start has come to the {stage}")


async def assert_swept(ground: Ground) -> None:
    """Nothing runs; what lies about is swept by the next start in this data folder."""
    await until(lambda: not ground.browsers + ground.watchdogs, 10.0, "all processes are gone")
    await reap(ground.data, Timeouts())
    await ground.assert_clean()


@pytest.mark.parametrize(("stage", "how", "transport"), some(STAGES, ENDS, TRANSPORTS, every=7))
async def test_while_starting(ground: Ground, stage: str, how: str, transport: str) -> None:
    """Ended at any moment of a start, we leave no process; at most a folder for the next start."""
    async with open_holder(ground, isolated=transport == "pipe") as holder:
        await holder.hear("hello")
        await reach(ground, transport, stage)
        await holder.end(how)
        await holder.process.wait()
        if how == "SIGKILL":
            await assert_swept(ground)
        await ground.assert_clean()


@pytest.mark.parametrize(("how", "transport"), some(ENDS, TRANSPORTS, every=1))
async def test_idle(ground: Ground, how: str, transport: str) -> None:
    """Ended while the browser is idle, we leave nothing."""
    async with open_holder(ground, isolated=transport == "pipe") as holder:
        await holder.up()
        await holder.end(how)
        await ground.assert_clean()
        assert await holder.process.wait() == (-signal.SIGKILL if how == "SIGKILL" else 0)


@pytest.mark.parametrize(("how", "transport"), some(ENDS, TRANSPORTS, every=3))
async def test_mid_call(ground: Ground, how: str, transport: str) -> None:
    """Ended in the middle of a call that would take for ever, we leave nothing."""
    async with open_holder(ground, isolated=transport == "pipe") as holder:
        await holder.up()
        await holder.tell("hang")
        await holder.hear("hanging")
        await holder.end(how)
        await ground.assert_clean()


@pytest.mark.parametrize(("how", "transport"), some(ENDS, TRANSPORTS, every=3))
async def test_degraded(ground: Ground, how: str, transport: str) -> None:
    """Ended after the browser was lost and before it came back, we leave nothing."""
    async with open_holder(ground, isolated=transport == "pipe") as holder:
        up = await holder.up()
        os.kill(up["pid"], signal.SIGKILL)
        await until(lambda: not ground.browsers, 5.0, "the browser is gone")
        await holder.end(how)
        await ground.assert_clean()


@pytest.mark.parametrize(("how", "transport"), some(SIGNALS, TRANSPORTS, every=3))
async def test_closing(ground: Ground, how: str, transport: str) -> None:
    """Ended once more while we are ending already, we leave nothing."""
    async with open_holder(ground, isolated=transport == "pipe") as holder:
        await holder.up()
        await holder.close_stdin()
        await until(lambda: not leases(ground, transport), 10.0, "the lease is given back")
        if holder.process.returncode is None:
            holder.process.send_signal(signal.Signals[how])
        await ground.assert_clean()


@pytest.mark.parametrize(
    ("how", "transport"), some(("SIGKILL", "SIGTERM", "stdin"), TRANSPORTS, every=2)
)
async def test_frozen(ground: Ground, how: str, transport: str) -> None:
    """With every process of the browser stopped, ten seconds are enough all the same."""
    async with open_holder(ground, isolated=transport == "pipe") as holder:
        up = await holder.up()
        await freeze(up["pid"])
        await holder.end(how)
        await ground.assert_clean()


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_wrapper_killed(ground: Ground, transport: str) -> None:
    """A killed wrapper ends us although our stdin stays open."""
    run = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    holder = command(ground, isolated=transport == "pipe")
    async with open_process([sys.executable, "-c", run, *holder]) as wrapper:
        await wrapper.up()
        wrapper.process.kill()
        await ground.assert_clean()


@pytest.mark.timeout(60 + 10 * ROUNDS)
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_again_and_again(ground: Ground, transport: str) -> None:
    """Killed over and over, we leave nothing, and every start works."""
    for _ in range(ROUNDS):
        async with open_holder(ground, isolated=transport == "pipe") as holder:
            assert (await holder.up())["event"] == "up"
            holder.process.kill()
            await ground.assert_clean(within=5.0)
