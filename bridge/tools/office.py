"""The desks of one server: each client has one, from its first call until it is gone."""

from collections.abc import Callable

from bridge.browser.choice import Choice
from bridge.tools.desk import Desk

_CLIENTS = 1_000  # no more sessions are there over HTTP, either


class Office:
    """Of one server; `furnish` makes the desk of a client."""

    def __init__(self, lifecycle: Choice, furnish: Callable[[str], Desk]) -> None:
        self.lifecycle = lifecycle
        self._furnish = furnish
        self._desks: dict[str, Desk] = {}

    def desk(self, client: str) -> Desk:
        """That of this client."""
        desk = self._desks.pop(client, None) or self._furnish(client)
        self._desks[client] = desk  # behind those that were not needed for longer
        if len(self._desks) > _CLIENTS:
            del self._desks[next(iter(self._desks))]
        return desk

    async def leave(self, client: str) -> None:
        """A client has gone, and its tabs go with it."""
        desk = self._desks.pop(client, None) or self._furnish(client)
        await desk.leave()
