"""A tab on its way has one end for everybody who waits."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from bridge import cdp
from bridge.browser.arrival import Arrival
from bridge.errors import ChromeError


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
