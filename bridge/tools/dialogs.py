"""What is said of dialogs: of one that is in the way, and of those that were."""

from collections.abc import Callable, Iterable

from bridge.browser.tab import Tab
from bridge.errors import BridgeError
from bridge.page.leaving import Dismissed
from bridge.tools.reply import quoted
from bridge.tools.targets import ANYWHERE, WRITTEN, addresses_of

_LONGEST = 500  # characters of what a dialog says
_ANSWER = "Answer it with handle_dialog (action: accept or dismiss)"


def may_be_told(
    frame_id: str, url: str, tabs: Iterable[Tab], readable: Callable[[str], bool]
) -> bool:
    """Whether what a dialog says may be shown: that of a frame belongs to those around it, too."""
    for tab in tabs:
        frame = next((each for each in tab.frames if each.id == frame_id), None)
        if frame is not None:
            return all(map(readable, (tab.place, *addresses_of(frame))))
    return readable(ANYWHERE if not url or url.startswith(WRITTEN) else url)


def in_the_way(failure: BridgeError, tabs: Iterable[Tab], readable: Callable[[str], bool]) -> str:
    """A DIALOG_OPEN for a client: how to go on, and what the dialog says where that may be read."""
    tab_id = failure.facts.get("tab_id")
    there = f" The dialog is in the new tab, {tab_id}: name it as tabId." if tab_id else ""
    failure.hint = _way_out(failure) + there
    words, frame, url = (failure.facts.get(name) for name in ("message", "frame", "url"))
    if not isinstance(words, str) or not may_be_told(str(frame), str(url), tabs, readable):
        return failure.report()
    return f"{failure.report()}\nThe dialog says: {quoted(words, _LONGEST)}"


def _way_out(failure: BridgeError) -> str:
    if failure.facts.get("type") == "beforeunload":
        return "Answer it with handle_dialog: action accept leaves the page, dismiss stays there."
    if failure.facts.get("leaves"):
        return (
            f"{_ANSWER}; or navigate: that dismisses whatever dialogs the page opens, and leaves."
        )
    return f"{_ANSWER}, then go on."


def dismissed(those: Dismissed, tab: Tab, readable: Callable[[str], bool]) -> str:
    """What was dismissed on the way out."""
    if those.last is None:
        return ""
    several = "1 dialog of the page was" if those.count == 1 else f"{those.count} dialogs were"
    if not may_be_told(those.last.frame_id, those.last.url, [tab], readable):
        return f"Note: {several} dismissed."
    words = quoted(those.last.message, _LONGEST)
    return f"Note: {several} dismissed; {'the last' if those.count > 1 else 'it'} said {words}."
