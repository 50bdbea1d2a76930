"""Leaves a page although a dialog is open there, or one after the other.

Nothing is dismissed unseen: the first time a dialog is in the way of going elsewhere, that ends in
DIALOG_OPEN. Whoever then goes elsewhere all the same has decided, and the page is made to let go.
That has to be over before the navigation begins: once Chrome is about to replace the document, it
takes no answer to the old one's dialogs any more, and a document of the same process waits for them
for ever (Chrome 156). Whether to stay, as `beforeunload` asks, is always a question.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import trio

from bridge import cdp, log
from bridge.errors import BridgeError, PageError
from bridge.page import library
from bridge.page.dialogs import Dialogs
from bridge.page.frames import Frame, Frames
from bridge.page.rescue import free
from bridge.scope import open_scope
from bridge.session.events import Subscription
from bridge.session.session import Session

_PATIENCE = 10  # dialogs of a script that may still come to its end by itself
_TRIES = 3  # ending the page's script may hit ours
_log = log.get("page")


@dataclass(slots=True)
class Dismissed:
    """Dialogs that were in the way."""

    count: int = 0
    last: cdp.page.JavascriptDialogOpening | None = None


class Leaving:
    """Of one tab."""

    def __init__(self, session: Session, frames: Frames, dialogs: Dialogs) -> None:
        self._session = session
        self._frames = frames
        self._dialogs = dialogs
        self._known: cdp.page.JavascriptDialogOpening | None = None  # somebody was told of it

    @asynccontextmanager
    async def way_out(self) -> AsyncIterator[None]:
        """The block goes elsewhere; DIALOG_OPEN the first time that a dialog is in its way.

        Its fact `leaves` says that the next time would get past it. `clear` belongs into the block.
        """
        try:
            yield
        except PageError as error:
            if error.code == "DIALOG_OPEN":
                self._known = self._dialogs.current
                error.facts["leaves"] = error.facts["type"] != "beforeunload"
            raise

    async def clear(self, dismissed: Dismissed) -> None:
        """Dismiss the dialog that is known to be open, and all that follow it; count them."""
        dialog = self._dialogs.current
        if dialog is None:
            return
        if dialog is not self._known or dialog.type == "beforeunload":
            self._dialogs.check()
        limit = trio.move_on_after(self._session.connection.timeouts.read)
        with limit, self._session.events(cdp.page.JavascriptDialogOpening) as opened:
            async with open_scope() as nursery:
                nursery.start_soon(self._dismiss, dialog, opened, dismissed, nursery)
                for session in self._sessions():
                    await _hush(session)
                for frame in [each for each in self._frames if each.parent and not each.remote]:
                    await _hush_world(frame)
        if limit.cancelled_caught:
            self._dialogs.check()  # they still come, and a navigation would wait behind them

    async def _dismiss(
        self,
        dialog: cdp.page.JavascriptDialogOpening,
        opened: Subscription[cdp.page.JavascriptDialogOpening],
        dismissed: Dismissed,
        nursery: trio.Nursery,
    ) -> None:
        while True:
            dismissed.count, dismissed.last = dismissed.count + 1, dialog
            try:
                await self._dialogs.answer(accept=False)
            except BridgeError as error:
                _log.debug("a dialog was gone before it was dismissed: %s", error.code)
            if dismissed.count == _PATIENCE:
                for session in self._sessions():
                    nursery.start_soon(free, session)
            dialog = await opened.receive()

    def _sessions(self) -> set[Session]:
        """One for each process that has a document in the page."""
        return {frame.session for frame in self._frames}


async def _hush_world(frame: Frame) -> None:
    """The same in a frame that our script cannot enter from the page, as one of no origin.

    In a world of ours, for the page's own is not known: what the frame calls stays as it is there,
    but what it has put off is taken back.
    """
    try:
        made = await frame.session.execute(cdp.page.create_isolated_world(frame.id))
    except BridgeError as error:
        _log.debug("a frame was not hushed: %s", error.code)
        return
    await _hush(frame.session, made.execution_context_id)


async def _hush(session: Session, world: cdp.runtime.ExecutionContextId | None = None) -> None:
    """Return once the page runs nothing, and opens no dialogs."""
    for _ in range(_TRIES):
        try:
            await session.execute(cdp.runtime.evaluate(library.script("hush"), context_id=world))
        except BridgeError as error:
            _log.debug("a page was not hushed: %s", error.code)
        else:
            return
