"""Whose words stand in a page that has no address of its own.

A blank page has the origin of whoever opened it, and a script can write into it whatever it likes.
Chrome tells no more of such a page than `about:blank`, and that it has an opener.
"""

from collections.abc import Mapping

from bridge import cdp
from bridge.browser.tab import Tab
from bridge.browser.targets import Targets
from bridge.session.session import Session

_WRITTEN = "about:"  # a page, or a frame, with what another one has written
_GENERATIONS = 20  # of blank pages; they can even be made to open each other
UNKNOWN = "about:unknown"  # that opener has gone: no policy allows this


class Heritage:
    """Of the pages of one browser."""

    def __init__(
        self, root: Session, targets: Targets, tabs: Mapping[cdp.target.TargetID, Tab]
    ) -> None:
        self._targets = targets
        self._tabs = tabs
        self._openers: dict[cdp.target.TargetID, str] = {}  # where they were then
        root.mirror(cdp.target.TargetCreated, lambda event: self._appeared(event.target_info))
        root.mirror(cdp.target.TargetDestroyed, lambda event: self._vanished(event.target_id))

    def place(self, target_id: cdp.target.TargetID, url: str) -> str:
        """The address by which this page is to be judged, at `url` as it is."""
        for _ in range(_GENERATIONS):
            if url and not url.startswith("about:blank"):
                return url
            if known := self._openers.get(target_id):
                return known
            info = self._targets.page(target_id)
            if info is None or info.opener_id is None:
                return url
            target_id, url = info.opener_id, self._frame(info) or self._address(info.opener_id)
        return UNKNOWN

    def _appeared(self, info: cdp.target.TargetInfo) -> None:
        """Its opener may be elsewhere soon."""
        if info.opener_id is None:
            return
        place = self._frame(info) or self.place(info.opener_id, self._address(info.opener_id))
        if place != UNKNOWN:
            self._openers[info.target_id] = place

    def _vanished(self, target_id: cdp.target.TargetID) -> None:
        self._openers.pop(target_id, None)

    def _address(self, target_id: cdp.target.TargetID) -> str:
        page = self._targets.page(target_id)
        return UNKNOWN if page is None else page.url

    def _frame(self, info: cdp.target.TargetInfo) -> str:
        """The address of the frame that has opened it; "" if it was the page itself, or is gone."""
        tab = self._tabs.get(info.opener_id) if info.opener_id is not None else None
        frames = tab.frames if tab is not None else ()
        frame = next((each for each in frames if each.id == info.opener_frame_id), None)
        while frame is not None and frame.parent is not None:
            if not frame.url.startswith(_WRITTEN):
                return frame.url
            frame = frame.parent
        return ""
