"""The one blank tab that a browser of ours comes with: the first of our tabs, once or again.

Without a tab a window quits, and the browser with it; even one without a window forgets what it was
logged in with. So where the first address of this tab fails, it is not closed as others are, but
goes blank again and waits for the next; and the last tab is closed once another stands in for it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import trio

from bridge import cdp
from bridge.browser.creation import create_page, discard, tolerate
from bridge.browser.parting import kept_blank
from bridge.browser.targets import BLANK, Targets
from bridge.errors import ChromeError, DeadlineExceeded
from bridge.timeouts import Timeouts

if TYPE_CHECKING:
    from bridge.browser.browser import Browser
    from bridge.browser.tab import Tab


class Spare:
    """Of one browser; `waits` while it is there for whoever wants a tab."""

    def __init__(self, targets: Targets, timeouts: Timeouts) -> None:
        self.waits = False
        self._targets = targets
        self._timeouts = timeouts
        self._taken: cdp.target.TargetID | None = None
        self._going: list[cdp.target.TargetID] = []  # tabs that are being closed
        self._blank = targets.some  # set once it is there, or blank again

    async def take(self) -> cdp.target.TargetID | None:
        """The tab, if it waits and is all there is; it may come after the first answer."""
        waits, self.waits = self.waits, False
        if not waits:
            return None
        with trio.move_on_after(self._timeouts.first_tab):
            await self._blank.wait()
        pages = self._targets.pages()
        self._taken = pages[0].target_id if [info.url for info in pages] == [BLANK] else None
        return self._taken

    @asynccontextmanager
    async def closing(
        self, browser: "Browser", target_id: cdp.target.TargetID
    ) -> AsyncIterator[None]:
        """The block closes this tab; where no other stays, it has a blank one stand in before."""
        self._going.append(target_id)
        try:
            await self._stand_in(browser, target_id)
            yield
        finally:
            self._going.remove(target_id)

    async def _stand_in(self, browser: "Browser", target_id: cdp.target.TargetID) -> None:
        going = {*self._going} - {target_id}  # two that are closed at once are each other's last
        pages = [info for info in self._targets.pages() if info.target_id not in going]
        only = kept_blank([target_id], pages, browser.contexts) is not None
        if browser.kind == "extension" or not only:  # there the window is a person's
            return
        with suppress(ChromeError, DeadlineExceeded):  # then it is closed all the same
            await create_page(browser.connection.root, browser.start, True, None, None)
            self.waits = True

    def put_away(self, browser: "Browser", target_id: cdp.target.TargetID) -> None:
        """Have a new tab closed that nobody will hold; this one, if it is the only one, blank."""
        tab = next((tab for tab in browser.tabs if tab.target_id == target_id), None)
        only = kept_blank([target_id], self._targets.pages(), browser.contexts) is not None
        if tab is None or target_id != self._taken or not only:
            browser.start(discard, browser.connection.root, target_id)
            return
        self.waits, self._blank = True, trio.Event()
        browser.start(self._empty, browser, tab, self._blank)

    async def _empty(self, browser: "Browser", tab: "Tab", blank: trio.Event) -> None:
        """Until it shows nothing: an address on its way there would be lost to that."""
        await tolerate(tab.navigate, BLANK)
        await tolerate(browser.refresh)
        blank.set()
