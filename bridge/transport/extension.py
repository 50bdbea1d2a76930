"""CDP through the extension: one transport over sockets that come and go.

Chrome may end the extension's worker at any moment and wakes it at the next event; tabs stay
attached meanwhile, and the sessions with them. So a lost socket is no end. What was under way is
answered at once as "outcome unknown" and never sent again; when the same browser is back, sessions
it no longer has are told to be over, and a gap makes everybody above read again.

Messages are sorted by their first bytes, for nearly all pass through as they are: an event or an
answer of 10 MB is not read here.
"""

import re
from typing import Protocol

import msgspec
import trio

from bridge.errors import BridgeError, ChromeError, LinkError
from bridge.timeouts import Timeouts
from bridge.transport.base import MAX_UNSENT, browser_gone
from bridge.transport.link import (
    MAX_FRAME,
    OUTCOME_UNKNOWN,
    UNREADABLE,
    Attached,
    Ready,
    session_of,
)

_NUMBER = re.compile(rb'\{"id":(\d{1,16})[,}]')
_METHOD = re.compile(rb'\{"method":"([A-Za-z.]{1,100})"')
_GAP = b'{"method":"Bridge.gap","params":{"dropped":0}}'
_LIFE = frozenset(
    {
        "Target.targetCreated",
        "Target.targetDestroyed",
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
    }
)


class Socket(Protocol):
    """What carries the messages for the moment."""

    @property
    def congested(self) -> bool: ...

    async def send(self, message: bytes) -> None: ...

    def abandon(self) -> None: ...


class _Head(msgspec.Struct):
    id: int | None = None
    method: str = ""


class _Info(msgspec.Struct, frozen=True, rename="camel"):
    target_id: str = ""


class _Params(msgspec.Struct, frozen=True, rename="camel"):
    session_id: str = ""
    target_id: str = ""
    target_info: _Info = _Info()


class _Life(msgspec.Struct, frozen=True, rename="camel"):
    params: _Params = _Params()
    session_id: str = ""


class ExtensionTransport:
    """One browser's; whoever answers its sockets calls `adopt`, `hear`, `lose` and `finish`."""

    kind = "extension"

    def __init__(self, timeouts: Timeouts) -> None:
        self._timeouts = timeouts
        self._socket: Socket | None = None
        self._met = False
        self._there = trio.Event()
        self._flying: set[int] = set()
        self._sessions: dict[str, str] = {}  # of tabs: session to target
        self._heard: list[bytes] = []
        self._size = 0
        self._news = trio.Event()
        self._room = trio.Event()
        self._end: BridgeError | None = None
        self.tabs: set[str] = set()  # the targets that are shared
        self.paused = False

    # Our side.

    @property
    def congested(self) -> bool:
        """Also while there is no socket: `send` waits for one, which may be full at once."""
        return self._end is None and (self._socket is None or self._socket.congested)

    @property
    def over(self) -> bool:
        """Nothing is sent or received any more."""
        return self._end is not None

    @property
    def connected(self) -> bool:
        """There is a socket at the moment."""
        return self._socket is not None

    async def send(self, message: bytes) -> None:
        if len(message) > MAX_FRAME:
            raise LinkError(
                "BACKPRESSURE",
                f"a message of {len(message)} bytes is more than the extension takes",
                hint="Send less at once.",
                facts={"bytes": len(message), "limit": MAX_FRAME},
            )
        if self._socket is None:
            with trio.move_on_after(self._timeouts.relink):
                await self.wait_connected()
        if self._end is not None:
            raise self._end.again()
        socket = self._socket
        if socket is None:
            raise _asleep()
        try:
            await socket.send(message)
        except ChromeError as error:
            raise (self._end.again() if self._end else _asleep()) from error
        number, _ = head_of(message)
        if number is None:
            return
        if socket is self._socket:
            self._flying.add(number)
        else:  # it was over by the time there was room
            self._put(_unknown(number))

    async def receive(self) -> list[bytes]:
        await trio.lowlevel.checkpoint_if_cancelled()
        while not self._heard:
            if self._end is not None:
                raise self._end.again()
            self._news = trio.Event()
            await self._news.wait()
        heard, self._heard, self._size = self._heard, [], 0
        self._room.set()
        return heard

    async def aclose(self) -> None:
        if self._socket is not None:
            self._socket.abandon()
        self.finish(browser_gone("the connection was closed"))
        await trio.lowlevel.checkpoint()

    # The side of the sockets.

    async def wait_connected(self) -> None:
        """Until there is a socket, or never will be."""
        while self._socket is None and self._end is None:
            await self._there.wait()
        await trio.lowlevel.checkpoint_if_cancelled()

    def adopt(self, socket: Socket, attached: list[Attached], ready: Ready) -> None:
        """The browser is there, or there again, with these tabs still attached."""
        if self._end is not None:
            socket.abandon()
            return
        self.lose(self._socket)
        self._socket = socket
        self.tabs = {str(each.get("targetId")) for each in ready.targets}
        self.paused = ready.paused
        kept = {session_of(each.tab_id): each.target_id for each in attached}
        for session, target in list(self._sessions.items()):
            if kept.get(session) != target:
                self._forget(session, target)
        if self._met:
            self._put(_GAP)
        self._met = True
        self._there.set()

    def lose(self, socket: Socket | None) -> None:
        """This socket is over; another one may have taken its place already."""
        if socket is None or socket is not self._socket:
            return
        self._socket = None
        self._there = trio.Event()
        for number in sorted(self._flying):
            self._put(_unknown(number))
        self._flying.clear()

    async def hear(self, messages: list[bytes]) -> None:
        """What the socket has said; waits while too much of it lies here unread."""
        while self._size > MAX_UNSENT and self._end is None:
            self._room = trio.Event()
            await self._room.wait()
        for message in messages:
            self._sort(message)
            self._put(message)

    def finish(self, why: BridgeError) -> None:
        """It is over for good."""
        if self._end is not None:
            return
        self.lose(self._socket)
        self._end = why
        for event in (self._there, self._news, self._room):
            event.set()

    def _put(self, message: bytes) -> None:
        if self._end is None:
            self._heard.append(message)
            self._size += len(message)
            self._news.set()

    def _sort(self, message: bytes) -> None:
        number, method = head_of(message)
        if number is not None:
            self._flying.discard(number)
        elif method in ("Bridge.paused", "Bridge.resumed"):
            self.paused = method == "Bridge.paused"
        elif method in _LIFE:
            self._follow(method, message)

    def _follow(self, method: str, message: bytes) -> None:
        """Keep track of tabs and their sessions; what is in a session ends with it."""
        try:
            said = msgspec.json.decode(message, type=_Life)
        except UNREADABLE:
            return
        params = said.params
        if said.session_id:
            return
        if method == "Target.targetCreated":
            self.tabs.add(params.target_info.target_id)
        elif method == "Target.targetDestroyed":
            self.tabs.discard(params.target_id)
        elif method == "Target.attachedToTarget":
            self._sessions[params.session_id] = params.target_info.target_id
        else:
            self._sessions.pop(params.session_id, None)

    def _forget(self, session: str, target: str) -> None:
        del self._sessions[session]
        params = {"sessionId": session, "targetId": target}
        self._put(msgspec.json.encode({"method": "Target.detachedFromTarget", "params": params}))


def head_of(message: bytes) -> tuple[int | None, str]:
    """The id of a request or an answer, or else the method of an event; neither of a noise."""
    if found := _NUMBER.match(message):
        return int(found[1]), ""
    if found := _METHOD.match(message):
        return None, found[1].decode()
    try:
        head = msgspec.json.decode(message, type=_Head)
    except UNREADABLE:
        return None, ""
    return head.id, head.method


def _unknown(number: int) -> bytes:
    """The answer to a request nobody will answer any more."""
    error = {
        "code": -32000,
        "message": "the extension's worker ended while it was under way; "
        "it may or may not have happened",
        "data": {"reason": OUTCOME_UNKNOWN},
    }
    return msgspec.json.encode({"id": number, "error": error})


def _asleep() -> LinkError:
    return LinkError(
        "EXTENSION_DISCONNECTED",
        "the extension is not connected at the moment; the command was not sent",
        hint="Chrome wakes it within 30 s. Look at the page first: the call may have begun.",
        retryable=True,
    )


def left() -> LinkError:
    """The error that ends a transport whose extension has not come back."""
    return LinkError(
        "EXTENSION_DISCONNECTED",
        "the extension has not come back",
        hint="See that Chrome runs and that the extension is switched on in it.",
    )
