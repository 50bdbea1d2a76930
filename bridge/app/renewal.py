"""When tokens are made anew: on SIGHUP, and that of an HTTP server once its file is gone.

The file is looked at by the clock, for no system tells of files alike. A token that cannot be
written is refused all the same: whoever asked for another one trusts the old one no more.
"""

import signal
import sys
from collections.abc import Callable, Sequence

import trio

from bridge.mcp.tokens import KeptToken
from bridge.scope import open_scope
from bridge.timeouts import Timeouts


async def renew_all(
    kept: KeptToken | None,
    renew: Callable[[str], None],
    others: Sequence[Callable[[], None]],
    timeouts: Timeouts,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Renew the token of HTTP, if it is ours to make, and whatever others there are with it."""

    def change(token: str | None = None) -> None:
        if token is not None:
            renew(token)
        for other in others:
            other()

    async with open_scope() as nursery:
        if kept is not None:
            await nursery.start(renewing, kept, change, timeouts)
        elif others:
            await nursery.start(_on_hang_up, change)
        task_status.started()
        await trio.sleep_forever()  # the scope would end them


async def renewing(
    token: KeptToken,
    renew: Callable[[str], None],
    timeouts: Timeouts,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Give `renew` the next token whenever there is one, until cancelled."""
    last = ""

    def change() -> None:
        nonlocal last
        said = f"The bearer token in {token.file} is a new one; the old one is refused."
        try:
            token.renew()
        except OSError as error:
            said = f"The bearer token is refused, and {token.file} cannot be written: {error}"
        renew(token.value)
        if said != last or not token.lost:  # not every second the same
            sys.stderr.write(f"{said}\n")
            sys.stderr.flush()
        last = said

    async with open_scope() as nursery:
        await nursery.start(_on_hang_up, change)
        task_status.started()
        while True:
            await trio.sleep(timeouts.token)
            if token.lost:
                change()


async def _on_hang_up(
    change: Callable[[], None],
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Change at each SIGHUP, which one task alone can receive.

    Not where hanging up is to be ignored (nohup), nor where there is no such signal.
    """
    if sys.platform == "win32" or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        task_status.started()
        return
    with trio.open_signal_receiver(signal.SIGHUP) as signals:
        task_status.started()
        async for _ in signals:
            change()
