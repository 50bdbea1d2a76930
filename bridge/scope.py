"""What trio's own scopes lack: a nursery for factories, work that lasts as long as a block does,
and a lock that costs nothing while free.

In a nursery for factories children end with the block, and the caller's error stays itself.

A bare nursery wraps whatever leaves its block in an ExceptionGroup, so a caller's
`except PageError` around `async with open_browser()` would never match. `open_scope` cancels its
children when the block ends and lets a single exception out as it is.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import trio


def _sole_error(group: BaseExceptionGroup[BaseException]) -> BaseException | None:
    """The one real exception inside nested groups; None if there are several."""
    _, rest = group.split(trio.Cancelled)
    if rest is None:
        return None
    found: BaseException = rest
    while isinstance(found, BaseExceptionGroup) and len(found.exceptions) == 1:
        found = found.exceptions[0]
    return None if isinstance(found, BaseExceptionGroup) else found


@asynccontextmanager
async def open_scope() -> AsyncIterator[trio.Nursery]:
    """A nursery whose children are cancelled at the end of the block.

    An exception of the block, or of one child, leaves unwrapped; several at once leave as a group.
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
