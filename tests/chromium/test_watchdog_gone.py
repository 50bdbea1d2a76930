"""A killed watchdog costs nothing: whoever comes next, or we ourselves, do its work."""

import os
import signal
import sys

import pytest
import trio

from bridge.browser.lifecycle import open_lifecycle
from bridge.timeouts import Timeouts
from launcher.reaper import reap
from tests.support.by_hand import PORT, open_chromium
from tests.support.ground import Ground, ground
from tests.support.holding import open_holder
from tests.support.processes import freeze, until, wait_gone

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

__all__ = ["ground"]
pytestmark = pytest.mark.chromium


async def kill_watchdogs(ground: Ground) -> None:
    for watchdog in ground.watchdogs:
        os.kill(watchdog, signal.SIGKILL)
        await wait_gone(watchdog, 5.0)


async def make_orphan(ground: Ground) -> int:
    """A browser whose watchdog and whose only user were killed."""
    async with open_holder(ground) as holder:
        up = await holder.up()
        await kill_watchdogs(ground)
        holder.process.kill()
        await holder.process.wait()
    assert ground.browsers == [up["pid"]]
    return int(up["pid"])


@pytest.mark.parametrize("profile", ["default", "other"])
async def test_orphan(ground: Ground, profile: str) -> None:
    """The next start in the data folder, on whichever profile, ends an orphaned browser."""
    orphan = await make_orphan(ground)
    async with open_lifecycle(ground.options(profile=profile)) as lifecycle:
        browser = await lifecycle.browser()
        assert await (await browser.new_tab()).evaluate("1 + 1") == 2
        await wait_gone(orphan, 5.0)
        assert lifecycle.live is not None
        assert ground.browsers == [lifecycle.live.chrome.pid]
    await ground.assert_clean()


async def test_frozen_orphan(ground: Ground) -> None:
    """An orphan that is frozen as well is ended by the next start, within eight seconds."""
    orphan = await make_orphan(ground)
    await freeze(orphan)
    begun = trio.current_time()
    async with open_lifecycle(ground.options()) as lifecycle:
        await lifecycle.browser()
        ground.note("restart", trio.current_time() - begun)
        assert trio.current_time() - begun < 8.0
        await wait_gone(orphan, 1.0)
    await ground.assert_clean()


async def test_others_untouched(ground: Ground) -> None:
    """A search for orphans leaves browsers alone that we did not launch, however close by."""
    orphan = await make_orphan(ground)
    longer = ground.profile.with_name("default2")
    inside = ground.profile / "inside"
    async with open_chromium(longer, PORT) as first, open_chromium(inside) as second:
        await reap(ground.data, Timeouts())
        await wait_gone(orphan, 1.0)
        assert (first.returncode, second.returncode) == (None, None)
        assert sorted(ground.browsers) == sorted([first.pid, second.pid])


async def test_recycled_record(ground: Ground) -> None:
    """A record whose pid means another process by now leads to nobody's end."""
    orphan = await make_orphan(ground)
    path = ground.profile / ".chrome-bridge" / "launch.json"
    text = path.read_text()
    os.kill(orphan, signal.SIGKILL)
    await until(lambda: not ground.browsers, 5.0, "the orphan is gone")
    async with open_chromium(ground.root / "else") as other:
        path.write_text(text.replace(f'"pid": {orphan}', f'"pid": {other.pid}'))
        assert await reap(ground.data, Timeouts()) == 0
        async with open_lifecycle(ground.options()) as lifecycle:
            await lifecycle.browser()
        assert other.returncode is None


async def test_orphaned_pipe(ground: Ground) -> None:
    """On a pipe the browser ends by itself; its folder goes at the next start."""
    async with open_holder(ground, isolated=True) as holder:
        await holder.up()
        await kill_watchdogs(ground)
        holder.process.kill()
        await until(lambda: not ground.browsers, 10.0, "the browser is gone")
    await reap(ground.data, Timeouts())
    await ground.assert_clean()


@pytest.mark.parametrize("isolated", [False, True], ids=["port", "pipe"])
@pytest.mark.parametrize("how", ["stdin", "SIGTERM"])
async def test_watchdog_killed(ground: Ground, isolated: bool, how: str) -> None:
    """Without its watchdog the browser goes on, and we see it off ourselves."""
    async with open_holder(ground, isolated=isolated) as holder:
        await holder.up()
        await kill_watchdogs(ground)
        assert (await holder.ask("evaluate", expression="6 * 7"))["value"] == 42
        await holder.end(how)
        await ground.assert_clean()


async def test_watchdog_killed_shared(ground: Ground) -> None:
    """Without a watchdog the browser stays for whoever still uses it, and goes with the last."""
    async with open_holder(ground) as one, open_holder(ground) as two:
        up = await one.up()
        assert (await two.up())["pid"] == up["pid"]
        await kill_watchdogs(ground)
        await one.close_stdin()
        await one.process.wait()
        assert (await two.ask("evaluate", expression="6 * 7"))["value"] == 42
        await two.close_stdin()
        await ground.assert_clean()
