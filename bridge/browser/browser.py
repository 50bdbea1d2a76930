"""One browser as seen by one process: its own tabs, and a list of everybody's.

Attaching is lazy: hundreds of tabs of other people cost an entry in a list. How pop-ups of our tabs
are caught depends on who else is there (docs/decisions/0003-popups.md): in a browser of our own,
every new page is paused before its first script; in a shared one nobody may pause pages of others,
so a pop-up is attached as soon as Chrome names its opener.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import trio

from bridge import cdp, log
from bridge.browser.arrival import Arrival, first_visit
from bridge.browser.contexts import ContextID, Contexts
from bridge.browser.creation import Window, create_page, tolerate
from bridge.browser.heritage import Heritage
from bridge.browser.kinship import Kinship
from bridge.browser.parting import Parting, close_those, part
from bridge.browser.spare import Spare
from bridge.browser.tab import Tab
from bridge.browser.targets import DISCOVER, FILTER, TabInfo, Targets, not_ours
from bridge.cdp.base import Command
from bridge.errors import BridgeError, ChromeError
from bridge.page.frames import follow, is_restored, reread, resume
from bridge.page.numbers import Numbers
from bridge.scope import open_scope
from bridge.session.connection import Connection
from bridge.session.session import Session
from bridge.timeouts import deadline
from bridge.transport.base import browser_gone

SetUp = Callable[[Session, str], Iterable[Command[Any]]]
"""Told a new session and what it is of (page, iframe, worker, …); gives what it needs first."""

_log = log.get("browser")


class Browser:
    """Made by `open_tabs`."""

    def __init__(self, connection: Connection, nursery: trio.Nursery, *, exclusive: bool) -> None:
        self.connection = connection
        self.kind = connection.kind
        self.targets = Targets(connection.root)
        self.exclusive = exclusive
        self.numbers = Numbers()
        self.contexts = Contexts(connection.root)
        self.product = ""
        self._nursery = nursery
        self.spare = Spare(self.targets, connection.timeouts)
        self._over = False
        self._tabs: dict[cdp.target.TargetID, Tab] = {}
        self._coming: dict[cdp.target.TargetID, Arrival] = {}
        self._kinship = Kinship()
        self._watchers: list[Callable[[Tab], None]] = []
        self._heirs: list[Callable[[str, str], None]] = []
        self._prelude: list[Command[Any]] = []
        self._setups: list[SetUp] = []
        self.partings: list[Parting] = []
        self._opening: list[Command[Any]] = []
        self.targets.on_created, self.targets.on_destroyed = self._appeared, self._vanished
        self.heritage = Heritage(connection.root, self.targets, self._tabs)
        connection.root.mirror(cdp.target.AttachedToTarget, self._attached)

    # Tabs.

    @property
    def tabs(self) -> list[Tab]:
        """Our own tabs, in the order they came."""
        return list(self._tabs.values())

    @property
    def coming(self) -> Mapping[cdp.target.TargetID, Arrival]:
        """Pages that will be tabs of ours in a moment."""
        return self._coming

    async def refresh(self) -> None:
        """Have the list of tabs as it is now; Chrome tells of a new title only with other news."""
        found = await self.connection.root.execute(cdp.target.get_targets(filter=FILTER))
        self.targets.update(found.target_infos)

    def list_tabs(self) -> list[TabInfo]:
        """Our tabs, and whatever page others have open in the browser; asks nobody."""
        return self.targets.infos(self._tabs)

    def tab(self, tab_id: str) -> Tab:
        """Our tab with this id; TAB_NOT_FOUND for somebody else's, STALE_TAB for a closed one."""
        target_id = self.targets.target_id(tab_id)
        if target_id in self._tabs:
            return self._tabs[target_id]
        raise not_ours(tab_id)

    async def new_tab(
        self,
        url: str | None = None,
        *,
        background: bool = True,
        context_id: ContextID | None = None,
        window: Window | None = None,
        keep: bool = False,
        begun: Callable[[Tab], None] | None = None,
    ) -> Tab:
        """Open a tab of our own, blank first: what is set up on it holds from the first document.

        `keep` leaves it open when we go; `begun` is told of it while blank. If `url` fails no tab
        stays; if one is not ready (TIMEOUT, DIALOG_OPEN, PAGE_CRASHED), its error's facts name it.
        """
        self._check()
        with deadline(self.connection.timeouts, "new_tab", "opening a tab"):
            usual = context_id is None and window is None
            target_id = (await self.spare.take() if usual else None) or await create_page(
                self.connection.root, self.start, background, context_id, window
            )
            with self._discarding(target_id):
                tab = await self._take(target_id)
        if begun is not None:
            begun(tab)
        if keep:
            self._kinship.kept.add(target_id)
        if url is not None:
            with self._discarding(target_id):
                await first_visit(tab, url)
        return tab

    async def take_over(self, tab_id: str, *, keep: bool = True) -> Tab:
        """Make somebody else's tab one of ours (and leave it open when we go).

        One of ours that was taken away, and is still there, is had back.
        """
        self._check()
        target_id = self.targets.target_id(tab_id)
        if keep and target_id not in self._tabs:
            self._kinship.kept.add(target_id)
        with deadline(self.connection.timeouts, "new_tab", f"attaching to {tab_id}"):
            return await self._take(target_id)

    def keeps(self, target_id: cdp.target.TargetID) -> bool:
        """Whether this tab of ours stays open when we go."""
        return target_id in self._kinship.kept

    async def release(self, tab: Tab) -> None:
        """Leave a tab open to whoever else is there; it is not ours any more."""
        self._kinship.kept.add(tab.target_id)
        self._tabs.pop(tab.target_id, None)
        leave = cdp.target.detach_from_target(session_id=cdp.target.SessionID(tab.session.key))
        await tolerate(self.connection.root.execute, leave)

    def opened_by(self, target_id: cdp.target.TargetID) -> list[cdp.target.TargetID]:
        """The pages that this page has opened and that are there, in the order they came."""
        return self._kinship.children(target_id, self.targets.pages())

    async def arrived(self, target_id: cdp.target.TargetID) -> Tab:
        """What one of our tabs has opened, as soon as it is set up."""
        self._check()
        with deadline(self.connection.timeouts, "new_tab", "attaching to a page that was opened"):
            return await self._take(target_id)

    def on_tab(self, call: Callable[[Tab], None]) -> None:
        """Be told of every tab that becomes ours, pop-ups above all."""
        self._watchers.append(call)

    def on_opened(self, call: Callable[[str, str], None]) -> None:
        """Be told, by their tab ids, of a page as soon as one of ours opens it, and by which."""
        self._heirs.append(call)

    def add_prelude(self, *commands: Command[Any]) -> None:
        """Commands for every page of ours, and every frame with a process of its own, that comes.

        Where new pages are paused for us they are carried out before the first script runs. They
        are commands rather than a callback because some paused pages answer nothing before they run
        on: whoever waited for an answer would wait for ever.
        """
        self._prelude += commands
        self.spare.waits = False  # it has missed them

    def on_session(self, call: SetUp) -> None:
        """Be told of every session of our tabs, workers included, before anything is sent to it.

        What the function returns is carried out like the prelude; a worker may refuse it.
        """
        self._setups.append(call)

    def add_opening(self, *commands: Command[Any]) -> None:
        """Commands for the browser itself, before any page is touched; none of them may fail."""
        self._opening += commands

    async def close_tab(self, tab: Tab) -> None:
        """Close a tab; returns when Chrome says that it is gone."""
        root = self.connection.root
        if self.targets.page(tab.target_id) is None:
            return
        async with self.spare.closing(self, tab.target_id):
            await part([tab], self.partings)
            with (
                root.events(cdp.target.TargetDestroyed) as gone,
                deadline(self.connection.timeouts, "new_tab", f"closing {tab.id}"),
            ):
                try:
                    await root.execute(cdp.target.close_target(tab.target_id))
                except ChromeError as error:
                    if error.code != "CDP_ERROR" or self.targets.page(tab.target_id) is not None:
                        raise
                    return
                await gone.first(lambda event: event.target_id == tab.target_id)

    # How targets become tabs.

    def _check(self) -> None:
        if self._over:
            raise (self.connection.end or browser_gone("we have left it")).again()

    @contextmanager
    def _discarding(self, target_id: cdp.target.TargetID) -> Iterator[None]:
        """Close a new tab again if its caller will never hold it."""
        try:
            yield
        except BaseException as error:
            if not (isinstance(error, BridgeError) and "tab_id" in error.facts):
                self.spare.put_away(self, target_id)
            raise

    async def _take(self, target_id: cdp.target.TargetID) -> Tab:
        """Our tab for this target, attached and set up; concurrent callers share one attempt."""
        self._check()
        tab = self._tabs.get(target_id)
        if tab is not None and tab.session.end is None:
            return tab
        coming = self._coming.get(target_id)
        if coming is None:
            coming = self._expect(target_id)
            self.start(self._fetch, coming)
        return await coming.wait()

    def start(self, work: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Work beside the pump, which goes on telling of targets when we have left."""
        if not self._over:
            self._nursery.start_soon(work, *args)

    def _expect(self, target_id: cdp.target.TargetID) -> Arrival:
        self._coming[target_id] = coming = Arrival(target_id)
        return coming

    async def _fetch(self, coming: Arrival) -> None:
        """Attach and set up, for whoever waits."""
        root = self.connection.root
        with self._ending(coming):
            answer = await root.execute(cdp.target.attach_to_target(coming.target_id, flatten=True))
            await self._begin(coming, root.attach(answer.session_id), paused=False)

    async def _welcome(self, coming: Arrival, session: Session, paused: bool) -> None:
        """The same for a page Chrome attached by itself."""
        with self._ending(coming):
            await self._begin(coming, session, paused=paused)

    @contextmanager
    def _ending(self, coming: Arrival) -> Iterator[None]:
        """Whoever waits is told, also where this was cut off: the browser went, or we left it."""
        try:
            yield
        except BridgeError as error:
            coming.fail(error)
        finally:
            self._coming.pop(coming.target_id, None)
            coming.fail(self.connection.end or browser_gone("we have left it"))

    async def _begin(self, coming: Arrival, session: Session, *, paused: bool) -> None:
        target_id = coming.target_id
        tab = Tab(self, target_id, self.targets.tab_id(target_id), session)
        self._watch_children(tab, session)
        prelude = [*self._prelude, *self._set_up(session, "page")]
        coming.begin(session)
        blank = self.targets.is_blank(target_id)
        await follow(tab.frames, session, prelude, paused, blank)
        if session.end is not None:
            raise session.end.again()
        if (before := self._tabs.get(target_id)) is not None:
            tab.worlds.succeed(before.worlds)
        self._tabs[target_id] = tab
        coming.arrive(tab)
        for call in self._watchers:
            call(tab)

    def _set_up(self, session: Session, kind: str) -> Iterator[Command[Any]]:
        for call in self._setups:
            yield from call(session, kind)

    def _watch_children(self, tab: Tab, session: Session) -> None:
        """Frames of other sites and workers, at any depth."""
        self._kinship.listen(session, tab.target_id)

        def begun(event: cdp.target.AttachedToTarget) -> None:
            child = session.attach(event.session_id)
            paused, info = event.waiting_for_debugger, event.target_info
            if info.type == "iframe":
                parent = info.parent_frame_id or info.parent_id
                tab.frames.adopt(child, info.target_id, parent, paused=paused, url=info.url)
                self._watch_children(tab, child)
                told = *self._set_up(child, info.type), *tab.emulation.standing.values()
                prelude = [*self._prelude, *told]
                self.start(tolerate, follow, tab.frames, child, prelude, paused)
            else:
                # Never waited for here: a service worker attached twice resumes only when both do.
                go_on = [cdp.runtime.run_if_waiting_for_debugger()] if paused else []
                self.start(tolerate, child.execute_all, *self._set_up(child, info.type), *go_on)

        def navigated(event: cdp.page.FrameNavigated) -> None:
            if is_restored(event):
                self.start(tolerate, reread, tab.frames, session)

        def lived(event: cdp.page.LifecycleEvent) -> None:
            if tab.frames.missed(session, event):
                self.start(tolerate, reread, tab.frames, session)

        session.mirror(cdp.target.AttachedToTarget, begun)
        session.mirror(cdp.page.FrameNavigated, navigated)
        session.mirror(cdp.page.LifecycleEvent, lived)

    # What the browser tells.

    def _attached(self, event: cdp.target.AttachedToTarget) -> None:
        """Chrome attached a page by itself (we are alone): a tab of ours from the start."""
        info = event.target_info
        session = self.connection.root.attach(event.session_id)
        known = info.target_id in self._tabs or info.target_id in self._coming
        if info.type == "page" and info.subtype is None and self.exclusive and not known:
            self._is_ours(info)
            coming = self._expect(info.target_id)
            self.start(self._welcome, coming, session, event.waiting_for_debugger)
        elif event.waiting_for_debugger:
            self.start(resume, session)

    def _appeared(self, info: cdp.target.TargetInfo) -> None:
        """A page was opened; if one of our tabs did it, it is ours as well."""
        if info.target_id not in self._coming and self._is_ours(info) and not self.exclusive:
            self.start(self._fetch, self._expect(info.target_id))

    def _is_ours(self, info: cdp.target.TargetInfo) -> bool:
        ours = self._kinship.inherits(info, {*self._tabs, *self._coming})
        if ours and (opener := self._kinship.opener(info)) is not None:
            for call in self._heirs:
                call(self.targets.tab_id(info.target_id), self.targets.tab_id(opener))
        return ours

    def _vanished(self, target_id: cdp.target.TargetID) -> None:
        self._tabs.pop(target_id, None)
        self._kinship.forget(target_id)

    # Beginning and end.

    async def begin(self, *, fresh: bool) -> None:
        """Learn what is open; pause new pages if nobody else is there to be held up.

        `fresh`: we launched this browser just now, so its one blank tab waits for us.
        """
        self.spare.waits = fresh
        pausing = cdp.target.set_auto_attach(
            auto_attach=True, wait_for_debugger_on_start=True, flatten=True, filter=FILTER
        )
        asked = [cdp.browser.get_version(), DISCOVER, *self._opening]
        results = await self.connection.root.execute_all(*asked, *[pausing][: self.exclusive])
        self.product = results[0].product

    async def leave(self, *, close_tabs: bool) -> None:
        """Close the tabs we opened; a browser that is on its way out is left alone."""
        if close_tabs and self.connection.end is None:
            await close_those(self, lambda tab_id: True, alone=self.exclusive)
        self._over = True


Prepare = Callable[[Browser], None]
"""What has to be arranged in a browser before any page of it is touched."""


@asynccontextmanager
async def open_tabs(
    connection: Connection,
    *,
    exclusive: bool,
    fresh: bool = False,
    close_tabs: bool = True,
    prepare: Prepare | None = None,
) -> AsyncIterator[Browser]:
    """Work with the tabs of this browser until the block ends; our own are closed then.

    `prepare` is called before the first page is touched: the place for preludes and watchers.
    """
    async with open_scope() as nursery:
        browser = Browser(connection, nursery, exclusive=exclusive)
        if prepare is not None:
            prepare(browser)
        await browser.begin(fresh=fresh)
        try:
            yield browser
        finally:
            await browser.leave(close_tabs=close_tabs)
