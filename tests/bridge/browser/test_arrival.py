"""A tab on its way has one end for everybody who waits."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from bridge import cdp
from bridge.browser.arrival import Arrival
from bridge.errors import ChromeError
from tests.support.scripted_chrome import open_scripted


async def test_a_session_comes_first() -> None:
    """Whoever needs only the session has it before the tab is set up; there may be none."""
    async with open_scripted() as (_, browser):
        begun, failed = (Arrival(cdp.target.TargetID(name)) for name in "AB")
        begun.begin(browser.connection.root)
        assert await begun.session() is browser.connection.root
        failed.fail(ChromeError("TARGET_GONE", "the tab was closed"))
        assert await failed.session() is None


async def test_each_waiter_gets_an_error_of_its_own() -> None:
    """A failure is raised once for each who waits, never the same object twice."""
    arrival = Arrival(cdp.target.TargetID("A"))
    caught: list[ChromeError] = []

    async def wait() -> None:
        with pytest.raises(ChromeError) as failed:
            await arrival.wait()
        caught.append(failed.value)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        nursery.start_soon(wait)
        await wait_all_tasks_blocked()
        arrival.fail(ChromeError("TARGET_GONE", "the tab was closed"))
    assert [error.code for error in caught] == ["TARGET_GONE", "TARGET_GONE"]
    assert caught[0] is not caught[1]
