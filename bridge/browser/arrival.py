"""A tab on its way, and everybody who waits for it."""

import trio

from bridge import cdp
from bridge.browser.tab import Tab
from bridge.errors import BridgeError


class Arrival:
    """Comes to one end, a tab or an error, for all who wait."""

    def __init__(self, target_id: cdp.target.TargetID) -> None:
        self.target_id = target_id
        self._done = trio.Event()
        self._tab: Tab | None = None
        self._error: BridgeError | None = None

    def arrive(self, tab: Tab) -> None:
        """It is there, set up."""
        self._tab = tab
        self._done.set()

    def fail(self, error: BridgeError) -> None:
        """It went before it was there."""
        self._error = error
        self._done.set()

    async def wait(self) -> Tab:
        """The tab; each waiter gets an error of its own."""
        await self._done.wait()
        if self._error is not None:
            raise self._error.again()
        assert self._tab is not None
        return self._tab
