"""Tells of tabs that pages have opened since the last answer, and of downloads they have begun.

A timer, or what a page has fetched, does so when the click behind it has long been answered; and a
tab that was opened for a file is closed by Chrome when the file comes.
"""

from collections.abc import Callable

from bridge.page.downloads import Download, State
from bridge.page.quoting import quoted
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


def downloads_begun(desk: Desk, readable: Callable[[str], bool]) -> list[str]:
    """What the next answer has to say of those no answer has told of, once."""
    begun = desk.unheard_downloads()
    for each in begun:
        desk.heard_download(each.guid)
    said = [_begun(each, readable) for each in begun[:_MOST]]
    if more := len(begun) - len(said):
        said.append(f"Note: {counted(more, 'more download')} began: see downloads (toolset page).")
    return said


def _begun(download: Download, readable: Callable[[str], bool]) -> str:
    """Its name is a word of whoever sent it."""
    who, named = download.tab_id or "a tab", "a file"
    if readable(download.url):
        named = quoted(download.name)
    if download.state is State.REFUSED:
        return f"Note: {who} wanted to download {named}: the policy does not allow it."
    return (
        f"Note: {who} has begun to download {named}. Its path is told by downloads (toolset page)."
    )
