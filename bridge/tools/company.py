"""Clients of one server share its tabs; one who comes to a tab where another was at work is told.

A page that silently is another one is the worst thing a caller can be handed.
"""

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from bridge.browser.tab import Tab

_CLIENTS = 1_000  # that are remembered for a tab


@dataclass(slots=True)
class _Visits:
    """What was done in a tab, counted."""

    last: str = ""  # who did it
    done: int = 0
    seen: dict[str, int] = field(default_factory=dict)  # by client: how much of it is known there


class Company:
    """Who has worked in which tab."""

    def __init__(self) -> None:
        self._visits: WeakKeyDictionary[Tab, _Visits] = WeakKeyDictionary()

    def come(self, client: str, tab: Tab, *, acts: bool) -> str:
        """Take note of a call in a tab; what its caller has to be told of others, if anything."""
        visits = self._visits.setdefault(tab, _Visits())
        met = visits.last != client and visits.done > visits.seen.pop(client, 0)
        if acts:
            visits.last, visits.done = client, visits.done + 1
        visits.seen[client] = visits.done
        if len(visits.seen) > _CLIENTS:
            del visits.seen[next(iter(visits.seen))]
        if not met:
            return ""
        return (
            f"Note: another client of this server was the last to work in {tab.id}. "
            "tab_new opens a tab of your own; name it as tabId."
        )
