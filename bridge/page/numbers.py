"""The numbers of refs, shared by all tabs of a browser: a ref of one tab is unknown in another.

A number is given out in the page, which is told where to begin and tells how far it came. So two
tabs that are asked at the same time begin far apart: nobody waits for another tab. Elements of
frames are counted by themselves; it is the number of the frame that no other tab has.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_APART = 10_000  # more than an answer gives out; the largest page of our tests has 6,000
_REMEMBERED = 1_000  # series of numbers whose tab is known


@dataclass(slots=True, eq=False)
class Series:
    """Numbers from `first` on, for one tab; `after` is the first one it did not use."""

    tab_id: str
    first: int
    after: int


class Numbers:
    """Of one browser."""

    def __init__(self) -> None:
        self._next = 1
        self._open: list[Series] = []
        self._given: deque[Series] = deque(maxlen=_REMEMBERED)
        self._frames: list[str] = []  # tabs, by the number of the frame

    @contextmanager
    def series(self, tab_id: str, least: int) -> Iterator[Series]:
        """Numbers nobody has, not below `least`; what was used of them is set in `after`."""
        others = [each.first + _APART for each in self._open if each.tab_id != tab_id]
        first = max(self._next, least, *others)
        series = Series(tab_id, first, first)
        self._open.append(series)
        try:
            yield series
        finally:
            self._open.remove(series)
            if series.after > first:
                self._next = max(self._next, series.after)
                self._remember(series)

    def frame(self, tab_id: str) -> int:
        """A number for a frame of this tab."""
        self._frames.append(tab_id)
        return len(self._frames)

    def tab_of(self, frame: int, number: int) -> str:
        """Whose ref it is, as far as that is known; `frame` is 0 for the page itself."""
        if frame:
            return self._frames[frame - 1] if frame <= len(self._frames) else ""
        holding = (each for each in reversed(self._given) if each.first <= number < each.after)
        return next((each.tab_id for each in holding), "")

    def _remember(self, series: Series) -> None:
        last = self._given[-1] if self._given else None
        if last is not None and (last.tab_id, last.after) == (series.tab_id, series.first):
            last.after = series.after
        else:
            self._given.append(series)
