"""A nursery for factories: what starts in the block ends with it, and errors stay themselves."""

from collections.abc import Awaitable, Callable

import pytest
import trio

from bridge.errors import ChromeError, PageError
from bridge.scope import beside, held, open_scope


async def run(act: Callable[[trio.Nursery], Awaitable[None]]) -> None:
    async with open_scope() as nursery:
        await act(nursery)


async def fail(error: BaseException) -> None:
    raise error


async def fail_when_cancelled(error: Exception) -> None:
    try:
        await trio.sleep_forever()
    finally:
        raise error


async def test_children_end() -> None:
    """Children are cancelled when the block ends."""
    ended = False

    async def child() -> None:
        nonlocal ended
        try:
            await trio.sleep_forever()
        finally:
            ended = True

    async with open_scope() as nursery:
        nursery.start_soon(child)
        await trio.testing.wait_all_tasks_blocked()
    assert ended


async def test_error_of_block() -> None:
    """An error of the block leaves as the very same object, with cause and context untouched."""
    cause, context = OSError("cause"), KeyError("context")
    error = PageError("EVAL_THREW", "text")

    async def act(nursery: trio.Nursery) -> None:
        nursery.start_soon(trio.sleep_forever)
        try:
            raise context
        except KeyError:
            raise error from cause

    with pytest.raises(PageError) as caught:
        await run(act)
    assert caught.value is error
    assert (error.__cause__, error.__context__) == (cause, context)


async def test_context_without_cause() -> None:
    """An error that was raised while handling another still shows which."""
    error = PageError("EVAL_THREW", "text")

    async def act(nursery: trio.Nursery) -> None:
        try:
            raise KeyError("context")
        except KeyError:
            await fail(error)

    with pytest.raises(PageError):
        await run(act)
    assert isinstance(error.__context__, KeyError)
    assert not error.__suppress_context__


async def test_error_of_child() -> None:
    """An error of a child cancels the block and leaves as itself, out of nested nurseries too."""
    error = PageError("EVAL_THREW", "text")

    async def act(nursery: trio.Nursery) -> None:
        async with trio.open_nursery() as inner:
            inner.start_soon(fail, error)
            await trio.sleep_forever()

    with pytest.raises(PageError) as caught:
        await run(act)
    assert caught.value is error


async def test_several_errors() -> None:
    """Two errors at once leave as a group: neither is hidden."""

    async def act(nursery: trio.Nursery) -> None:
        nursery.start_soon(fail_when_cancelled, ValueError("child"))
        await trio.testing.wait_all_tasks_blocked()
        raise KeyError("block")

    with pytest.raises(ExceptionGroup) as caught:
        await run(act)
    assert caught.group_contains(ValueError)
    assert caught.group_contains(KeyError)


@pytest.mark.parametrize(("words", "alone"), [("gone", True), ("busy", False)])
async def test_one_failure_told_twice(words: str, alone: bool) -> None:
    """What several are told at once, as the end of a browser is, leaves as one failure."""
    first = ChromeError("BROWSER_GONE", "gone")

    async def act(nursery: trio.Nursery) -> None:
        async with open_scope() as inner:
            inner.start_soon(fail_when_cancelled, ChromeError("BROWSER_GONE", words))
            await trio.testing.wait_all_tasks_blocked()
            raise first

    with pytest.raises(ChromeError if alone else ExceptionGroup) as caught:
        await run(act)
    assert not alone or str(caught.value) == "gone"


async def test_error_among_cancelled() -> None:
    """One real error among tasks that an outer scope cancels at the same time leaves alone."""
    with trio.CancelScope() as outer:

        async def act(nursery: trio.Nursery) -> None:
            nursery.start_soon(trio.sleep_forever)
            nursery.start_soon(fail_when_cancelled, PageError("EVAL_THREW", "text"))
            await trio.testing.wait_all_tasks_blocked()
            outer.cancel()
            await trio.sleep_forever()

        with pytest.raises(PageError):
            await run(act)


async def test_outer_cancel() -> None:
    """A cancellation from outside passes through to its own scope."""
    with trio.CancelScope() as outer:
        async with open_scope() as nursery:
            nursery.start_soon(trio.sleep_forever)
            outer.cancel()
            await trio.sleep_forever()
    assert outer.cancelled_caught


async def test_interrupt() -> None:
    """An interrupt of the user leaves as itself."""
    with pytest.raises(KeyboardInterrupt):
        await run(lambda nursery: fail(KeyboardInterrupt()))


async def test_free_lock() -> None:
    """A lock nobody has is taken before anybody else gets a turn, and given back."""
    lock, others = trio.Lock(), False

    async def other() -> None:
        nonlocal others
        others = True

    async with open_scope() as nursery:
        nursery.start_soon(other)
        async with held(lock):
            assert lock.locked()
            assert not others
        assert not lock.locked()


async def test_taken_lock() -> None:
    """One that somebody has is waited for, in order, and a wait can be cut short."""
    lock, order = trio.Lock(), list[int]()

    async def work(number: int) -> None:
        async with held(lock):
            order.append(number)
            await trio.testing.wait_all_tasks_blocked()

    async with open_scope() as nursery:
        await lock.acquire()
        for number in range(3):
            nursery.start_soon(work, number)
            await trio.testing.wait_all_tasks_blocked()
        with trio.CancelScope() as scope:
            scope.cancel()
            await work(3)
        lock.release()
        await trio.testing.wait_all_tasks_blocked(0.01)
    assert order == [0, 1, 2]


async def test_beside_a_cancelled_block() -> None:
    """Work beside a block is at its side while that is cancelled, and ends with it."""
    heard: list[str] = []
    said = trio.Event()

    async def listen() -> None:
        try:
            await said.wait()
            heard.append("goodbye")
            await trio.sleep_forever()
        finally:
            heard.append("end")

    with trio.move_on_after(0):
        async with beside(listen):
            try:
                await trio.sleep_forever()
            finally:
                said.set()
                with trio.CancelScope(shield=True):
                    await trio.testing.wait_all_tasks_blocked()
                heard.append("left")
    assert heard == ["goodbye", "left", "end"]


async def test_beside_fails() -> None:
    """An error of the work leaves the block as itself."""
    error = PageError("EVAL_THREW", "text")
    with pytest.raises(PageError) as caught:
        async with beside(lambda: fail(error)):
            await trio.sleep_forever()
    assert caught.value is error
