"""Says of a page that has come whether one of our tabs opened it, and whether it stays behind.

Chrome names the opener of what `window.open`, the target of a link or a form opens, with `noopener`
as well. It names none for what a click with a modifier opens. There the page announces the address,
by the channel on which it then asks the browser, so the page that comes next with it is meant
(Chromium 156).
"""

from collections.abc import Container

import trio

from bridge import cdp
from bridge.session.session import Session

_OPENING = ("newTab", "newWindow")
_FRESH = 1.0  # from announcement to page; they come in one go unless the browser opens none


class Kinship:
    """Of one browser."""

    def __init__(self) -> None:
        self.kept: set[cdp.target.TargetID] = set()  # left open when we go
        self._announced: dict[str, float] = {}

    def listen(self, session: Session) -> None:
        """Hear what a page of ours, or a frame in it, is about to open."""
        session.mirror(cdp.page.FrameRequestedNavigation, self._requested)

    def inherits(
        self, info: cdp.target.TargetInfo, ours: Container[cdp.target.TargetID | None]
    ) -> bool:
        """Whether this page, which has just come, belongs to one of ours; asked once for each."""
        if info.opener_id is None:
            return self._was_announced(info.url)
        if info.opener_id in self.kept:
            self.kept.add(info.target_id)
        return info.opener_id in ours

    def _requested(self, event: cdp.page.FrameRequestedNavigation) -> None:
        if event.disposition in _OPENING:
            now = trio.current_time()
            self._announced = {u: at for u, at in self._announced.items() if now - at < _FRESH}
            self._announced[event.url] = now

    def _was_announced(self, url: str) -> bool:
        at = self._announced.pop(url, None)
        return at is not None and trio.current_time() - at < _FRESH
