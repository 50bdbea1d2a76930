"""How a command of ours ends: by its work, by a signal, or because its parent is gone.

A wrapper (npx, uvx, a shell) can be killed and leave our pipes open, so the end of a stream is not
enough to know that nobody wants us any more.
"""

import signal
import sys
from collections.abc import Awaitable, Callable

import trio

from bridge.scope import open_scope
from launcher import process


async def until_ended(work: Callable[[], Awaitable[None]]) -> str:
    """Do the work, or until a signal or the end of our parent; then its blocks close in order.

    Returns what ended it, empty if the work did. A second signal finds what was there
    before.
    """
    why = ""
    async with open_scope() as nursery:
        started = trio.Event()

        async def listen() -> None:
            nonlocal why
            why = await ended(started)
            nursery.cancel_scope.cancel()

        nursery.start_soon(listen)
        await started.wait()
        await work()
    return why


async def ended(listening: trio.Event) -> str:
    """Wait for SIGTERM, SIGINT, SIGHUP, or for the process that started us to be gone."""
    numbers = [signal.SIGTERM, signal.SIGINT]
    detached = False
    if sys.platform != "win32":
        detached = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN  # nohup: outlive the parent
        numbers += [] if detached else [signal.SIGHUP]
    first = ""
    starter = process.identify_parent()
    with trio.open_signal_receiver(*numbers) as signals:
        async with trio.open_nursery() as nursery:

            async def parent() -> None:
                nonlocal first
                await process.wait_parent_gone(starter)
                first = first or "parent gone"
                nursery.cancel_scope.cancel()

            if not detached:
                nursery.start_soon(parent)
            listening.set()
            async for number in signals:
                first = first or signal.Signals(number).name
                nursery.cancel_scope.cancel()
                break
    return first
