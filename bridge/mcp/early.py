"""Calls without the SDK, of clients that said nothing unusual.

A script connects and calls at once, and the SDK's import, which takes 0.3 s of a processor and
38 MB, would stand in the way of its first call twice: before it, and beside the browser that starts
for it. A plain call needs nothing of the SDK, nor does a question to its user, so it is made from
here, and the SDK is imported when a client says something that is more than plain; tests hold the
answers to the SDK's own.
"""

from collections.abc import Mapping
from typing import Any

import trio

from bridge.mcp.cards import told
from bridge.mcp.envelope import Kind, Message, is_bare, notification, reply
from bridge.mcp.questions import Questions
from bridge.mcp.wire import Wire
from bridge.tools.answer import Door, Question


class Early:
    """The early calls of one client."""

    def __init__(self, wire: Wire, nursery: trio.Nursery) -> None:
        self._wire = wire
        self._nursery = nursery
        self._running: list[tuple[object, trio.CancelScope]] = []  # an id may be used twice
        self.questions = Questions(wire)

    def take(self, message: Message, door: Door, client: "Plain") -> bool:
        """Whether this was for us: a plain call, or what concerns one."""
        if not _is_plain_call(message):
            return self.concerns(message)
        call = message.body["id"], trio.CancelScope()
        self._running.append(call)
        caller = client.of_call(message.body["params"])
        self._nursery.start_soon(self._answer, message, door, caller, call)
        return True

    def concerns(self, message: Message) -> bool:
        """Whether it answers a question of ours, or takes a call back, which gets no answer."""
        if message.method != "notifications/cancelled":
            return self.questions.take(message)
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
                # It is done, so it has to be said; and where nobody reads it must not be waited
                # for: no cancellation would reach that, and the server could not end.
                self._wire.queue(reply(message, told(answer)))
        except trio.BrokenResourceError:  # the client is gone
            return
        finally:
            self._running.remove(call)
            self._wire.settled()


class Plain:
    """A client as the door sees it: progress to whoever gave a token for it, questions to its user.

    `version` is that of the protocol; without `questions` there is nobody to ask.
    """

    def __init__(
        self,
        wire: Wire,
        name: str,
        version: str = "",
        questions: Questions | None = None,
        token: str | int | None = None,
    ) -> None:
        self._wire = wire
        self.id = ""  # the one at the other end of the wire
        self.name = name
        self._version = version
        self._questions = questions
        self._token = token

    @property
    def can_ask(self) -> bool:
        """Whether its user can be asked."""
        return self._questions is not None

    def of_call(self, params: Mapping[str, Any]) -> "Plain":
        """The client behind a call with these parameters."""
        token = (params.get("_meta") or {}).get("progressToken")
        return Plain(self._wire, self.name, self._version, self._questions, token)

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
        """The id of the chosen option; None if there is nobody to ask, or none was chosen."""
        if self._questions is None:
            await trio.lowlevel.checkpoint()
            return None
        return await self._questions.ask(question, self._version)

    async def tools_changed(self) -> None:
        """Tell it to list the tools again."""
        await self._wire.send(notification("notifications/tools/list_changed"))


def _is_plain_call(message: Message) -> bool:
    params: Mapping[str, Any] = message.body.get("params") or {}
    return (
        message.kind is Kind.REQUEST
        and message.method == "tools/call"
        and isinstance(params.get("name"), str)
        and isinstance(params.get("arguments"), dict | None)
        and is_bare({key: params[key] for key in params if key not in ("name", "arguments")})
    )
