"""What Chrome has open: a mirror of its targets, and the tab ids made from them.

A tab id is the beginning of Chrome's own random target id and nothing else, so it means the same
tab in every process that shares the browser and says so when its tab is gone. It can never come to
mean another tab: should two targets begin alike, the later one gets a longer id.
"""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

import trio

from bridge import cdp
from bridge.errors import UsageError
from bridge.session.session import Session

_LENGTHS = (8, 16, 32)  # of 32 hex digits; two alike among 1,000 tabs: once in 8,600 browsers
_ID = re.compile(r"t(?:[0-9a-f]{8}|[0-9a-f]{16}|[0-9a-f]{32})")
_REMEMBERED = 1_000  # ids of tabs that are gone

FILTER = [
    cdp.target.FilterEntry(type="browser", exclude=True),
    cdp.target.FilterEntry(type="tab", exclude=True),
    cdp.target.FilterEntry(type="browser_ui", exclude=True),  # pop-ups of the address bar
    cdp.target.FilterEntry(),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TabInfo:
    """One line of the tab list."""

    id: str
    target_id: cdp.target.TargetID
    url: str
    title: str
    own: bool  # opened by this process, or taken over by it
    context_id: cdp.browser.BrowserContextID | None


DISCOVER = cdp.target.set_discover_targets(discover=True, filter=FILTER)
"""Be told of all targets; attaches to none."""

BLANK = "about:blank"
_LISTED = ("http:", "https:", "file:")


def is_listed(info: cdp.target.TargetInfo) -> bool:
    """Whether somebody else's page belongs into a list of tabs.

    Blank pages, Chrome's own (chrome:, devtools:) and those of extensions do not: there is nothing
    to read there, and nothing of them is for us to take over.
    """
    return info.url.startswith(_LISTED)


def not_ours(tab_id: str) -> UsageError:
    """The error for a tab that is there, and not one of ours."""
    return UsageError(
        "TAB_NOT_FOUND",
        f"the tab {tab_id} belongs to somebody else",
        hint="Open a tab of your own, or take this one over explicitly.",
    )


class Targets:
    """Pages that exist, in the order they came."""

    def __init__(self, root: Session) -> None:
        self._pages: dict[cdp.target.TargetID, cdp.target.TargetInfo] = {}
        self._named: dict[str, cdp.target.TargetID] = {}
        self.on_created: Callable[[cdp.target.TargetInfo], None] = lambda info: None
        self.on_destroyed: Callable[[cdp.target.TargetID], None] = lambda target_id: None
        self.some = trio.Event()  # there is a page, or was one
        root.mirror(cdp.target.TargetCreated, lambda event: self._created(event.target_info))
        root.mirror(cdp.target.TargetInfoChanged, lambda event: self._changed(event.target_info))
        root.mirror(cdp.target.TargetDestroyed, lambda event: self._destroyed(event.target_id))

    def pages(self) -> list[cdp.target.TargetInfo]:
        """All pages a person would call a tab."""
        return list(self._pages.values())

    def infos(self, own: Container[cdp.target.TargetID]) -> list[TabInfo]:
        """Our own tabs, and whatever page of others may be told of."""
        return [
            TabInfo(
                id=self.tab_id(info.target_id),
                target_id=info.target_id,
                url=info.url,
                title=info.title,
                own=info.target_id in own,
                context_id=info.browser_context_id,
            )
            for info in self.pages()
            if info.target_id in own or is_listed(info)
        ]

    def page(self, target_id: cdp.target.TargetID) -> cdp.target.TargetInfo | None:
        return self._pages.get(target_id)

    def update(self, infos: Iterable[cdp.target.TargetInfo]) -> None:
        """Take over addresses and titles of pages that are known."""
        for info in infos:
            if info.target_id in self._pages:
                self._pages[info.target_id] = info

    def is_blank(self, target_id: cdp.target.TargetID) -> bool:
        """Whether the page shows nothing yet, and so has no frames."""
        info = self._pages.get(target_id)
        return info is not None and info.url == BLANK

    def tab_id(self, target_id: cdp.target.TargetID) -> str:
        """The short id of a target."""
        for length in _LENGTHS:
            name = f"t{target_id[:length].lower()}"
            if self._named.setdefault(name, target_id) == target_id:
                return name
        raise AssertionError("two targets share an id")

    def target_id(self, tab_id: str) -> cdp.target.TargetID:
        """The target a tab id means; STALE_TAB if it is gone, TAB_NOT_FOUND if it is no id."""
        found = self._named.get(tab_id)
        if found is not None and found in self._pages:
            return found
        if not _ID.fullmatch(tab_id):
            raise UsageError(
                "TAB_NOT_FOUND",
                f"{tab_id[:100]!r} is not the id of a tab",
                hint="List the tabs; ids look like t1a2b3c4d.",
            )
        known = "does not exist in this browser" if found is None else "was closed"
        raise UsageError(
            "STALE_TAB",
            f"the tab {tab_id} {known}",
            hint="List the tabs again; a restarted browser has new ones.",
        )

    def _created(self, info: cdp.target.TargetInfo) -> None:
        if info.type == "page" and info.subtype is None:  # subtype: prerendered, not shown yet
            self._pages[info.target_id] = info
            self.tab_id(info.target_id)
            self.some.set()
            self.on_created(info)

    def _changed(self, info: cdp.target.TargetInfo) -> None:
        if info.target_id in self._pages:
            self._pages[info.target_id] = info
        else:
            self._created(info)

    def _destroyed(self, target_id: cdp.target.TargetID) -> None:
        if self._pages.pop(target_id, None) is None:
            return
        self.on_destroyed(target_id)
        if len(self._named) > len(self._pages) + _REMEMBERED:
            gone = (name for name, target in self._named.items() if target not in self._pages)
            del self._named[next(gone)]
