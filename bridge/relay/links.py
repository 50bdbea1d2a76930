"""The browsers that have proved who they are, and whose turn it is to speak for each.

A browser is known by its instance and one run of it by its epoch: a worker that was ended comes
back as the same one and finds its transport waiting (bridge/transport/extension.py). A second
connection of the same instance takes over, for Chrome may not have told us yet that the first is
dead.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import time

import trio

from bridge.timeouts import Timeouts
from bridge.transport.base import browser_gone
from bridge.transport.extension import ExtensionTransport, left
from bridge.transport.link import Close, Hello, Ready
from bridge.transport.websocket_server import ServerSocket

_REPLACED = "the same browser has connected again"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkInfo:
    """One browser, for status."""

    instance_id: str
    label: str
    product: str
    ext_version: str
    since: float  # seconds since 1970
    tabs: int  # shared with us
    paused: bool
    state: str  # connected, or away: its worker sleeps


class Visit:
    """One connection of a browser that has proved who it is."""

    def __init__(self, sock: ServerSocket) -> None:
        self.sock = sock
        self.scope = trio.CancelScope()
        self.arrived = False
        self.code, self.why = int(Close.GOING_AWAY), "it is over"

    def end(self, code: int, why: str) -> None:
        self.code, self.why = code, why
        self.scope.cancel()


@dataclass(slots=True, eq=False)
class Link:
    """One run of one browser, through all its visits."""

    hello: Hello
    transport: ExtensionTransport
    visit: Visit | None = None
    since: float = field(default_factory=time)

    @property
    def info(self) -> LinkInfo:
        return LinkInfo(
            instance_id=self.hello.instance_id,
            label=self.hello.label,
            product=self.hello.product,
            ext_version=self.hello.ext_version,
            since=self.since,
            tabs=len(self.transport.tabs),
            paused=self.transport.paused,
            state="connected" if self.transport.connected else "away",
        )


class Links:
    """All of them, in the order they came first."""

    def __init__(self, timeouts: Timeouts, note: Callable[[str, int], None]) -> None:
        self._timeouts = timeouts
        self._note = note
        self._links: dict[str, Link] = {}
        self._arrival = trio.Event()

    def __iter__(self) -> Iterator[Link]:
        return iter(list(self._links.values()))

    async def wait(self, label: str | None) -> ExtensionTransport:
        """The newest that is connected, or the newest of this name.

        One that is there is had also by whoever has no time left.
        """
        while True:
            for link in reversed(self._links.values()):
                if link.transport.connected and label in (None, link.hello.label):
                    await trio.lowlevel.cancel_shielded_checkpoint()
                    return link.transport
            await self._arrival.wait()

    def begin(self, sock: ServerSocket, hello: Hello) -> tuple[Link, Visit]:
        """The link this visit belongs to; a visit that is still on gives way."""
        visit = Visit(sock)
        link = self._links.get(hello.instance_id)
        if link is not None and link.visit is not None:
            link.visit.end(Close.REPLACED, _REPLACED)
            self._note(_REPLACED, Close.REPLACED)
        if link is not None and link.hello.epoch != hello.epoch:
            link.transport.finish(browser_gone("it was restarted"))
        if link is None or link.transport.over:
            self._links.pop(hello.instance_id, None)
            link = Link(hello, ExtensionTransport(self._timeouts))
            self._links[hello.instance_id] = link
        link.hello, link.visit = hello, visit
        return link, visit

    def arrive(self, link: Link, visit: Visit, ready: Ready) -> None:
        """It is at work."""
        link.transport.adopt(visit.sock, link.hello.attached, ready)
        visit.arrived = True
        self._arrival.set()
        self._arrival = trio.Event()

    def lose(self, link: Link, visit: Visit) -> bool:
        """A visit is over; True if no other has taken its place, and `miss` is to be called."""
        link.transport.lose(visit.sock)
        if link.visit is not visit:
            return False
        link.visit = None
        return True

    async def miss(self, link: Link) -> None:
        """Wait for the browser to come back; give it up in the end."""
        with trio.move_on_after(self._timeouts.reunion) as scope:
            await link.transport.wait_connected()
        if scope.cancelled_caught:
            link.transport.finish(left())
        if link.transport.over and self._links.get(link.hello.instance_id) is link:
            del self._links[link.hello.instance_id]

    def finish(self, why: str) -> None:
        """Nobody will come any more."""
        for link in self:
            link.transport.finish(browser_gone(why))
