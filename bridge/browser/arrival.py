"""A tab on its way, and everybody who waits for it."""

import trio

from bridge import cdp
from bridge.browser.tab import Tab
from bridge.errors import BridgeError
from bridge.session.session import Session


class Arrival:
    """Comes to one end, a tab or an error, for all who wait."""

    def __init__(self, target_id: cdp.target.TargetID) -> None:
        self.target_id = target_id
        self._done = trio.Event()
        self._begun = trio.Event()
        self._session: Session | None = None
        self._tab: Tab | None = None
        self._error: BridgeError | None = None

    def begin(self, session: Session) -> None:
        """It is attached, and what it needs first is about to be sent."""
        self._session = session
        self._begun.set()

    def arrive(self, tab: Tab) -> None:
        """It is there, set up."""
        self._tab = tab
        self._done.set()

    def fail(self, error: BridgeError) -> None:
        """It went before it was there; where it is there already, this is no news."""
        if self._done.is_set():
            return
        self._error = error
        self._begun.set()
        self._done.set()

    async def session(self) -> Session | None:
        """Its session, as soon as there is one; None if it went before."""
        await self._begun.wait()
        return self._session

    async def wait(self) -> Tab:
        """The tab; each waiter gets an error of its own."""
        await self._done.wait()
        if self._error is not None:
            raise self._error.again()
        assert self._tab is not None
        return self._tab


async def first_visit(tab: Tab, url: str) -> None:
    """Go to the address a tab was opened for; an error names the tab where it stays.

    Where it does not, the error holds it, for whoever asks what it was refused on the way.
    """
    try:
        await tab.navigate(url)
    except BridgeError as error:
        if error.code == "NAVIGATION_FAILED":
            error.facts["went"] = tab
        else:
            error.facts["tab_id"] = tab.id
        raise
