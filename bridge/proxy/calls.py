"""Calls under way to one browser: its own numbers, and to whom each answer goes."""

from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

import msgspec
import trio

from bridge.errors import ChromeError
from bridge.proxy.words import UNREADABLE, Message, encode, raw
from bridge.timeouts import Timeouts, deadline
from bridge.transport.base import Transport

GONE = "the browser is not connected any more"


class Caller(Protocol):
    """A guest, as seen from here."""

    def answered(self, call: Message, answer: Message) -> None: ...


@dataclass(frozen=True, slots=True)
class _Asked:
    """A call of a guest, without its parameters: they may be large, and it may stay long."""

    caller: Caller
    call: Message


class _Waiting:
    """A call of our own."""

    def __init__(self) -> None:
        self.answer: Message | None = None
        self.come = trio.Event()


class Calls:
    """Of one transport; whoever reads it calls `settle`, and `end`."""

    def __init__(self, transport: Transport, timeouts: Timeouts) -> None:
        self._transport = transport
        self._timeouts = timeouts
        self._numbers = count(1)
        self._asked: dict[int, _Asked | _Waiting] = {}
        self._over = False

    def __len__(self) -> int:
        return len(self._asked)

    async def ask(self, method: str, **params: object) -> dict[str, Any]:
        """A call of ours; ChromeError with the browser's words where it refuses."""
        if self._over:
            raise refused(GONE)
        number, waiting = next(self._numbers), _Waiting()
        self._asked[number] = waiting
        try:
            with deadline(self._timeouts, "new_tab", method):
                await self._transport.send(
                    encode(Message(id=number, method=method, params=raw(params)))
                )
                await waiting.come.wait()
        finally:
            self._asked.pop(number, None)
        if waiting.answer is None:  # nobody reads any more: that error is the one to be told
            await trio.lowlevel.checkpoint_if_cancelled()
            raise refused(GONE)
        return _result_of(waiting.answer)

    async def pass_on(self, caller: Caller, call: Message, session: str | None) -> None:
        """A call of a guest; `answered` tells what became of it. BridgeError: it was not sent."""
        number = next(self._numbers)
        self._asked[number] = _Asked(caller, Message(id=call.id, session_id=call.session_id))
        sent = Message(id=number, method=call.method, params=call.params, session_id=session)
        try:
            await self._transport.send(encode(sent))
        except BaseException:
            self._asked.pop(number, None)
            raise

    def settle(self, answer: Message) -> None:
        """An answer has come."""
        asked = self._asked.pop(answer.id or 0, None)
        if isinstance(asked, _Waiting):
            asked.answer = answer
            asked.come.set()
        elif asked is not None:
            asked.caller.answered(asked.call, answer)

    def forget(self, caller: Caller) -> None:
        """It has gone; what it asked may never be answered."""
        for number, asked in list(self._asked.items()):
            if isinstance(asked, _Asked) and asked.caller is caller:
                del self._asked[number]

    def end(self) -> None:
        """No answer will come any more."""
        self._over = True
        for asked in self._asked.values():
            if isinstance(asked, _Waiting):
                asked.come.set()


def _result_of(answer: Message) -> dict[str, Any]:
    table = dict[str, Any]
    try:
        if answer.error:
            said = msgspec.json.decode(answer.error, type=table)
            raise refused(str(said.get("message", "the browser does not say why")))
        return msgspec.json.decode(answer.result, type=table)
    except UNREADABLE as error:
        raise refused("the browser's answer cannot be read") from error


def refused(why: str) -> ChromeError:
    """What a client is told in the browser's stead."""
    return ChromeError("CDP_ERROR", why, hint="See which tabs are shared, and with whom.")
