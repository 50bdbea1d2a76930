"""The dialog a page has open, if it has one, and what must not wait behind it.

An open alert, confirm or prompt stops every script of its page: whatever is evaluated then gets no
answer before somebody closes the dialog, and neither does `terminateExecution`. So nothing here
waits for that: work in a page ends with DIALOG_OPEN the moment a dialog opens.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import trio

from bridge import cdp
from bridge.errors import PageError
from bridge.session.session import Session


class Dialogs:
    """Dialogs of one tab; `current` is the open one."""

    def __init__(self, session: Session) -> None:
        self.current: cdp.page.JavascriptDialogOpening | None = None
        self._session = session
        self._last: cdp.page.JavascriptDialogOpening | None = None
        self._waiting: set[trio.CancelScope] = set()
        session.mirror(cdp.page.JavascriptDialogOpening, self._opened)
        session.mirror(cdp.page.JavascriptDialogClosed, self._closed)
        session.mirror(cdp.inspector.TargetCrashed, self._closed)

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


def _open(dialog: cdp.page.JavascriptDialogOpening) -> PageError:
    return PageError(
        "DIALOG_OPEN",
        f"the page waits for an answer to its {dialog.type} dialog",
        hint="Accept or dismiss it, then go on.",
        facts={"type": dialog.type, "message": dialog.message[:1000], "url": dialog.url},
    )
