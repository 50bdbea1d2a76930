"""How many calls the owner allows in a minute. There is no limit unless one is set."""

from collections import deque

WINDOW = 60.0
"""Seconds."""


class Rate:
    """Counts calls as they begin; 0 stands for any number of them."""

    def __init__(self, most: int = 0) -> None:
        self.most = most
        self._begun: deque[float] = deque(maxlen=most)

    def wait(self, now: float) -> float:
        """Seconds until another call may begin; one that may begin at once is counted."""
        if self.most and len(self._begun) == self.most:
            left = WINDOW - (now - self._begun[0])
            if left > 0:
                return left
        self._begun.append(now)
        return 0.0

    def take_back(self, begun: float) -> None:
        """The call that was counted at this time has not begun after all."""
        if begun in self._begun:
            self._begun.remove(begun)
