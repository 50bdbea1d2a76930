"""Pages that are about to be left: a navigation has begun, and nothing has come of it yet.

From then until the new document is there, or none comes, Chrome holds back whatever is asked of the
old one (Chrome 156: all of `Runtime.*` and `DOM.*`; pictures and input pass). What was held is
carried out later, in the new document. So nothing is sent meanwhile but a question that does no
harm, whose answer says that the way is free again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

import trio

from bridge import cdp
from bridge.errors import ChromeError, DeadlineExceeded
from bridge.page.quoting import address
from bridge.session.session import Session


@dataclass(frozen=True, slots=True, eq=False)
class Departure:
    """Where to, and since when."""

    url: str
    since: float


class Departures:
    """Of one tab; a frame with a process of its own leaves by itself."""

    def __init__(self) -> None:
        self._under_way: dict[Session, Departure] = {}
        self._begun: dict[Session, Departure] = {}  # the last of each, which may be over
        self._waiting: dict[trio.CancelScope, Session] = {}

    def begin(self, session: Session, url: str) -> None:
        """What this session shows is being left for this address."""
        self._under_way = {each: d for each, d in self._under_way.items() if each.end is None}
        asked = self._waiting.values()  # and told of it in a moment
        self._begun = {s: d for s, d in self._begun.items() if s.end is None or s in asked}
        self._begun[session] = departure = Departure(url, trio.current_time())
        self._under_way[session] = departure
        self._put_off(session, _limit(session, departure))

    def end(self, session: Session) -> None:
        """The page has come, or stays."""
        self._under_way.pop(session, None)
        self._put_off(session, inf)

    async def passed(self, session: Session) -> None:
        """Return when the page can be asked; raise if what is on its way does not come in time."""
        departure = self._under_way.get(session)
        if departure is None:
            return
        grace = trio.current_time() + session.connection.timeouts.held
        with trio.move_on_at(max(_limit(session, departure), grace)) as scope:
            try:
                with self.named(session):
                    await session.execute(cdp.runtime.evaluate("0"), timeout="read")
            except ChromeError as error:
                if error.code != "CDP_ERROR":
                    raise
        if scope.cancelled_caught:
            raise _on_its_way(self._under_way.get(session, departure), retryable=True)
        if self._under_way.get(session) is departure:  # its end was not told
            self.end(session)

    @contextmanager
    def ending(self, session: Session) -> Iterator[None]:
        """A departure that begins while the block waits for the page ends it in the same time."""
        with trio.CancelScope() as scope:
            self._waiting[scope] = session
            try:
                with self.named(session):
                    yield
            finally:
                del self._waiting[scope]
        if scope.cancelled_caught:  # and it may have come to its end in that moment
            raise _on_its_way(self._begun[session])

    @contextmanager
    def named(self, session: Session) -> Iterator[None]:
        """What takes too long meanwhile is told with its reason."""
        try:
            yield
        except DeadlineExceeded as error:
            if (departure := self._under_way.get(session)) is None:
                raise
            raise _on_its_way(departure) from error

    def _put_off(self, session: Session, until: float) -> None:
        for scope, whose in self._waiting.items():
            if whose is session:
                scope.deadline = until


def _limit(session: Session, departure: Departure) -> float:
    """As long as one would wait for a page that is busy, and only once for each navigation."""
    return departure.since + session.connection.timeouts.read


def _on_its_way(departure: Departure, *, retryable: bool = False) -> DeadlineExceeded:
    seconds = trio.current_time() - departure.since
    return DeadlineExceeded(
        "TIMEOUT",
        f"the tab is on its way to {address(departure.url)}, from where nothing has come for "
        f"{seconds:.0f} s; until something does, Chrome lets nobody into the page it still shows",
        hint="Wait for it (wait_for), or navigate elsewhere, which gives it up.",
        retryable=retryable,
        facts={"going": departure.url, "timeout": "read", "seconds": seconds},
    )
