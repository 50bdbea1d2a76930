"""Says of a page that has come whether one of our tabs opened it, and whether it stays behind.

Chrome names the opener of what `window.open`, the target of a link or a form opens, with `noopener`
as well. It names none for what a click with a modifier opens. There the page announces the address,
by the channel on which it then asks the browser, so the page that comes next with it is meant
(Chromium 156).
"""

from collections.abc import Container, Iterable
from functools import partial

import trio

from bridge import cdp
from bridge.page.course import OPENING
from bridge.session.session import Session

_FRESH = 1.0  # from announcement to page; they come in one go unless the browser opens none


class Kinship:
    """Of one browser."""

    def __init__(self) -> None:
        self.kept: set[cdp.target.TargetID] = set()  # left open when we go
        self._announced: dict[str, tuple[float, cdp.target.TargetID]] = {}
        self._openers: dict[cdp.target.TargetID, cdp.target.TargetID] = {}  # that Chrome names not

    def listen(self, session: Session, target_id: cdp.target.TargetID) -> None:
        """Hear what a page of ours, or a frame in it, is about to open."""
        session.mirror(cdp.page.FrameRequestedNavigation, partial(self._requested, target_id))

    def children(
        self, target_id: cdp.target.TargetID, pages: Iterable[cdp.target.TargetInfo]
    ) -> list[cdp.target.TargetID]:
        """Those of the pages that this one has opened, in their order."""
        opener = self._openers.get
        return [
            page.target_id
            for page in pages
            if target_id in (page.opener_id, opener(page.target_id))
        ]

    def opener(self, info: cdp.target.TargetInfo) -> cdp.target.TargetID | None:
        """The page that has opened this one, also where Chrome does not name it."""
        return info.opener_id or self._openers.get(info.target_id)

    def going(self, targets: Iterable[cdp.target.TargetID]) -> list[cdp.target.TargetID]:
        """Those of ours that are not left open."""
        return [target for target in targets if target not in self.kept]

    def forget(self, target_id: cdp.target.TargetID) -> None:
        """It is gone."""
        self.kept.discard(target_id)
        self._openers.pop(target_id, None)

    def inherits(
        self, info: cdp.target.TargetInfo, ours: Container[cdp.target.TargetID | None]
    ) -> bool:
        """Whether this page, which has just come, belongs to one of ours; asked once for each."""
        if info.opener_id is None:
            return self._was_announced(info)
        if info.opener_id in self.kept:
            self.kept.add(info.target_id)
        return info.opener_id in ours

    def _requested(
        self, target_id: cdp.target.TargetID, event: cdp.page.FrameRequestedNavigation
    ) -> None:
        if event.disposition in OPENING:
            now = trio.current_time()
            fresh = {u: told for u, told in self._announced.items() if now - told[0] < _FRESH}
            self._announced = {**fresh, event.url: (now, target_id)}

    def _was_announced(self, info: cdp.target.TargetInfo) -> bool:
        at, opener = self._announced.pop(info.url, (-_FRESH, None))
        if opener is None or trio.current_time() - at >= _FRESH:
            return False
        self._openers[info.target_id] = opener
        return True
