"""Many processes, one profile, one browser."""

import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
import trio

from bridge.browser.lifecycle import open_lifecycle
from bridge.errors import LaunchError
from tests.support.ground import Ground, ground
from tests.support.holding import Holder, open_holder
from tests.support.rounds import FULL

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

__all__ = ["ground"]
pytestmark = pytest.mark.chromium


@asynccontextmanager
async def open_holders(
    ground: Ground, count: int, **options: Any
) -> AsyncIterator[Sequence[Holder]]:
    """So many processes, all started in the same instant."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(open_holder(ground, **options)) for _ in range(count)
        ]


@pytest.mark.parametrize("count", [2, 20])
async def test_at_once(ground: Ground, count: int) -> None:
    """However many come, half of them in one instant: one browser, everybody up with a tab."""
    async with open_holders(ground, count // 2) as early:
        ups = [await early[0].up()]
        async with open_holders(ground, count - count // 2) as late:
            holders = [*early, *late]
            ups += [await holder.up() for holder in holders[1:]]
            assert [up for up in ups if up["event"] != "up"] == []
            assert len({up["pid"] for up in ups}) == 1
            assert len({up["tab"] for up in ups}) == count
            assert ground.browsers == [ups[0]["pid"]]
            for number, holder in enumerate(holders):
                assert (await holder.ask("evaluate", expression=f"{number}"))["value"] == number
            for holder in holders:
                holder.process.kill()
            await ground.assert_clean(within=5.0)


@pytest.mark.parametrize("count", [20 if FULL else 6])
async def test_isolated_at_once(ground: Ground, count: int) -> None:
    """Isolated sessions that start at once do not sweep away each other's folders."""
    async with open_holders(ground, count, isolated=True) as holders:
        ups = [await holder.up() for holder in holders]
        assert [up for up in ups if up["event"] != "up"] == []
        assert len({up["pid"] for up in ups}) == count
        for holder in holders:
            await holder.close_stdin()
        await ground.assert_clean()


@pytest.mark.parametrize("how", ["stdin", "SIGKILL"])
async def test_owner_ends(ground: Ground, how: str) -> None:
    """Whoever launched it may go first: the browser goes with the last one, not with the first."""
    async with open_holder(ground) as first:
        pid = (await first.up())["pid"]
        async with open_holder(ground) as second, open_holder(ground) as third:
            await second.up()
            await third.up()
            for leaver, stayer in ((first, second), (second, third)):
                await leaver.end(how)
                await leaver.process.wait()
                assert (await stayer.ask("evaluate", expression="6 * 7"))["value"] == 42
                assert ground.browsers == [pid]
            await third.end(how)
            await ground.assert_clean()


async def test_shared_loss(ground: Ground) -> None:
    """When a shared browser is killed, all of its users come to one and the same new one."""
    async with open_holders(ground, 3) as holders:
        pids = {(await holder.up())["pid"] for holder in holders}
        assert len(pids) == 1
        os.kill(pids.pop(), 9)
        tries = [await holder.tell("browser") for holder in holders]
        again = [await h.answer(number) for h, number in zip(holders, tries, strict=True)]
        for i, (holder, facts) in enumerate(zip(holders, again, strict=True)):
            if facts.get("error") == "BROWSER_GONE":  # its call was quicker than the news
                again[i] = await holder.ask("browser")
        assert len({facts["pid"] for facts in again}) == 1
        assert ground.browsers == [again[0]["pid"]]
        for holder in holders:
            await holder.close_stdin()
        await ground.assert_clean()


async def test_headless_mismatch(ground: Ground) -> None:
    """A window is refused where a headless browser runs; no preference takes what runs."""
    async with open_holder(ground) as holder:
        pid = (await holder.up())["pid"]
        with pytest.raises(LaunchError, match=r"headless.*window") as caught:
            async with open_lifecycle(ground.options(headless=False)) as lifecycle:
                await lifecycle.browser()
        assert caught.value.code == "PROFILE_LOCKED"
        async with open_lifecycle(ground.options(headless=None)) as lifecycle:
            await lifecycle.browser()
            assert lifecycle.live is not None
            assert lifecycle.live.chrome.pid == pid
        assert (await holder.ask("evaluate", expression="1"))["value"] == 1
        await holder.close_stdin()
        await ground.assert_clean()


async def test_fixed_port(ground: Ground) -> None:
    """A free port can be asked for; one that is taken is refused at once, by name."""
    with trio.socket.socket() as probe:
        await probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with open_lifecycle(ground.options(port=port)) as lifecycle:
        await lifecycle.browser()
        assert lifecycle.live is not None
        assert f":{port}/" in lifecycle.live.chrome.url
        begun = trio.current_time()
        with pytest.raises(LaunchError, match=str(port)) as caught:
            async with open_lifecycle(ground.options(port=port, profile="other")) as second:
                await second.browser()
        assert caught.value.code == "LAUNCH_FAILED"
        assert trio.current_time() - begun < 5.0
        async with open_lifecycle(ground.options(port=port)) as same:  # attaches to what runs
            await same.browser()
    await ground.assert_clean()
