"""One browser connection: ids, sessions, pending calls, and the pump that feeds them.

One task reads. It settles replies, applies mirrors, queues events, and nothing a browser says ends
it. A dead renderer and a closed target never answer, so what was pending on them is failed here,
the moment Chrome reports the end. A call is sent once and never repeated: whoever wants it again
has to know whether that does harm.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import outcome
import trio

from bridge import log
from bridge.cdp.base import Command, Object
from bridge.errors import BridgeError, ChromeError
from bridge.scope import open_scope
from bridge.session import faults, wire
from bridge.session.session import Session, SessionKey
from bridge.timeouts import Timeouts
from bridge.transport.base import Transport, browser_gone

R = TypeVar("R", bound=Object)
_log = log.get("session")

# The browser process answers this itself, in milliseconds, while every page hangs.
_LIFE_SIGN = "Browser.getVersion"


class _Call:
    """A command on its way; `reply` is set by the pump, `task` while somebody waits."""

    __slots__ = ("error", "method", "number", "reply", "session", "task")

    def __init__(self, number: int, session: SessionKey, method: str) -> None:
        self.number = number
        self.session = session
        self.method = method
        self.reply: wire.Reply | None = None
        self.error: BridgeError | None = None
        self.task: trio.lowlevel.Task | None = None

    @property
    def settled(self) -> bool:
        return self.reply is not None or self.error is not None

    def wake(self) -> None:
        if self.task is not None:
            trio.lowlevel.reschedule(self.task, outcome.Value(None))
            self.task = None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Figures for tests, status and logs."""

    pending: int
    sessions: int
    noise: int
    unheard: int
    transport: str


class Connection:
    """Made by `open_connection`; `root` is the session of the browser itself."""

    def __init__(self, transport: Transport, timeouts: Timeouts) -> None:
        self._transport = transport
        self.timeouts = timeouts
        self._calls: dict[int, _Call] = {}
        self._sessions: dict[SessionKey, Session] = {}
        self._number = 0
        self._heard_at = trio.current_time()
        self._noise = 0
        self._unheard = 0
        self._end: BridgeError | None = None
        self.ended = trio.Event()
        self.root = Session(self, "", parent=None)
        self._sessions[""] = self.root

    @property
    def end(self) -> BridgeError | None:
        """Why the connection is over; None while it lives."""
        return self._end

    def session(self, key: SessionKey) -> Session | None:
        """The live session with this id."""
        return self._sessions.get(key)

    def statistics(self) -> Statistics:
        return Statistics(
            len(self._calls),
            len(self._sessions),
            self._noise,
            self._unheard,
            self._transport.kind,
        )

    async def call(self, session: Session, command: Command[R], timeout: str) -> R:
        """Send once, wait for the reply, read it in this task."""
        [result] = await self.call_all(session, [command], timeout)
        return cast(R, result)

    async def call_all(
        self, session: Session, commands: Sequence[Command[Any]], timeout: str
    ) -> list[Any]:
        """Send all in this order before waiting for any; the first failure, once all are in."""
        seconds: float = getattr(self.timeouts, timeout)
        if session.end is not None:
            raise session.end.again()
        calls = [self._register(session, command.method) for command in commands]
        try:
            with trio.move_on_after(seconds):
                for call, command in zip(calls, commands, strict=True):
                    message = wire.encode(call.number, call.method, command.params, session.key)
                    await self._transport.send(message)
                for call in calls:
                    await self._settled(call)
        finally:
            for call in calls:
                self._calls.pop(call.number, None)
        return [
            _outcome(call, command, timeout, seconds)
            for call, command in zip(calls, commands, strict=True)
        ]

    def _register(self, session: Session, method: str) -> _Call:
        self._number += 1
        self._calls[self._number] = call = _Call(self._number, session.key, method)
        return call

    async def probe(self) -> None:
        """Answered by any live browser at once, hung pages or not; BROWSER_HUNG otherwise."""
        asked_at = trio.current_time()
        call = self._register(self.root, _LIFE_SIGN)
        try:
            with trio.move_on_after(self.timeouts.probe):
                await self._transport.send(wire.encode(call.number, call.method, None))
                await self._woken(call)
        finally:
            self._calls.pop(call.number, None)
        if call.error is not None:
            raise call.error
        if call.reply is None and self._heard_at <= asked_at:
            raise faults.hung(self.timeouts.probe)

    async def _settled(self, call: _Call) -> None:
        """Wait for the reply; when nothing at all is heard meanwhile, ask for a sign of life."""
        begun = trio.current_time()
        while not call.settled:
            silent_since = max(begun, self._heard_at)
            with trio.move_on_at(silent_since + self.timeouts.probe):
                await self._woken(call)
            if not call.settled and self._heard_at <= silent_since:
                await self._doubt(call, silent_since)

    async def _doubt(self, call: _Call, silent_since: float) -> None:
        # Whatever comes is a sign of life, so the reply itself is nobody's, and the caller is woken
        # by its own reply or end without waiting for this one.
        self._number += 1
        with trio.move_on_after(self.timeouts.probe):
            await self._transport.send(wire.encode(self._number, _LIFE_SIGN, None))
            await self._woken(call)
        if not call.settled and self._heard_at <= silent_since:
            raise faults.in_flight(faults.hung(self.timeouts.probe), call.method)

    async def _woken(self, call: _Call) -> None:
        if call.settled:
            await trio.lowlevel.checkpoint()
            return

        def abandon(_: object) -> trio.lowlevel.Abort:
            call.task = None
            return trio.lowlevel.Abort.SUCCEEDED

        call.task = trio.lowlevel.current_task()
        await trio.lowlevel.wait_task_rescheduled(abandon)

    # What arrives.

    async def pump(self) -> None:
        """Read until the transport ends; then everything pending fails."""
        error: BridgeError = browser_gone("the connection was closed")
        try:
            while True:
                messages = await self._transport.receive()
                self._heard_at = trio.current_time()
                for message in messages:
                    self._sort(message)
        except ChromeError as gone:
            error = gone
        finally:
            self._finish(error)

    def _sort(self, message: bytes) -> None:
        parsed = wire.parse(message)
        if isinstance(parsed, wire.Event):
            self._publish(parsed)
        elif isinstance(parsed, wire.Reply):
            call = self._calls.get(parsed.id)
            if call is not None:
                call.reply = parsed
                call.wake()
        else:
            self._noise += 1
            _log.debug("unrouted: %s", parsed.why)

    def _publish(self, event: wire.Event) -> None:
        session = self._sessions.get(event.session)
        if session is None:
            self._noise += 1
        elif not session.publish(event):
            self._unheard += 1

    # Called by sessions, from the pump.

    def adopt(self, key: SessionKey, parent: Session) -> Session:
        """A child session begins; its events may follow in the same breath."""
        session = Session(self, key, parent)
        if parent.end is None:
            self._sessions[key] = session
        else:
            session.finish(parent.end)
        return session

    def forget(self, session: Session, error: BridgeError) -> None:
        """A session is over, with all below it; what was pending there fails now."""
        for child in list(session.children):
            self.forget(child, error)
        if self._sessions.pop(session.key, None) is None:
            return
        session.finish(error)
        self.fail_calls(session, error)

    def fail_calls(self, session: Session, error: BridgeError) -> None:
        """Calls of this session that Chrome will never answer."""
        for call in self._calls.values():
            if call.session == session.key and not call.settled:
                call.error = faults.in_flight(error, call.method)
                call.wake()

    def _finish(self, error: BridgeError) -> None:
        self._end = error
        for session in list(self._sessions.values()):
            session.finish(error)
            self.fail_calls(session, error)
        self.ended.set()


def _outcome(call: _Call, command: Command[R], timeout: str, seconds: float) -> R:
    if call.error is not None:
        raise call.error
    if call.reply is None:
        raise faults.too_slow(call.method, timeout, seconds)
    if call.reply.error is not None:
        raise faults.from_fault(call.method, call.reply.error)
    return faults.read(command, call.reply.result)


@asynccontextmanager
async def open_connection(
    transport: Transport, timeouts: Timeouts | None = None
) -> AsyncIterator[Connection]:
    """Speak over this transport until the block ends; the transport is closed then."""
    connection = Connection(transport, timeouts or Timeouts())
    try:
        async with open_scope() as nursery:
            nursery.start_soon(connection.pump)
            yield connection
    finally:
        with trio.CancelScope(shield=True):
            await transport.aclose()
