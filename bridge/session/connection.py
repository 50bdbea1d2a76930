"""One browser connection: ids, sessions, pending calls, and the pump that feeds them.

One task reads. It settles replies, applies mirrors, queues events, and nothing a browser says ends
it. A dead renderer and a closed target never answer, so what was pending on them is failed here,
the moment Chrome reports the end. A call is sent once and never repeated: whoever wants it again
has to know whether that does harm.
"""

import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import trio

from bridge import log
from bridge.cdp.base import Command, Object, Params
from bridge.errors import BridgeError, ChromeError, LinkError
from bridge.scope import beside
from bridge.session import faults, wire
from bridge.session.session import Session, SessionKey
from bridge.session.vigil import Call, Vigil
from bridge.timeouts import Timeouts
from bridge.transport.base import Transport, browser_gone

R = TypeVar("R", bound=Object)
_log = log.get("session")

# The browser process answers this itself, in milliseconds, while every page hangs.
_LIFE_SIGN = "Browser.getVersion"


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

    def __init__(self, transport: Transport, timeouts: Timeouts, *, starting: bool = False) -> None:
        self._transport = transport
        self.timeouts = timeouts
        self._calls: dict[int, Call] = {}
        self._sessions: dict[SessionKey, Session] = {}
        self._number = 0
        self._noise = 0
        self._unheard = 0
        # Twice, before it counts as hung: so both together take what a launch may take.
        first = timeouts.launch / 2 if starting else None
        self._vigil = Vigil(self._calls, timeouts.probe, self._ask_for_life, first=first)
        self._end: BridgeError | None = None
        self.ended = trio.Event()
        self.root = Session(self, "", parent=None)
        self._sessions[""] = self.root

    @property
    def kind(self) -> str:
        """The transport's."""
        return self._transport.kind

    @property
    def end(self) -> BridgeError | None:
        """Why the connection is over; None while it lives."""
        return self._end

    @property
    def heard_at(self) -> float:
        """When the browser said anything last; a link may be down while its connection lives."""
        return self._vigil.heard_at

    @property
    def hung(self) -> BridgeError | None:
        """The browser was found not to answer, and has said nothing since."""
        return self._vigil.hung

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
        [result] = await self.call_all(session, (command,), timeout)
        return cast(R, result)

    async def call_all(
        self, session: Session, commands: Sequence[Command[Any]], timeout: str
    ) -> list[Any]:
        """Send all in this order before waiting for any; the first failure, once all are in."""
        if session.end is not None:
            raise session.end.again()
        calls = [self._register(session.key, command.method, timeout) for command in commands]
        try:
            await self._send_all(calls, commands)
            for call in calls:
                await call.wait()
        finally:
            for call in calls:
                self._calls.pop(call.number, None)
        return [_outcome(call, command) for call, command in zip(calls, commands, strict=True)]

    async def _send_all(self, calls: Sequence[Call], commands: Sequence[Command[Any]]) -> None:
        for call, command in zip(calls, commands, strict=True):
            try:
                await self._send(call, command.params)
            except BridgeError as error:
                if call is not calls[0]:  # those before it may have happened
                    error.retryable = False
                    error.facts["outcome"] = "unknown"
                raise

    def _register(self, session: SessionKey, method: str, timeout: str) -> Call:
        self._number += 1
        seconds: float = getattr(self.timeouts, timeout)
        call = Call(self._number, session, method, trio.current_time(), seconds, timeout)
        self._calls[self._number] = call
        self._vigil.begin(call)
        return call

    async def _send(self, call: Call, params: Params | None) -> None:
        """Send, unless the call ends first: a browser that does not read may take for ever."""
        message = wire.encode(call.number, call.method, params, call.session)
        if not self._transport.congested:
            await self._transport.send(message)
        elif not call.settled:
            with trio.CancelScope() as call.sending:
                await self._transport.send(message)

    async def probe(self, timeout: str = "probe") -> None:
        """Answered by any live browser at once, hung pages or not; BROWSER_HUNG otherwise."""
        asked_at = trio.current_time()
        call = self._register("", _LIFE_SIGN, timeout)
        try:
            await self._send(call, None)
            await call.wait()
        finally:
            self._calls.pop(call.number, None)
        if isinstance(call.error, ChromeError | LinkError):
            raise call.take_error()
        if call.reply is None and self._vigil.heard_at <= asked_at:
            self._vigil.hung = hung = faults.hung(call.seconds)
            raise hung.again()

    async def _ask_for_life(self) -> None:
        """Whatever comes is a sign of life, so the reply itself is nobody's."""
        if self._transport.congested:
            return  # it hears nothing anyhow
        self._number += 1
        with contextlib.suppress(BridgeError):  # an end is the pump's to report
            await self._transport.send(wire.encode(self._number, _LIFE_SIGN, None))

    # What arrives.

    async def run(self) -> None:
        """Pump and vigil, for as long as the connection lasts."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._vigil.run)
            await self._pump()
            nursery.cancel_scope.cancel()

    async def _pump(self) -> None:
        """Read until the transport ends; then everything pending fails."""
        error: BridgeError = browser_gone("the connection was closed")
        try:
            while True:
                messages = await self._transport.receive()
                self._vigil.hear()
                for message in messages:
                    self._sort(message)
        except BridgeError as gone:
            error = gone
        finally:
            self._finish(error)

    def _sort(self, message: bytes) -> None:
        parsed = wire.parse(message)
        if isinstance(parsed, wire.Event):
            self._publish(parsed)
        elif isinstance(parsed, wire.Reply):
            call = self._calls.get(parsed.id)
            if call is not None and not call.settled:
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
            if call.session == session.key:
                call.fail(faults.in_flight(error, call.method))

    def _finish(self, error: BridgeError) -> None:
        self._end = error
        for session in list(self._sessions.values()):
            session.finish(error)
            self.fail_calls(session, error)
        self.ended.set()


def _outcome(call: Call, command: Command[R]) -> R:
    if call.error is not None:
        raise call.take_error()
    if call.reply is None:  # it could not even be sent in time
        raise faults.too_slow(call.method, call.field, call.seconds)
    if call.reply.error is not None:
        raise faults.from_fault(call.method, call.reply.error)
    return faults.read(command, call.reply.result)


@asynccontextmanager
async def open_connection(
    transport: Transport, timeouts: Timeouts | None = None, *, starting: bool = False
) -> AsyncIterator[Connection]:
    """Speak over this transport until the block ends; the transport is closed then.

    `starting`: the browser was spawned a moment ago and may be silent for as long as a launch may
    take.
    """
    connection = Connection(transport, timeouts or Timeouts(), starting=starting)
    try:
        async with beside(connection.run):
            yield connection
    finally:
        with trio.CancelScope(shield=True):
            await transport.aclose()
