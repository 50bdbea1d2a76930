"""Requests that a page makes again and again by itself, whoever acts on it; pure.

A page that polls would keep everybody waiting who waits for what a click has fired. Chrome says of
a request where in the page's code it was made, but not why: what led there (a timer, the click) it
knows only with a debugger attached, which pages notice. So a request is a habit of its page if the
same one, but for numbers and ids, was made from the same place at several moments just before. One
that an action was found to have fired does not count as such a moment: pressing "Next" five times
in a second makes no habit of what it loads.
"""

import re
from collections import OrderedDict, deque

import msgspec

from bridge.page.exchange import Slim

FETCHES = ("XHR", "Fetch")
"""Types of requests that scripts make for data."""

_MOMENTS = 4
_APART = 0.05  # seconds between two moments: a page that loads makes many requests in one
_RECENT = 2.0  # seconds; what is rarer than every half a second gets into nobody's way
_PLACES = 50  # kinds of requests that are remembered
_LONGEST = 500  # bytes of an address or a body that are looked at
_WORD = re.compile(r"[\w-]+")
_DIGIT = re.compile(r"\d")


class _What(Slim):
    url: str = ""
    method: str = ""
    post_data: str = ""


class Fetch(Slim):
    """What is looked at of a request that starts."""

    type: str = ""
    timestamp: float = 0.0
    request: _What = msgspec.field(default_factory=_What)
    initiator: msgspec.Raw = msgspec.Raw()


class Habits:
    """Of one tab."""

    def __init__(self) -> None:
        self._moments: OrderedDict[int, deque[float]] = OrderedDict()

    def has(self, fetch: Fetch) -> bool:
        """Whether the page would have made this request anyhow."""
        moments = self._moments.get(_kind(fetch))
        if moments is None or len(moments) < _MOMENTS:
            return False
        return fetch.timestamp - moments[0] <= _RECENT

    def note(self, fetch: Fetch) -> None:
        """The page has made this one by itself."""
        kind = _kind(fetch)
        moments = self._moments.setdefault(kind, deque(maxlen=_MOMENTS))
        if not moments or fetch.timestamp - moments[-1] >= _APART:
            moments.append(fetch.timestamp)
            self._moments.move_to_end(kind)
        if len(self._moments) > _PLACES:
            self._moments.popitem(last=False)


def _kind(fetch: Fetch) -> int:
    what = fetch.request
    texts = (_WORD.sub(_constant, text[:_LONGEST]) for text in (what.url, what.post_data))
    return hash((what.method, *texts, bytes(fetch.initiator)))


def _constant(word: re.Match[str]) -> str:
    """Nothing for a word that is another one each time."""
    return "" if _DIGIT.search(word[0]) else word[0]
