"""What a tab was refused, so that an answer can say why a page is not complete."""

from collections import OrderedDict
from dataclasses import dataclass

_MOST_TABS = 200
_MOST_KINDS = 50  # host and kind, in one tab


@dataclass(frozen=True, slots=True)
class Refusal:
    """Requests of one kind to one host."""

    host: str
    kind: str  # Document, Script, Image, … as Chrome names them
    count: int
    flag: str = ""  # which would allow them, if any would


class Refusals:
    """Counts by tab, host and kind; the oldest tab and the latest kinds give way."""

    def __init__(self) -> None:
        self.total = 0
        self._tabs: OrderedDict[str, dict[tuple[str, str, str], int]] = OrderedDict()

    def note(self, tab: str, host: str, kind: str, flag: str = "") -> None:
        """One more; `tab` is a target's id, or "" where none can be named."""
        self.total += 1
        table = self._tabs.setdefault(tab, {})
        self._tabs.move_to_end(tab)
        if len(self._tabs) > _MOST_TABS:
            self._tabs.popitem(last=False)
        key = host, kind, flag
        if key in table or len(table) < _MOST_KINDS:
            table[key] = table.get(key, 0) + 1

    def take(self, tab: str) -> tuple[Refusal, ...]:
        """What was refused to this tab since it was last asked for."""
        table = self._tabs.pop(tab, {})
        return tuple(
            Refusal(host, kind, count, flag) for (host, kind, flag), count in table.items()
        )


def describe(refusals: tuple[Refusal, ...]) -> str:
    """A sentence for an answer: "3 requests to evil.test were refused"; "" if there were none."""
    hosts: dict[str, int] = {}
    for each in refusals:
        hosts[each.host] = hosts.get(each.host, 0) + each.count
    parts = [f"{count} to {host}" for host, count in sorted(hosts.items(), key=_most)]
    if not parts:
        return ""
    if len(hosts) == 1:
        [(host, count)] = hosts.items()
        return (
            f"{count} request{'s' * (count > 1)} to {host} {'were' if count > 1 else 'was'} refused"
        )
    shown = ", ".join(parts[:5]) + (
        f" and to {len(parts) - 5} more hosts" if len(parts) > 5 else ""
    )
    return f"{sum(hosts.values())} requests were refused: {shown}"


def _most(entry: tuple[str, int]) -> tuple[int, str]:
    return -entry[1], entry[0]
