"""What a tab shows that is no page of a site: Chrome's error page, a PDF, a picture, a film.

Chrome wraps each of them in a page of its own making, which says nothing of what it is: a caller
who reads it would take it for an empty page, or the refusal to act on it for the policy's.
"""

from collections.abc import Callable

from bridge.browser.tab import Tab
from bridge.errors import PageError
from bridge.tools.reply import address

_KINDS = {  # by the beginning of their type; what is drawn in XML is read like a page
    "application/pdf": "a PDF: download_file keeps it, screenshot shows it when its viewer is up",
    "image/": "an image: screenshot shows it, download_file keeps it",
    "video/": "a video: download_file keeps it, screenshot shows its player",
    "audio/": "a sound: download_file keeps it",
}
_DRAWING = "image/svg+xml"
_NEXT = "navigate, back or reload"


def remark(tab: Tab, readable: Callable[[str], bool]) -> str:
    """What it is and how to go on; "" for a page, and for text."""
    main = tab.frames.main
    if main.unreachable:
        return f"This is {shown(tab, readable)}. Next: {_NEXT}."
    if main.mime == _DRAWING:
        return ""
    kind = next((each for start, each in _KINDS.items() if main.mime.startswith(start)), "")
    return f"The tab shows {kind}." if kind else ""


def check_page(tab: Tab, readable: Callable[[str], bool]) -> None:
    """NAVIGATION_FAILED where there is nothing to act on but Chrome's error page."""
    if tab.frames.main.unreachable:
        raise PageError(
            "NAVIGATION_FAILED", f"the tab shows {shown(tab, readable)}", hint=f"Use {_NEXT}."
        )


def shown(tab: Tab, readable: Callable[[str], bool]) -> str:
    """Where a tab is, as far as that may be said."""
    failed = tab.frames.main.unreachable
    url = failed or tab.url
    where = address(url) if readable(url) else "(an address the policy does not show)"
    return f"Chrome's error page for {where}" if failed else where
