"""A client's working place: its browser, its tabs, and which of them is the current one.

Tabs of others are not on it: of other processes, and over HTTP of other clients of ours. A browser
that had to be started again gets the tabs back that we had, and the next answer says so: a page
that silently is another one is the worst thing a caller can be handed.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from itertools import chain, count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import trio

from bridge import log
from bridge.browser.browser import Browser
from bridge.browser.choice import Choice
from bridge.browser.contexts import context_of
from bridge.browser.parting import close_those
from bridge.browser.tab import Tab
from bridge.browser.targets import TabInfo, not_ours
from bridge.errors import BridgeError, ChromeError, UsageError
from bridge.page.downloads import Download, Downloads
from bridge.page.quoting import address
from bridge.timeouts import Timeouts
from bridge.tools.budget import Readings
from bridge.tools.premises import NOBODY, Premises

_REOPENED = 10  # tabs that come back with a restarted browser
_log = log.get("tools")


class Desk:
    """One client's browser and tabs."""

    def __init__(
        self,
        lifecycle: Choice,
        timeouts: Timeouts,
        premises: Premises | None = None,
        client: str = NOBODY,
    ) -> None:
        self.lifecycle = lifecycle
        self.timeouts = timeouts
        self._premises = premises or Premises()
        self._client = client
        self.notes: list[str] = []  # what the next answer has to say first
        self.readings = Readings()  # what was cut, for whoever asks for the rest
        self.downloads: Downloads | None = None  # none are possible
        self.version = "?"  # of this program; those who know it are upstairs
        self.data_dir: Path | None = None  # where files may be kept for the client
        self.socket_rules: Callable[[], list[Any]] = list  # conditions that hold on every page
        self.gaps: Callable[[], Sequence[str]] = (
            tuple  # what the policy cannot hold in this browser
        )
        self._hosts: dict[str, str] = {}  # of labels that are made from it: label -> host
        self.labels: dict[str, str] = {}  # names of tabs: label -> tab id
        self._browser: Browser | None = None
        self._current: str | None = None
        self._elsewhere: WeakKeyDictionary[Browser, str | None] = WeakKeyDictionary()
        self._coming = trio.Lock()

    @property
    def tabs(self) -> list[Tab]:
        """Those of this client, in the order they came; asks and starts nothing."""
        return [] if self._browser is None else self._of(self._browser)

    def _of(self, browser: Browser) -> list[Tab]:
        return [tab for tab in browser.tabs if self.owns(tab.id)]

    def owns(self, tab_id: str) -> bool:
        """Whether this tab is the client's, and no other's of this server."""
        return self._premises.owner(tab_id) == self._client

    def check(self, tab: Tab) -> None:
        """TAB_NOT_FOUND for one that another client took over while a call waited for its turn."""
        if not self.owns(tab.id):
            raise not_ours(tab.id)

    def own(self, browser: Browser, name: str) -> Tab:
        """Its tab of this id or label; TAB_NOT_FOUND for somebody else's."""
        tab = browser.tab(self.id_of(name))
        self.check(tab)
        return tab

    @property
    def current(self) -> Tab | None:
        """The current tab as things stand."""
        return next((tab for tab in self.tabs if tab.id == self._current), None)

    def take(self, tab: Tab) -> None:
        """It is this client's from now on, whoever had it."""
        self._premises.give(tab.id, self._client)

    def select(self, tab: Tab) -> None:
        """Make it the one that calls without a tab id mean."""
        self.take(tab)
        self._current = tab.id

    def forget(self) -> None:
        """There is no current tab; the next call that needs one gets another."""
        self._current = None

    def label(self, tab: Tab, label: str) -> None:
        """Have a name mean this tab, and no other; "" takes its name away."""
        self.labels = {
            name: tab_id
            for name, tab_id in self.labels.items()
            if tab_id != tab.id and name != label
        }
        self._hosts = {name: host for name, host in self._hosts.items() if name in self.labels}
        if label:
            self.labels[label] = tab.id

    def name(self, hosts: Mapping[str, str]) -> None:
        """Label tabs, by their ids, that have no label: by their host, or host-2, host-3."""
        for label, host in list(self._hosts.items()):
            if hosts.get(self.labels.get(label, "")) != host:
                self.labels.pop(label, None)
                del self._hosts[label]
        for tab_id, host in hosts.items():
            if tab_id not in self.labels.values():
                numbers = chain([host], (f"{host}-{number}" for number in count(2)))
                label = next(each for each in numbers if each not in self.labels)
                self.labels[label], self._hosts[label] = tab_id, host

    def id_of(self, name: str) -> str:
        """The tab id that a client means by an id or a label.

        TAB_NOT_FOUND for a host's name if the tab shows another one by now.
        """
        tab_id = self.labels.get(name, name)
        tabs = self._browser.tabs if self._browser is not None and name in self._hosts else []
        shown = next((host_of(tab.url) for tab in tabs if tab.id == tab_id), self._hosts.get(name))
        if shown != self._hosts.get(name):
            raise UsageError(
                "TAB_NOT_FOUND",
                f"the tab that was listed as {name} shows another host now",
                hint=f"List the tabs again, or name it by its id, {tab_id}.",
            )
        return tab_id

    def take_notes(self) -> list[str]:
        """What there is to say first, once."""
        notes, self.notes = self.notes, []
        return notes

    def heard(self, tab_id: str) -> None:
        """The client has been told of this tab; of another's, that one has yet to be."""
        if self.owns(tab_id):
            self._premises.heard(tab_id)

    def take_newcomers(self) -> list[tuple[TabInfo, str]]:
        """Tabs that pages have opened and that the client has not heard of, with their openers."""
        come, browser = self._premises.newcomers(self._client), self._browser
        if not come or browser is None:
            return []
        for target in browser.coming:  # nobody could use it yet, and it may not be listed
            come.pop(browser.targets.tab_id(target), None)
        for tab_id in come:
            self.heard(tab_id)
        return [(info, come[info.id]) for info in browser.list_tabs() if info.id in come]

    def heard_download(self, guid: str) -> None:
        """The client has been told of it."""
        if self.downloads is not None:
            self.downloads.heard(guid)

    def unheard_downloads(self) -> list[Download]:
        """Those of the client's tabs that no answer has told of."""
        return [] if self.downloads is None else self.downloads.unheard(self.owns)

    def turn(self, tab: Tab) -> trio.Lock:
        """Held while something is done to a tab: one thing after the other, in order."""
        return self._premises.turn(tab)

    def facing(self, tab: Tab) -> AbstractAsyncContextManager[None]:
        """Have a tab drawn at full speed while something is done to it."""
        return self._premises.facing(tab, self.lifecycle)

    async def leave(self) -> None:
        """The client has gone: close its tabs, but what it took over from a person stays."""
        self._current = None
        # Before they are closed: it may come back meanwhile, and open others.
        had, browser = self._premises.forget(self._client), self._there()
        if had and browser is not None:
            with trio.move_on_after(self.timeouts.close):
                await close_those(browser, had.__contains__)

    def _there(self) -> Browser | None:
        live = self.lifecycle.live
        return live.browser if live is not None else None

    async def browser(self) -> Browser:
        """The browser, with our tabs in it, however often it had to come back."""
        browser = await self.lifecycle.browser()
        if browser is not self._browser:
            async with self._coming:
                if browser is not self._browser:
                    before, self._browser = self._browser, browser
                    self._premises.watch(browser)
                    if before is not None and before.kind != browser.kind:
                        self._change(before, browser)
                    elif before is not None:
                        await self._restore(before, browser)
        return browser

    async def tab(self, tab_id: str | None = None, *, fresh: bool = False) -> Tab:
        """The named tab, or the current one; the first call of all opens it.

        A current tab that somebody closed is said once (STALE_TAB); `fresh` opens another instead.
        """
        browser = await self.browser()
        tab = self.current if tab_id is None else self.own(browser, tab_id)
        if tab is not None:
            return tab if tab.session.end is None else await self._regain(browser, tab)
        gone, self._current = self._current, None
        if gone is not None and not fresh:
            raise self._closed(browser, gone)
        tab = await browser.new_tab(begun=self.take)
        self.select(tab)
        return tab

    async def _regain(self, browser: Browser, tab: Tab) -> Tab:
        """A tab that is there and was taken from us, by Chrome or a person at the browser."""
        why = tab.session.end.message if tab.session.end is not None else ""
        try:
            same = await browser.take_over(tab.id)
        except ChromeError as error:
            if error.code != "TARGET_GONE" or tab.id != self._current:
                raise
            self._current = None  # it is gone as well; the browser has yet to say so
            raise self._closed(browser, tab.id) from error
        self.notes.append(
            f"Note: {tab.id} had been taken away ({why}) and was taken up again; what happened in "
            "it meanwhile was not heard."
        )
        return same

    def _closed(self, browser: Browser, gone: str) -> UsageError:
        left = [tab for tab in self._of(browser) if tab.id != gone]
        others = [f"{tab.id} {address(tab.url)}" for tab in left]
        if left:
            self.select(left[-1])
            hint = f"Now current: {others[-1]}. Yours: {', '.join(others)}."
        else:
            hint = "You have no other tab; navigate opens a new one."
        over = "closed" if browser.kind != "extension" else "closed, or is not shared any more"
        if any(tab.id == gone and not self.owns(tab.id) for tab in browser.tabs):
            over = "taken over by another client of this server"
        return UsageError("STALE_TAB", f"the current tab {gone} was {over}", hint=hint)

    def _change(self, before: Browser, browser: Browser) -> None:
        """Work in another browser: nobody's logged-in page is loaded again in a strange one."""
        self._elsewhere[before] = self._current
        self._current = self._elsewhere.get(browser)
        why = f" ({self.lifecycle.why})" if self.lifecycle.why else ""
        where = "a browser over CDP" if browser.kind != "extension" else "the person's own Chrome"
        self.notes.append(
            f"Note: this is {where} now{why}. Tabs in the other one stay as they are."
        )

    async def _restore(self, before: Browser, browser: Browser) -> None:
        """Bring back what we had open, the current tab first."""
        old = sorted(self._of(before), key=lambda tab: tab.id != self._current)[:_REOPENED]
        told = {tab.id: f"{tab.id} is lost (there was no time for it)" for tab in old}
        try:
            for tab in old:
                try:
                    told[tab.id] = await self._bring_back(before, browser, tab)
                except BridgeError as error:
                    _log.info("a tab did not come back: %s", error.code)
                    told[tab.id] = f"{tab.id} is lost ({error.code})"
        finally:  # whoever gives up waiting hears of it with the next answer
            # One that was given up for hanging ends because we end it, which is no reason.
            lost = before.connection.hung or before.connection.end
            why = f" ({lost.message})" if lost is not None else ""
            again = f" Tabs: {'; '.join(told.values())}." if told else ""
            self.notes.append(f"Note: the browser was lost{why} and is back.{again}")

    async def _bring_back(self, before: Browser, browser: Browser, tab: Tab) -> str:
        was_current = tab.id == self._current
        if any(info.id == tab.id for info in browser.list_tabs()):  # only the connection was lost
            same = await browser.take_over(tab.id, keep=before.keeps(tab.target_id))
            self.take(same)
            return f"{same.id} is as it was"
        if context_of(before, tab) is not None:  # what it was logged in with has gone
            return f"{tab.id} is gone with its private window"
        blank = tab.url == "about:blank"
        new = await browser.new_tab(None if blank else tab.url, begun=self.take)
        if was_current:
            self.select(new)
        self.labels = {n: new.id if t == tab.id else t for n, t in self.labels.items()}
        return f"{tab.id} is now {new.id}, loaded again: {address(tab.url)}"


def host_of(url: str) -> str:
    """The host of an address; "" where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # it is a page's, which may write what it wants
        return ""
