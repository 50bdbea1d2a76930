"""Calls without the SDK, of clients whose user cannot be asked.

A script connects and calls at once, and the SDK's import, which takes 0.3 s of a processor and
38 MB, would stand in the way of its first call twice: before it, and beside the browser that starts
for it. A plain call needs nothing of the SDK, so it is made from here, and the SDK is imported when
a client says something that is more than plain; tests hold the answers to the SDK's own.
"""

from collections.abc import Mapping
from typing import Any

import trio

from bridge.mcp.cards import told
from bridge.mcp.envelope import Kind, Message, notification, reply
from bridge.mcp.wire import Wire
from bridge.tools.answer import Door, Question


class Early:
    """The early calls of one client."""

    def __init__(self, wire: Wire, nursery: trio.Nursery) -> None:
        self._wire = wire
        self._nursery = nursery
        self._running: list[tuple[object, trio.CancelScope]] = []  # an id may be used twice

    def take(self, message: Message, door: Door, client: "Plain | None") -> bool:
        """Whether this was for us: a plain call, or the end of one."""
        if message.method == "notifications/cancelled":
            return self.cancel(message)
        if client is None or not _is_plain_call(message):
            return False
        call = message.body["id"], trio.CancelScope()
        self._running.append(call)
        caller = client.of_call(message.body["params"])
        self._nursery.start_soon(self._answer, message, door, caller, call)
        return True

    def cancel(self, message: Message) -> bool:
        """Whether it takes back a call of ours, which then gets no answer."""
        found = (message.body.get("params") or {}).get("requestId")
        scopes = [scope for number, scope in self._running if number == found]
        for scope in scopes:
            scope.cancel()
        return bool(scopes)

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


class Plain:
    """A client as the door sees it: nobody to ask, and progress to whoever gave a token for it."""

    can_ask = False

    def __init__(self, wire: Wire, name: str, token: str | int | None = None) -> None:
        self._wire = wire
        self.name = name
        self._token = token

    def of_call(self, params: Mapping[str, Any]) -> "Plain":
        """The client behind a call with these parameters."""
        return Plain(self._wire, self.name, (params.get("_meta") or {}).get("progressToken"))

    async def progress(self, done: float, total: float | None, message: str) -> None:
        """Tell how far the call is, if the client wants to know."""
        if self._token is None:
            await trio.lowlevel.checkpoint()
            return
        said: dict[str, Any] = {"progressToken": self._token, "progress": done, "message": message}
        if total is not None:
            said["total"] = total
        await self._wire.send(notification("notifications/progress", said))

    async def ask(self, question: Question) -> str | None:
        """There is nobody to ask."""
        await trio.lowlevel.checkpoint()
        return None

    async def tools_changed(self) -> None:
        """Tell it to list the tools again."""
        await self._wire.send(notification("notifications/tools/list_changed"))


def _is_plain_call(message: Message) -> bool:
    params: Mapping[str, Any] = message.body.get("params") or {}
    return (
        message.kind is Kind.REQUEST
        and message.method == "tools/call"
        and set(params) - {"arguments", "_meta"} == {"name"}
        and isinstance(params["name"], str)
        and isinstance(params.get("arguments"), dict | None)
        and _asks_for_progress_at_most(params.get("_meta"))
    )


def _asks_for_progress_at_most(meta: object) -> bool:
    if meta is None:
        return True
    token = meta.get("progressToken") if isinstance(meta, dict) and len(meta) == 1 else None
    return isinstance(token, str | int) and not isinstance(token, bool)
