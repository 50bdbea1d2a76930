"""Private contexts: cookies and storage of their own, in a browser that others use too."""

from collections.abc import AsyncIterator, Callable, Container, Iterable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import trio

from bridge import cdp, log
from bridge.cdp.base import Command
from bridge.errors import BridgeError
from bridge.session.session import Session

if TYPE_CHECKING:
    from bridge.browser.browser import Browser
    from bridge.browser.tab import Tab

ContextID = cdp.browser.BrowserContextID
_log = log.get("browser")


class Contexts:
    """Those we have made in a browser; they go with us."""

    def __init__(self, root: Session) -> None:
        self._root = root
        self._made: set[ContextID] = set()
        self._first: list[Callable[[ContextID], Command[Any]]] = []

    def __contains__(self, context_id: object) -> bool:
        return context_id in self._made

    def add_opening(self, command: Callable[[ContextID], Command[Any]]) -> None:
        """What each is told before it has a page."""
        self._first.append(command)

    async def make(self) -> ContextID:
        """A new one, empty; pass it to `new_tab`."""
        create = cdp.target.create_browser_context(dispose_on_detach=True)
        context_id = (await self._root.execute(create)).browser_context_id
        self._made.add(context_id)
        try:
            await self._root.execute_all(*(first(context_id) for first in self._first))
        except BaseException:
            await self.drop(context_id)
            raise
        return context_id

    async def drop(self, context_id: ContextID) -> None:
        """End it, with its tabs and all that it stored."""
        self._made.discard(context_id)
        with trio.move_on_after(self._root.connection.timeouts.close, shield=True):
            try:
                await self._root.execute(cdp.target.dispose_browser_context(context_id))
            except BridgeError as error:
                _log.debug("context went first: %s", error)

    async def drop_left(
        self,
        pages: Iterable[cdp.target.TargetInfo],
        closed: Container[cdp.target.TargetID],
    ) -> None:
        """End those of whose pages none is left when these are closed, all at once."""
        staying = {page.browser_context_id for page in pages if page.target_id not in closed}
        of_closed = {page.browser_context_id for page in pages if page.target_id in closed}
        async with trio.open_nursery() as nursery:
            for context_id in self._made & {each for each in of_closed - staying if each}:
                nursery.start_soon(self.drop, context_id)


@asynccontextmanager
async def open_context(browser: "Browser") -> AsyncIterator[ContextID]:
    """A private context until the block ends, or we do."""
    context_id = await browser.contexts.make()
    try:
        yield context_id
    finally:
        await browser.contexts.drop(context_id)


def context_of(browser: "Browser", tab: "Tab") -> ContextID | None:
    """The private context a tab is in, if it is one of ours."""
    page = browser.targets.page(tab.target_id)
    context_id = page.browser_context_id if page is not None else None
    return context_id if context_id in browser.contexts else None
