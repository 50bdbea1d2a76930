"""The browser there is at the moment: it may go, and be another one when the next guest comes."""

from collections.abc import Awaitable, Callable

import trio

from bridge.errors import BridgeError
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
        self._failures: list[BridgeError] = []  # the last one
        self._failed = 0

    async def board(self) -> Switchboard:
        """That of the browser there is; `dial` says how long is waited for one."""
        failed = self._failed
        async with self._turn:
            if self._board is not None and not self._board.over:
                return self._board
            if self._failed > failed:  # who has waited for that try need not wait again
                raise self._failures[0].again()
            try:
                return await self._open()
            except BridgeError as error:
                self._failed += 1
                self._failures[:] = [error]
                raise

    async def _open(self) -> Switchboard:
        transport = await self._dial()
        found: Switchboard = await self._nursery.start(run_switchboard, transport, self._timeouts)
        self._board = found
        return found
