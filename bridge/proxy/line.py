"""The browser there is at the moment: it may go, and be another one when the next guest comes."""

from collections.abc import Awaitable, Callable

import trio

from bridge.proxy.switchboard import Switchboard, run_switchboard
from bridge.timeouts import Timeouts
from bridge.transport.base import Transport

Dial = Callable[[], Awaitable[Transport]]
"""A transport to the browser; BridgeError where there is none."""


class Line:
    """Asked by every guest; `nursery` outlives them."""

    def __init__(self, dial: Dial, timeouts: Timeouts, nursery: trio.Nursery) -> None:
        self._dial = dial
        self._timeouts = timeouts
        self._nursery = nursery
        self._turn = trio.Lock()
        self._board: Switchboard | None = None

    async def board(self) -> Switchboard:
        """That of the browser there is; `dial` says how long is waited for one."""
        async with self._turn:
            if self._board is None or self._board.over:
                transport = await self._dial()
                self._board = await self._nursery.start(run_switchboard, transport, self._timeouts)
            return self._board
