"""How many are served over HTTP at a time: whole requests, so many of them, each in its time.

The SDK begins to work as soon as a request has a head, as often as there are requests. So a body is
read here first, all of it, within a limit and a deadline; then whoever asks for work needs a place,
and is told to come back if there is none. As on a line, a ping, a cancellation and a user's answer
need none: they have to arrive *because* all places are taken. One session gets no more than
`_SHARE` times what is left, so however busy it is, others find places.

A client of the era with a handshake may hang up and leave its calls at work, so calls are counted
as well as requests.

Who ends its session, or asks for nothing as long as the SDK keeps one, has gone: the door is told,
for what was that client's alone, once the calls it left behind are over. Whoever still waits for an
answer when its session or the server ends is told so (`exchange.py`).
"""

import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any

import trio
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic_core import from_json

from bridge.mcp.admission import AHEAD, IN_FLIGHT, counts
from bridge.mcp.envelope import PARSE_ERROR, Kind, Message, Refusal, read
from bridge.mcp.exchange import CLOSED, LOST, Exchange, Receive, Send
from bridge.timeouts import Timeouts
from bridge.tools.answer import Answer, Caller, Card, Door

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST = 4 * 1024 * 1024
"""Bytes of a body; the SDK's own limit."""

_SESSION, _ERA, _RESUMING = b"mcp-session-id", b"mcp-protocol-version", b"last-event-id"
_DELETED = 200  # what the SDK answers to the end of a session
_LOOKS = 30  # in the time after which somebody counts as gone
_REMEMBERED = 10_000  # clients
_SHARE = 3  # alone three quarters, with another one 27 of 64 each, and so on
_BUSY = -32_000  # JSON-RPC leaves this range to servers
_INVALID = -32_600
_ENDING = (
    "The server was ended while this was at work, which ended it as well. Start it again, and look "
    "at the page before you send this again."
)
_CLOSED = "The server is ending. Start it again, then send this once more."
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


class Turned(Exception):
    """Not served, and why."""

    def __init__(self, status: int, why: str, code: int = _INVALID, number: object = None) -> None:
        super().__init__(why)
        self.status = status
        error = {"code": code, "message": why}
        self.body = json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode()


class Crowd:
    """All requests of one server, whoever sent them."""

    def __init__(self, timeouts: Timeouts) -> None:
        self._timeouts = timeouts
        self._reading = 0
        self._working: Counter[str] = Counter()  # requests with a place, by who sent them
        self._calls: dict[trio.CancelScope, str] = {}  # that are at work: whose they are
        self._numbers: set[tuple[str, str]] = set()  # of sessions' requests that wait for an answer
        self._others = 0
        self._served: set[trio.CancelScope] = set()
        self._dismissed = _ENDING  # why those are answered that are dismissed
        self._ending = False
        self._less = trio.lowlevel.ParkingLot()  # whoever waits for requests or calls to be over
        self._door: Door | None = None
        self._asking: Counter[str] = Counter()  # requests of each client, streams as well
        self._seen: dict[str, float] = {}  # when the last of them was over

    def counted(self, door: Door) -> Door:
        """The door, with its calls counted; it is told who has gone."""
        self._door = door
        return _Counted(door, self)

    async def miss(self) -> None:
        """Tell the door of those who have gone without a word, until cancelled."""
        while True:
            await trio.sleep(self._timeouts.absent / _LOOKS)
            since = trio.current_time() - self._timeouts.absent
            for who in [who for who, seen in self._seen.items() if seen < since]:
                there = self._asking[who] or self._calls_of(who)
                if not there and self._seen.get(who, since) < since:  # nor is back
                    await self._gone(who)

    async def _gone(self, who: str) -> None:
        self._seen.pop(who, None)
        with trio.move_on_after(self._timeouts.close):
            while self._calls_of(who):  # it could open what nobody would close
                await self._less.park()
        if self._door is not None:
            await self._door.leave(who)

    @contextmanager
    def _asks(self, who: str) -> Iterator[None]:
        """This client is there as long as the block lasts."""
        self._asking[who] += 1
        try:
            yield
        finally:
            self._asking[who] -= 1
            self._asking += Counter()  # forgets who asks for nothing
            self._seen.pop(who, None)
            self._seen[who] = trio.current_time()
            if len(self._seen) > _REMEMBERED:
                del self._seen[next(iter(self._seen))]

    async def serve(self, app: App, scope: Scope, receive: Receive, send: Send) -> None:
        """Have it served; Turned, before anything is answered, if it is not."""
        if self._ending:
            raise Turned(503, _CLOSED, CLOSED)
        served, exchange = trio.CancelScope(), Exchange(None, receive, send)
        left: list[str] = []
        self._served.add(served)
        try:
            with served:
                if scope["method"] != "POST":
                    _check_session(scope, None)
                    await self._attend(app, scope, receive, exchange.send, left)
                elif (body := await self._body(scope, receive)) is None:
                    return
                else:
                    asked = _message(body)
                    exchange = Exchange(asked, receive, send)
                    _check_session(scope, asked)
                    await self._work(app, scope, asked, _again(body, exchange.receive), exchange)
            with trio.move_on_after(self._timeouts.flush, shield=True):
                await exchange.end(self._dismissed if served.cancelled_caught else LOST, 503)
            for who in left:  # also who is dismissed by then: its tabs would stay
                await self._gone(who)
        finally:
            self._served.discard(served)
            self._less.unpark_all()

    async def _work(
        self, app: App, scope: Scope, asked: Message | None, receive: Receive, exchange: Exchange
    ) -> None:
        who = _sender(scope, asked)
        with self._place(scope, asked), self._numbered(scope, asked), self._asks(who):
            await app(scope, receive, exchange.send)

    async def _attend(
        self, app: App, scope: Scope, receive: Receive, send: Send, left: list[str]
    ) -> None:
        """A stream of what the server has to say, or the end of a session: that one has `left`."""
        who = _sender(scope, None)

        async def sent(event: MutableMapping[str, Any]) -> None:
            if scope["method"] == "DELETE" and event.get("status") == _DELETED:
                left.append(who)
            await send(event)

        with self._asks(who):
            await app(_afresh(scope), receive, sent)

    def dismiss(self, why: str) -> None:
        """Hang up on everybody, and end their calls; who waits for an answer is told why."""
        self._dismissed = why
        for scope in (*self._served, *self._calls):
            scope.cancel()

    async def close(self) -> None:
        """Let nobody in any more, and tell those who wait for an answer."""
        self._ending = True
        self.dismiss(_ENDING)
        with trio.move_on_after(self._timeouts.flush, shield=True):
            while self._served or self._calls:
                await self._less.park()

    @contextmanager
    def calling(self, who: str) -> Iterator[None]:
        """A call of this client is at work; MCPError when everybody is dismissed meanwhile."""
        scope = trio.CancelScope()
        self._calls[scope] = who
        try:
            with scope:
                yield
        finally:
            del self._calls[scope]
            self._less.unpark_all()
        if scope.cancelled_caught:
            raise MCPError(CLOSED, self._dismissed)

    def _calls_of(self, who: str) -> bool:
        return who in self._calls.values()

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """All of it; None if the client has hung up."""
        if _promised(scope) > LARGEST:
            raise _too_large()
        if self._reading >= IN_FLIGHT:
            raise _busy(None)
        self._reading += 1
        try:
            with trio.move_on_after(self._timeouts.body):
                return await _collected(receive)
        finally:
            self._reading -= 1
        raise Turned(408, f"The body did not come within {self._timeouts.body:g} s; send it again.")

    @contextmanager
    def _place(self, scope: Scope, asked: Message | None) -> Iterator[None]:
        if asked is None or not counts(asked):
            with self._other():
                yield
            return
        who = _sender(scope, asked)
        free = IN_FLIGHT - max(self._working.total(), len(self._calls))
        own = max(self._working[who], [*self._calls.values()].count(who))
        if own >= _SHARE * free:
            raise _busy(asked.body["id"], own if free > 0 else None)
        self._working[who] += 1
        try:
            yield
        finally:
            self._working[who] -= 1
            self._working += Counter()  # forgets who has none

    @contextmanager
    def _numbered(self, scope: Scope, asked: Message | None) -> Iterator[None]:
        """Turned, if a request of this session has the same number and still waits.

        The SDK would give its answer to this one, and to that one none.
        """
        session = dict(scope["headers"]).get(_SESSION)
        if session is None or asked is None or asked.kind is not Kind.REQUEST:
            yield
            return
        known = session.decode("latin-1"), str(asked.body["id"])  # to the SDK 7 is "7"
        if known in self._numbers:
            why = "a request of this id is still at work; give each of them an id of its own"
            raise Turned(400, why, number=asked.body["id"])
        self._numbers.add(known)
        try:
            yield
        finally:
            self._numbers.discard(known)

    @contextmanager
    def _other(self) -> Iterator[None]:
        if self._others >= AHEAD:
            raise _busy(None)
        self._others += 1
        try:
            yield
        finally:
            self._others -= 1


class _Counted:
    def __init__(self, door: Door, crowd: Crowd) -> None:
        self._door = door
        self._crowd = crowd

    @property
    def instructions(self) -> str:
        return self._door.instructions

    async def cards(self, *, can_ask: bool) -> list[Card]:
        return await self._door.cards(can_ask=can_ask)

    async def ready(self, name: str, arguments: object) -> None:
        await self._door.ready(name, arguments)

    def expect(self, name: str) -> None:
        self._door.expect(name)

    async def call(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Answer:
        with self._crowd.calling(caller.id):
            return await self._door.call(name, arguments, caller)

    async def leave(self, client: str) -> None:
        await self._door.leave(client)


async def _collected(receive: Receive) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    while True:
        event = await receive()
        if event["type"] != "http.request":
            return None
        parts.append(event.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST:
            raise _too_large()
        if not event.get("more_body", False):
            return b"".join(parts)


def _message(body: bytes) -> Message | None:
    """What it says; Turned for what is refused on a line as well: the SDK would never answer."""
    said = read(body)
    if said and isinstance(refused := said[0], Refusal):
        why = refused.why.replace("the line", "the body").replace("a line", "in each request")
        raise Turned(400, why, refused.code, refused.id if len(said) == 1 else None)
    asked = next((each for each in said if isinstance(each, Message)), None)
    try:
        from_json(body)
    except ValueError as error:  # the SDK would refuse it as well, and not say what
        number = asked.body.get("id") if asked is not None else None
        raise Turned(400, _unread(body, error), PARSE_ERROR, number) from None
    return asked


def _unread(body: bytes, error: ValueError) -> str:
    """Why the SDK's reader does not take what ours does."""
    if _HALF.search(body) and "hex escape" in str(error):
        return "the body holds half a surrogate pair; leave it out, or send the other half as well"
    return f"the body cannot be read: {error}"[:200]


def _check_session(scope: Scope, asked: Message | None) -> None:
    """Turned, where the SDK would make a session for what does not begin one."""
    headers = dict(scope["headers"])
    era = headers.get(_ERA, b"").decode("latin-1")
    if _SESSION in headers or (era and era not in HANDSHAKE_PROTOCOL_VERSIONS):
        return
    if asked is None or asked.method != "initialize":
        number = asked.body.get("id") if asked is not None else None
        raise Turned(400, "there is no session yet: begin with initialize", number=number)


def _afresh(scope: Scope) -> Scope:
    """Without the wish to hear again what was missed: nothing is kept, so it is a new stream."""
    headers = [each for each in scope["headers"] if each[0] != _RESUMING]
    return {**scope, "headers": headers}


def _again(body: bytes, receive: Receive) -> Receive:
    """What the request says, once more, and then what comes after it."""
    said = False

    async def again() -> MutableMapping[str, Any]:
        nonlocal said
        if said:
            return await receive()
        said = True
        await trio.lowlevel.checkpoint()
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _promised(scope: Scope) -> int:
    """The length the head tells; 0 where it tells none, or nonsense."""
    told = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(told[0]) if told and told[0].isdigit() else 0


def _sender(scope: Scope, asked: Message | None) -> str:
    """The session, or what a client that has none calls itself."""
    for name, value in scope["headers"]:
        if name == _SESSION:
            return str(value.decode("latin-1"))
    match asked.body.get("params") if asked is not None else None:
        case {"clientInfo": {"name": str(name)}}:  # the handshake
            return name
        case {"_meta": {"io.modelcontextprotocol/clientInfo": {"name": str(name)}}}:
            return name
    return ""


def _too_large() -> Turned:
    return Turned(413, f"The body is larger than {LARGEST:,} bytes; send less at a time.")


def _busy(number: object, own: int | None = None) -> Turned:
    of = f"{IN_FLIGHT} requests are" if own is None else f"{own} requests of this client are"
    why = f"{of} at work; wait for one of them to end, then send this again."
    return Turned(429, why, _BUSY, number)
