"""What guests want to become of downloads, and whose each of them is.

The browser knows one answer for all tabs, and tells of every download alike: so what the guests
want is taken together, and each hears of those its own tabs have begun.
"""

from collections.abc import Iterable
from typing import Protocol

from bridge.proxy.words import Message, params_of

BEGINS = "Page.downloadWillBegin"
"""In the session of its tab, before the browser tells of it."""

_MOST = 1000  # that are under way; one that is never told to be over must not stay for ever
_OVER = ("completed", "canceled")


class Wishes(Protocol):
    """A guest, as seen from here."""

    @property
    def downloads(self) -> str | None: ...
    @property
    def download_events(self) -> bool: ...


def wanted(guests: Iterable[Wishes]) -> dict[str, object]:
    """What the browser is to do: one no outweighs whatever the others say."""
    asked = [guest for guest in guests if guest.downloads is not None]
    denied = any(guest.downloads == "deny" for guest in asked)
    events = any(guest.download_events for guest in asked)
    return {"behavior": "deny" if denied else "default", "eventsEnabled": events}


class Downloads:
    """Those under way, by guid: the tab that has begun each."""

    def __init__(self) -> None:
        self._tabs: dict[str, str] = {}

    def begin(self, message: Message, target_id: str) -> None:
        """A tab tells of one."""
        guid = params_of(message).get("guid")
        if isinstance(guid, str):
            self._tabs[guid] = target_id
            if len(self._tabs) > _MOST:
                del self._tabs[next(iter(self._tabs))]

    def tab(self, message: Message) -> str:
        """Which tab's it is that the browser tells of; "" where nobody has said."""
        params = params_of(message)
        guid = str(params.get("guid"))
        found = self._tabs.get(guid, "")
        if params.get("state") in _OVER:
            self._tabs.pop(guid, None)
        return found
