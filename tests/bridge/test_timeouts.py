"""Deadlines are named by their field, and the error says which."""

from dataclasses import fields, replace

import pytest
import trio
from trio.testing import MockClock

from bridge.errors import DeadlineExceeded, PageError
from bridge.timeouts import Timeouts, deadline, standing_still


async def wait_under_deadline(timeouts: Timeouts) -> None:
    with deadline(timeouts, "navigation", "opening a page"):
        await trio.sleep_forever()


async def test_deadline(autojump_clock: MockClock) -> None:
    """A block that takes longer fails with TIMEOUT, naming operation, field and seconds."""
    begun = trio.current_time()
    with pytest.raises(DeadlineExceeded) as caught:
        await wait_under_deadline(replace(Timeouts(), navigation=7.5))
    assert trio.current_time() - begun == pytest.approx(7.5)
    error = caught.value
    assert error.code == "TIMEOUT"
    assert error.message == "opening a page took longer than 7.5 s"
    assert "go somewhere else" in error.hint
    assert error.facts == {"operation": "opening a page", "timeout": "navigation", "seconds": 7.5}


async def test_in_time(autojump_clock: MockClock) -> None:
    """A block that is done in time is left alone."""
    with deadline(Timeouts(), "close", "x") as scope:
        await trio.lowlevel.checkpoint()
    assert not scope.cancelled_caught


async def test_done_all_the_same(autojump_clock: MockClock) -> None:
    """A block that finishes although its time is up has succeeded."""
    with deadline(Timeouts(), "close", "x"):
        autojump_clock.jump(1_000)


async def test_own_error(autojump_clock: MockClock) -> None:
    """An error of the block is not replaced by the deadline's."""
    with pytest.raises(PageError), deadline(Timeouts(), "close", "x"):
        raise PageError("EVAL_THREW", "text")


async def test_outer_cancel(autojump_clock: MockClock) -> None:
    """A cancellation from outside is not taken for time running out."""
    with trio.CancelScope() as outer, deadline(Timeouts(), "close", "x"):
        outer.cancel()
        await trio.sleep_forever()
    assert outer.cancelled_caught


async def test_endless(autojump_clock: MockClock) -> None:
    """An infinite field is no deadline at all."""
    endless = replace(Timeouts(), command=float("inf"))
    with trio.move_on_after(1e6) as outer, deadline(endless, "command", "x"):
        await trio.sleep_forever()
    assert outer.cancelled_caught


async def test_standing_still(autojump_clock: MockClock) -> None:
    """Time in which a person thinks is not counted; what is left counts on, once, afterwards."""

    async def think_twice() -> None:
        with deadline(Timeouts(), "tool", "x") as limit:
            await trio.sleep(30)
            with standing_still(limit), standing_still(limit):
                await trio.sleep(1_000)
            with standing_still(None):
                await trio.sleep_forever()

    begun = trio.current_time()
    with pytest.raises(DeadlineExceeded):
        await think_twice()
    assert trio.current_time() - begun == pytest.approx(1_000 + Timeouts().tool)


async def test_standing_still_side_by_side(autojump_clock: MockClock) -> None:
    """Of two questions that overlap, time counts on after the last answer."""
    begun = trio.current_time()

    async def think(limit: trio.CancelScope, first: float, then: float) -> None:
        await trio.sleep(first)
        with standing_still(limit):
            await trio.sleep(then)

    async def ask_twice() -> None:
        with deadline(Timeouts(), "tool", "x") as limit:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(think, limit, 10, 100)
                nursery.start_soon(think, limit, 60, 1_000)
            await trio.sleep_forever()

    with pytest.raises(DeadlineExceeded):
        await ask_twice()
    assert trio.current_time() - begun == pytest.approx(1_050 + Timeouts().tool)


def test_fields() -> None:
    """Every field is a positive number of seconds."""
    timeouts = Timeouts()
    for field in fields(timeouts):
        seconds = getattr(timeouts, field.name)
        assert isinstance(seconds, float), field.name
        assert seconds > 0, field.name
