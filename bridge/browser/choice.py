"""Which browser a call gets: a person's own behind the extension, or one over CDP.

It is chosen at every call and for that call alone: the extension where it is preferred and answers,
else CDP where that is allowed. What is under way stays where it is. Two browsers may be held at the
same time; neither is let go because the other was chosen, for its tabs are somebody's work.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bridge import log
from bridge.browser.lifecycle import Lifecycle, Live, State
from bridge.errors import BridgeError, ChromeError

if TYPE_CHECKING:
    from bridge.browser.browser import Browser

_log = log.get("browser")
_ABSENT = ("EXTENSION_DISCONNECTED", "BROWSER_GONE", "BROWSER_HUNG")


class Choice:
    """One client's browsers; with `linked` alone there is nothing to fall back to."""

    def __init__(
        self,
        *,
        linked: Lifecycle | None = None,
        cdp: Lifecycle | None = None,
        links: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._linked = linked
        self._links = links  # what there is to say of the link
        self._cdp = cdp
        self._latest = linked or cdp
        self.why = ""  # the extension is preferred and was not used

    @property
    def kind(self) -> str:
        """The way that was chosen last: extension or cdp."""
        return "extension" if self._latest is self._linked is not None else "cdp"

    @property
    def live(self) -> Live | None:
        """The browser that was chosen last, if it is there; starts nothing."""
        return None if self._latest is None else self._latest.live

    @property
    def state(self) -> State:
        return State.IDLE if self._latest is None else self._latest.state

    @property
    def lost(self) -> BridgeError | None:
        """How the last one ended that was lost."""
        return None if self._latest is None else self._latest.lost

    def describe(self) -> list[str]:
        """Which way was chosen and why, for status; nothing where there is only CDP."""
        if self._linked is None:
            return []
        why = (
            f", for {self.why}" if self.why else ", as preferred" if self.live else " is preferred"
        )
        return [f"backend: {self.kind}{why}", *self._links()]

    async def browser(self) -> "Browser":
        """The browser for this call."""
        if self._linked is not None:
            try:
                browser = await self._linked.browser()
            except BridgeError as error:
                self._absent(error)
            else:
                self._choose(self._linked, "")
                return browser
        if self._cdp is None:
            raise ChromeError("NO_BACKEND", "there is no way to a browser")
        browser = await self._cdp.browser()
        self._choose(self._cdp, self.why)
        return browser

    def expect(self) -> None:
        """Somebody will want a browser in a moment."""
        first = self._linked or self._cdp
        if first is not None:
            first.expect()

    def _absent(self, error: BridgeError) -> None:
        """The extension is not there: go on without it, or say so."""
        if error.code not in _ABSENT or self._cdp is None:
            raise error
        self.why = error.message

    def _choose(self, chosen: Lifecycle, why: str) -> None:
        if chosen is not self._latest:
            _log.info("%s", log.facts(backend="cdp" if chosen is self._cdp else "extension"))
        self._latest, self.why = chosen, why
