"""Who is let in next: everything in order, until there are too many requests at work.

Without a limit a client that sends faster than we work, or that does not read its answers, decides
how much memory we use. But a ping has to be answered, a cancellation heard and a user's answer
delivered *because* all places are taken. So when they are, only requests wait, and the wire goes on
being read for a while. What needs no place is taken in before more of it is read, for a client that
floods us with notes would have us keep them all.

How many places there are depends on what answers have weighed of late. Whoever has a place makes an
answer, whether the client reads or not, so places times answers is what a client can make us hold.
"""

from collections import deque

from bridge.mcp.envelope import Kind, Message

IN_FLIGHT = 64  # requests being worked on, while answers are small
FIRST = 16  # the same while it has not been seen what answers weigh
_AT_LEAST = 4  # however large they are: something has to go on beside what takes long
_BEING_MADE = 8_000_000  # bytes that all of them may come to, if they are as large as those before
_FADES = 0.875  # what is left, with each answer, of how large one was
AHEAD = 256  # requests read ahead, and as many messages that need no place, and
_AHEAD_BYTES = 16_000_000  # how much they all may weigh
_UNCOUNTED = frozenset({"ping", "subscriptions/listen"})  # at once; and hours, with nothing to do


def counts(message: Message) -> bool:
    """Whether it takes one of the places."""
    return message.kind is Kind.REQUEST and message.method not in _UNCOUNTED


class Admission:
    """A queue in which some may overtake while the house is full."""

    def __init__(self) -> None:
        self._numbered = 0
        self._urgent: deque[tuple[int, Message]] = deque()
        self._requests: deque[tuple[int, Message]] = deque()
        self._weight = 0
        self._usual = _BEING_MADE / FIRST  # bytes of an answer, rather too many than too few
        self.in_flight = 0

    @property
    def full(self) -> bool:
        """No more should be read for now."""
        waiting = max(len(self._requests), len(self._urgent))
        return waiting >= AHEAD or self._weight >= _AHEAD_BYTES

    @property
    def places(self) -> int:
        """How many requests may be worked on."""
        return min(IN_FLIGHT, max(_AT_LEAST, int(_BEING_MADE / self._usual)))

    def put(self, message: Message) -> None:
        """Take note of what arrived."""
        if message.method == "notifications/cancelled" and self._forget(message):
            return
        self._numbered += 1
        self._weight += message.size
        queue = self._requests if counts(message) else self._urgent
        queue.append((self._numbered, message))

    def take(self, *, only_urgent: bool) -> Message | None:
        """The next one that may go on; a request that counts is in flight from now on."""
        waits = only_urgent or self.in_flight >= self.places or not self._requests
        if not waits and (not self._urgent or self._requests[0][0] < self._urgent[0][0]):
            message = self._requests.popleft()[1]
            self.in_flight += 1
        elif self._urgent:
            message = self._urgent.popleft()[1]
        else:
            return None
        self._weight -= message.size
        return message

    def settled(self) -> None:
        """A request that counted has been answered, or never will be."""
        self.in_flight -= 1

    def weigh(self, size: int) -> None:
        """An answer has this many bytes."""
        self._usual = max(1.0, size, self._usual * _FADES)

    def _forget(self, cancelled: Message) -> bool:
        """A request that still waits is dropped without an answer, as the protocol wants it."""
        meant = (cancelled.body.get("params") or {}).get("requestId")
        for entry in self._requests:
            if entry[1].body["id"] == meant:
                self._requests.remove(entry)
                self._weight -= entry[1].size
                return True
        return False
