"""The wire, as the SDK wants its streams.

The SDK asks for two duck types; what it says about a request that will never be answered is how a
place becomes free again. A handshake that was answered before the SDK was there is played to it,
and its own answer is dropped.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

import anyio
import mcp_types as types
import trio
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import BaseModel

from bridge.mcp.admission import counts
from bridge.mcp.envelope import Kind, Message
from bridge.mcp.wire import Wire

_FORMS: dict[Kind, type[BaseModel]] = {
    Kind.REQUEST: types.JSONRPCRequest,
    Kind.NOTIFICATION: types.JSONRPCNotification,
}
_ANSWERS = types.JSONRPCResponse | types.JSONRPCError


class _Closing:
    async def aclose(self) -> None:
        """The wire belongs to whoever opened it."""
        await trio.lowlevel.checkpoint()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await trio.lowlevel.checkpoint()


class Places:
    """Which requests take one of the places at the wire."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._held: Counter[object] = Counter()

    def take(self, found: object) -> None:
        self._held[found] += 1

    def free(self, found: object) -> None:
        """Once per request; ids may be used twice at a time, so they are counted."""
        if self._held[found] > 0:
            self._held[found] -= 1
            if not self._held[found]:
                del self._held[found]
            self._wire.settled()


class Incoming(_Closing):
    """What the SDK reads."""

    def __init__(
        self,
        wire: Wire,
        places: Places,
        heard: Sequence[Message] = (),
        concerns_early: Callable[[Message], bool] = lambda message: False,
    ) -> None:
        self._wire = wire
        self._concerns_early = concerns_early  # calls the SDK knows nothing of
        self._places = places
        self._heard = deque(heard)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except trio.EndOfChannel:
            raise StopAsyncIteration from None

    async def receive(self) -> SessionMessage:
        """The next message; trio.EndOfChannel when the client is gone."""
        message = await self._next()
        while self._concerns_early(message):
            message = await self._next()
        model = model_of(message)
        if not counts(message):
            return SessionMessage(model)
        found = message.body["id"]

        async def unanswered() -> None:
            await trio.lowlevel.checkpoint()
            self._places.free(found)

        self._places.take(found)
        return SessionMessage(model, ServerMessageMetadata(on_request_unanswered=unanswered))

    async def _next(self) -> Message:
        return self._heard.popleft() if self._heard else await self._wire.receive()


def model_of(message: Message) -> types.JSONRPCMessage:
    """The SDK's form of a message, which has been checked for exactly what that asks."""
    body = message.body
    if message.kind is Kind.REPLY:
        form = types.JSONRPCResponse if "result" in body else types.JSONRPCError
        return form.model_validate(body, by_name=False)
    return _FORMS[message.kind].model_validate(body, by_name=False)  # type: ignore[return-value]


class Outgoing(_Closing):
    """What the SDK writes to."""

    def __init__(self, wire: Wire, places: Places, answered: object = None) -> None:
        self._wire = wire
        self._places = places
        self._answered = answered  # the id of the handshake that has had its answer

    async def send(self, item: SessionMessage) -> None:
        """Queue one message."""
        message = item.message
        answers = message.id if isinstance(message, _ANSWERS) else None
        try:
            if answers is not None and self._is_late(answers):
                await trio.lowlevel.checkpoint()
            else:
                await self._wire.room()
                self._wire.queue(encode(message))  # not before: it would be kept twice
        except trio.BrokenResourceError as error:
            raise anyio.BrokenResourceError from error  # the one the SDK knows
        finally:
            if answers is not None:
                self._places.free(answers)

    def _is_late(self, found: object) -> bool:
        """Whether it is the SDK's answer to a handshake that has had one."""
        if self._answered is None or found != self._answered:
            return False
        self._answered = None
        return True


def encode(message: types.JSONRPCMessage) -> bytes:
    """One line; what no UTF-8 can carry (half a surrogate pair) is replaced, not fatal."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except ValueError:
        import json

        body = message.model_dump(by_alias=True, exclude_unset=True)
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"
