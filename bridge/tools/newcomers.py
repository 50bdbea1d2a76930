"""Tells of tabs that pages have opened since the last answer.

A timer, or what a page has fetched, opens one when the click behind it has long been answered.
"""

from collections.abc import Callable

from bridge.tools.desk import Desk
from bridge.tools.reply import address, counted

_MOST = 5  # that are named


def newcomers(desk: Desk, readable: Callable[[str], bool]) -> list[str]:
    """What the next answer has to say of them, once."""
    come = desk.take_newcomers()
    said = []
    for info, opener in come[:_MOST]:
        url = info.url or "about:blank"
        shown = address(url) if readable(url) else "(an address the policy does not show)"
        said.append(f"Note: {opener} has opened a tab: {info.id} {shown}")
    if more := len(come) - len(said):
        said.append(f"Note: {counted(more, 'more tab')} opened as well: see tabs_list.")
    return said
