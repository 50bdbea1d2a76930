"""What trio's own scopes lack: a nursery for factories, work that lasts as long as a block does,
and a lock that costs nothing while free.

In a nursery for factories children end with the block, and the caller's error stays itself.

A bare nursery wraps whatever leaves its block in an ExceptionGroup, so a caller's
`except PageError` around `async with open_browser()` would never match. `open_scope` cancels its
children when the block ends and lets a single exception out as it is.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import trio

from bridge.errors import BridgeError


def _sole_error(group: BaseExceptionGroup[BaseException]) -> BaseException | None:
    """The one real exception inside nested groups; None if there are several.

    The end of a browser is told to everybody who waits for it, so what is foreseen and says the
    same is one: the first of them.
    """
    _, rest = group.split(trio.Cancelled)
    if rest is None:
        return None
    first, *others = _leaves(rest)
    return first if all(_says_the_same(each, first) for each in others) else None


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            yield from _leaves(each)
        else:
            yield each


def _says_the_same(one: BaseException, other: BaseException) -> bool:
    if not (isinstance(one, BridgeError) and isinstance(other, BridgeError)):
        return False
    return (one.code, str(one)) == (other.code, str(other))


@asynccontextmanager
async def open_scope() -> AsyncIterator[trio.Nursery]:
    """A nursery whose children are cancelled at the end of the block.

    An exception of the block, or of one child, leaves unwrapped; several at once leave as a group,
    unless all are failures that say the same.
    """
    error = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            finally:
                nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        error = _sole_error(group)
        if error is None:
            raise
    if error is not None:
        raise error  # out here, where it keeps its cause and context, and the group is not one


@asynccontextmanager
async def beside(work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """`work` goes on until the block has ended, also while the block is cleaning up, cancelled.

    Whoever says goodbye still has to be heard, and answered.
    """
    scope = trio.CancelScope(shield=True)

    async def run() -> None:
        with scope:
            await work()

    async with open_scope() as nursery:
        nursery.start_soon(run)
        try:
            yield
        finally:
            scope.cancel()


@asynccontextmanager
async def held(lock: trio.Lock) -> AsyncIterator[None]:
    """The lock; taken at once where it is free, as trio's own way is to let others run first."""
    await trio.lowlevel.checkpoint_if_cancelled()
    try:
        lock.acquire_nowait()
    except trio.WouldBlock:
        await lock.acquire()
    try:
        yield
    finally:
        lock.release()
