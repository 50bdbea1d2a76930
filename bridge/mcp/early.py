"""Calls that come before the SDK is there, of clients whose user cannot be asked.

A script connects and calls at once, and the SDK's import, which takes 0.3 s of a processor, would
stand in the way of its first call twice: before it, and beside the browser that starts for it. So a
plain call is made from here, and the import waits until none is running. Whatever is more than
plain (a token for progress, say) is the SDK's, like everything once it is there; tests hold the
answers to the SDK's own.
"""

import math
from collections.abc import Mapping
from typing import Any

import trio

from bridge.mcp.cards import told
from bridge.mcp.envelope import Kind, Message, reply
from bridge.mcp.wire import Wire
from bridge.tools.answer import Door, Question

_CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'


class Early:
    """The early calls of one client."""

    def __init__(self, wire: Wire, nursery: trio.Nursery) -> None:
        self._wire = wire
        self._nursery = nursery
        self._running: list[tuple[object, trio.CancelScope]] = []  # an id may be used twice
        self._news = trio.lowlevel.ParkingLot()
        self._over = False

    def take(self, message: Message, door: Door, client: "Plain | None") -> bool:
        """Whether this was for us: a plain call, or the end of one."""
        if message.method == "notifications/cancelled":
            return self.cancel(message)
        if client is None or not _is_plain_call(message):
            return False
        call = message.body["id"], trio.CancelScope()
        self._running.append(call)
        self._nursery.start_soon(self._answer, message, door, client, call)
        self._news.unpark_all()
        return True

    def cancel(self, message: Message) -> bool:
        """Whether it takes back a call of ours, which then gets no answer."""
        found = (message.body.get("params") or {}).get("requestId")
        scopes = [scope for number, scope in self._running if number == found]
        for scope in scopes:
            scope.cancel()
        return bool(scopes)

    def close(self) -> None:
        """The SDK is wanted: no more calls here, and nothing to wait for."""
        self._over = True
        self._news.unpark_all()

    async def rest(self, seconds: float) -> None:
        """Until no call has been running for so long, or no more will come."""
        while not self._over:
            with trio.move_on_after(math.inf if self._running else seconds):
                await self._news.park()
                continue
            return

    async def _answer(
        self,
        message: Message,
        door: Door,
        client: "Plain",
        call: tuple[object, trio.CancelScope],
    ) -> None:
        params = message.body["params"]
        try:
            with call[1]:
                answer = await door.call(params["name"], params.get("arguments") or {}, client)
                with trio.CancelScope(shield=True):  # it is done, so it has to be said
                    await self._wire.send(reply(message, told(answer)))
        except trio.BrokenResourceError:  # the client is gone
            return
        finally:
            self._running.remove(call)
            self._wire.settled()
            self._news.unpark_all()


class Plain:
    """A client as the door sees it: nobody to ask, and no interest in progress."""

    can_ask = False

    def __init__(self, wire: Wire, name: str) -> None:
        self._wire = wire
        self.name = name

    async def progress(self, done: float, total: float | None, message: str) -> None:
        """Nobody wants to know."""
        await trio.lowlevel.checkpoint()

    async def ask(self, question: Question) -> str | None:
        """There is nobody to ask."""
        await trio.lowlevel.checkpoint()
        return None

    async def tools_changed(self) -> None:
        """Tell it to list the tools again."""
        await self._wire.send(_CHANGED)


def _is_plain_call(message: Message) -> bool:
    params: Mapping[str, Any] = message.body.get("params") or {}
    return (
        message.kind is Kind.REQUEST
        and message.method == "tools/call"
        and set(params) - {"arguments"} == {"name"}
        and isinstance(params["name"], str)
        and isinstance(params.get("arguments"), dict | None)
    )
