"""What has to be read again after events were lost, as only the link to the extension loses some.

Its worker may die, and events come faster than they can be sent. What tabs there are, and what
frames they have, is mirrored from events; everything else is asked for when it is needed.
"""

from typing import ClassVar

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.browser.creation import tolerate
from bridge.cdp.base import Event
from bridge.page.frames import BLANK, reread


class Gap(Event, frozen=True):
    """Events were lost; no word of CDP, so it is tapped rather than decoded."""

    METHOD: ClassVar[str] = "Bridge.gap"


def follow_gaps(browser: Browser) -> None:
    """Read again whenever the link, or an address, says that something was missed."""

    def read_again() -> None:
        browser.start(tolerate, browser.refresh)
        for tab in browser.tabs:  # each by itself: one may be gone, or answer nothing for long
            browser.start(tolerate, reread, tab.frames, tab.session)

    def shows(event: cdp.target.TargetInfoChanged) -> None:
        """A page that changes its process just as it is attached to may tell nothing of it."""
        info = event.target_info
        for tab in browser.tabs if info.url not in ("", BLANK) else ():
            if tab.target_id == info.target_id and tab.url in ("", BLANK):
                browser.start(tolerate, reread, tab.frames, tab.session)

    browser.connection.root.tap(Gap, lambda event: read_again())
    browser.connection.root.mirror(cdp.target.TargetInfoChanged, shows)
