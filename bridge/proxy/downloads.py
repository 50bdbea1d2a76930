"""What guests want to become of downloads, and whose each of them is.

The browser knows one answer for all tabs, and tells of every download alike: so what the guests
want is taken together, and each hears of those its own tabs have begun.
"""

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

from bridge.proxy.words import Message, params_of

BEGINS = "Page.downloadWillBegin"
"""In the session of its tab, before the browser tells of it."""

_MOST = 1000  # that are under way; one that is never told to be over must not stay for ever
_OVER = ("completed", "canceled")


Guest = TypeVar("Guest")


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


class Downloads(Generic[Guest]):
    """Those under way, by guid: a tab may close before its download is over."""

    def __init__(self) -> None:
        self._guests: dict[str, Guest] = {}

    def begin(self, message: Message, guest: Guest) -> None:
        """A tab of this guest's tells of one."""
        guid = params_of(message).get("guid")
        if isinstance(guid, str):
            self._guests[guid] = guest
            if len(self._guests) > _MOST:
                del self._guests[next(iter(self._guests))]

    def whose(self, message: Message) -> Guest | None:
        """The guest whose download the browser tells of."""
        params = params_of(message)
        guid = str(params.get("guid"))
        found = self._guests.get(guid)
        if params.get("state") in _OVER:
            self._guests.pop(guid, None)
        return found

    def forget(self, guest: Guest) -> None:
        """It has gone."""
        for guid in [each for each, whose in self._guests.items() if whose is guest]:
            del self._guests[guid]
