"""What Chrome has open: a mirror of its targets, and the tab ids made from them.

A tab id is made from Chrome's own random target id and nothing else, so it means the same tab in
every process that shares the browser, can never come to mean another one, and says so when its tab
is gone.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bridge import cdp
from bridge.errors import UsageError
from bridge.session.session import Session

_PREFIX = "t"
_LENGTH = 8  # of 32 hex digits; two equal ones among 1,000 tabs: one in 8,600
_REMEMBERED = 10_000

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


class Targets:
    """Pages that exist, in the order they came."""

    def __init__(self, root: Session) -> None:
        self._pages: dict[cdp.target.TargetID, cdp.target.TargetInfo] = {}
        self._gone: dict[str, None] = {}
        self.on_created: Callable[[cdp.target.TargetInfo], None] = lambda info: None
        self.on_destroyed: Callable[[cdp.target.TargetID], None] = lambda target_id: None
        self._root = root
        root.mirror(cdp.target.TargetCreated, lambda event: self._created(event.target_info))
        root.mirror(cdp.target.TargetInfoChanged, lambda event: self._changed(event.target_info))
        root.mirror(cdp.target.TargetDestroyed, lambda event: self._destroyed(event.target_id))

    async def discover(self) -> None:
        """Learn of all targets and follow them; attaches to none."""
        await self._root.execute(cdp.target.set_discover_targets(discover=True, filter=FILTER))

    def pages(self) -> list[cdp.target.TargetInfo]:
        """All pages a person would call a tab."""
        return list(self._pages.values())

    def page(self, target_id: cdp.target.TargetID) -> cdp.target.TargetInfo | None:
        return self._pages.get(target_id)

    def tab_id(self, target_id: str) -> str:
        """The short id of a target."""
        return f"{_PREFIX}{target_id[:_LENGTH].lower()}"

    def target_id(self, tab_id: str) -> cdp.target.TargetID:
        """The target a tab id means; STALE_TAB if it is gone, BAD_ARGS if it is none."""
        found = [target for target in self._pages if self.tab_id(target) == tab_id]
        if len(found) == 1:
            return found[0]
        if not tab_id.startswith(_PREFIX) or len(tab_id) != _LENGTH + len(_PREFIX):
            raise UsageError(
                "TAB_NOT_FOUND",
                f"{tab_id!r} is not the id of a tab",
                hint="List the tabs; ids look like t1a2b3c4d.",
            )
        known = "was closed" if tab_id in self._gone else "does not exist in this browser"
        raise UsageError(
            "STALE_TAB",
            f"the tab {tab_id} {known}",
            hint="List the tabs again; a restarted browser has new ones.",
        )

    def _created(self, info: cdp.target.TargetInfo) -> None:
        if info.type == "page" and info.subtype is None:  # subtype: prerendered, not shown yet
            self._pages[info.target_id] = info
            self.on_created(info)

    def _changed(self, info: cdp.target.TargetInfo) -> None:
        if info.target_id in self._pages:
            self._pages[info.target_id] = info
        else:
            self._created(info)

    def _destroyed(self, target_id: cdp.target.TargetID) -> None:
        if self._pages.pop(target_id, None) is not None:
            self._gone[self.tab_id(target_id)] = None
            if len(self._gone) > _REMEMBERED:
                del self._gone[next(iter(self._gone))]
            self.on_destroyed(target_id)
