"""What the desks of one server have in common: whose tab is whose, and which one is in front.

Over stdio there is one client, and every tab of the process is its own. Over HTTP each client has
the tabs it opened, those that their pages opened, and those it took over; nobody else's.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary, WeakSet

import trio

from bridge.browser.browser import Browser
from bridge.browser.choice import Choice
from bridge.browser.creation import tolerate
from bridge.browser.tab import Tab

NOBODY = ""
"""Whose the tabs are that no client has opened; the one client of a pipe is called so, too."""
_TABS = 10_000  # that are remembered, most of them closed long ago


class Premises:
    """Of one server."""

    def __init__(self) -> None:
        self._owners: dict[str, str] = {}  # by tab id
        self._newcomers: dict[str, str] = {}  # tab id -> its opener's; no answer has told of them
        self._watched: WeakSet[Browser] = WeakSet()
        self._turns: WeakKeyDictionary[Tab, trio.Lock] = WeakKeyDictionary()
        self._front: Tab | None = None  # the tab that was brought there last
        self._at_front = 0  # calls that are being carried out in it

    def owner(self, tab_id: str) -> str:
        """The client whose tab this is."""
        return self._owners.get(tab_id, NOBODY)

    def give(self, tab_id: str, client: str) -> None:
        """It is this client's from now on."""
        self._owners.pop(tab_id, None)
        if client != NOBODY:
            self._owners[tab_id] = client
        if len(self._owners) > _TABS:
            del self._owners[next(iter(self._owners))]

    def forget(self, client: str) -> set[str]:
        """It has gone; gives what it had, which is nobody's from now on."""
        had = {tab for tab, owner in self._owners.items() if owner == client}
        self._owners = {tab: owner for tab, owner in self._owners.items() if owner != client}
        return had

    def watch(self, browser: Browser) -> None:
        """Have what the tabs of a client open be that client's, from the moment it is there."""
        if browser not in self._watched:
            self._watched.add(browser)
            browser.on_opened(self._inherit)

    def _inherit(self, tab_id: str, opener: str) -> None:
        self.give(tab_id, self.owner(opener))
        self._newcomers[tab_id] = opener
        if len(self._newcomers) > _TABS:
            del self._newcomers[next(iter(self._newcomers))]

    def newcomers(self, client: str) -> dict[str, str]:
        """Tabs that tabs of this client have opened and it has not heard of, and by which."""
        return {tab: by for tab, by in self._newcomers.items() if self.owner(tab) == client}

    def heard(self, tab_id: str) -> None:
        """Its client knows of it."""
        self._newcomers.pop(tab_id, None)

    def turn(self, tab: Tab) -> trio.Lock:
        """Held while something is done to a tab: one thing after the other, in order."""
        return self._turns.setdefault(tab, trio.Lock())

    @asynccontextmanager
    async def facing(self, tab: Tab, lifecycle: Choice) -> AsyncIterator[None]:
        """Have a tab drawn at full speed, where nobody sees which one is in front.

        Without windows Chrome draws the tab that was shown last. Another one, once the mouse has
        moved in it, is drawn once a second, and a drag in it takes five. While something is done
        to the tab in front, it stays there: of calls in many tabs at once each would take it from
        the other, which costs 13 ms each time. Where there are windows, tabs stay where they are:
        nothing is brought before a person's eyes.
        """
        live = lifecycle.live
        if live is None or not live.chrome.headless or len(live.browser.targets.pages()) < 2:
            yield
            return
        if not self._at_front:
            self._front = tab
        ours = self._front is tab
        self._at_front += ours
        try:
            if ours and self._at_front == 1:
                await tolerate(tab.bring_to_front)
            yield
        finally:
            self._at_front -= ours
