"""The dialog a page has open, if it has one, and what must not wait behind it.

An open alert, confirm or prompt stops every script of its page: whatever is evaluated then gets no
answer before somebody closes the dialog, and neither does `terminateExecution`. So nothing here
waits for that: work in a page ends with DIALOG_OPEN the moment a dialog opens.

Chrome's question whether another program may open an address (`tel:`, `zoommtg:`) is none of the
page's: nobody is told of it, and no command answers it. It takes every press and key of its tab
and goes only with the site (Chrome 156, Linux). What can be known is that a page went to such an
address (`asking`).
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import trio

from bridge import cdp
from bridge.errors import PageError
from bridge.session.session import Session

QUESTION_HINT = "Navigate to about:blank, then go back: Chrome's question goes with the page."


class Dialogs:
    """Dialogs of one tab; `current` is the open one."""

    def __init__(self, session: Session) -> None:
        self.current: cdp.page.JavascriptDialogOpening | None = None
        self.asking = False  # Chrome may be, about an address for another program
        self._host: str | None = None
        self._session = session
        self._last: cdp.page.JavascriptDialogOpening | None = None
        self._waiting: set[trio.CancelScope] = set()
        session.mirror(cdp.page.JavascriptDialogOpening, self._opened)
        session.mirror(cdp.page.JavascriptDialogClosed, self._closed)
        session.mirror(cdp.inspector.TargetCrashed, self._closed)
        session.mirror(cdp.page.FrameRequestedNavigation, self._requested)
        session.mirror(cdp.page.FrameNavigated, self._moved)

    def check(self) -> None:
        """Raise DIALOG_OPEN while one is open."""
        if self.current is not None:
            raise _open(self.current)

    @contextmanager
    def ending(self) -> Iterator[None]:
        """The block ends with DIALOG_OPEN as soon as a dialog opens."""
        with trio.CancelScope() as scope:
            self._waiting.add(scope)
            try:
                yield
            finally:
                self._waiting.discard(scope)
        if scope.cancelled_caught:
            assert self._last is not None
            raise _open(self._last)

    async def answer(self, *, accept: bool, text: str | None = None) -> None:
        """Close the open dialog; `text` is what a prompt returns."""
        await self._session.execute(
            cdp.page.handle_java_script_dialog(accept=accept, prompt_text=text)
        )

    def _opened(self, event: cdp.page.JavascriptDialogOpening) -> None:
        self.current = self._last = event
        for scope in self._waiting:
            scope.cancel()

    def _closed(self, event: object) -> None:
        self.current = None

    def _requested(self, event: cdp.page.FrameRequestedNavigation) -> None:
        if is_for_program(event.url):
            self.asking = True

    def _moved(self, event: cdp.page.FrameNavigated) -> None:
        if event.frame.parent_id is not None:
            return
        host = urlsplit(event.frame.url).hostname
        if host != self._host:
            self._host, self.asking = host, False


_OF_BROWSERS = re.compile(
    r"(?:about|blob|chrome|chrome-extension|data|file|filesystem|https?|javascript|mailto"
    r"|view-source|web\+[^:]*):"
)


def is_for_program(url: str) -> bool:
    """Whether Chrome would ask a person if another program may open it."""
    return re.match(r"[a-z][a-z0-9+.-]*:", url) is not None and not _OF_BROWSERS.match(url)


def _open(dialog: cdp.page.JavascriptDialogOpening) -> PageError:
    return PageError(
        "DIALOG_OPEN",
        f"the page waits for an answer to its {dialog.type} dialog",
        hint="Accept or dismiss it, then go on.",
        facts={
            "type": dialog.type,
            "message": dialog.message[:1000],
            "url": dialog.url,
            "frame": dialog.frame_id,
        },
    )
