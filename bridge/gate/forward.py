"""Plain HTTP through the proxy: one client's requests, each judged, to one server after another.

h11 holds both sides to the letter, so that what is judged and what is sent cannot be read in two
ways. `Host` is written anew from the address that was judged. A server's connection is kept for the
next request to the same place, because Chrome keeps one connection to us for each place too. If a
kept one turns out to be dead, the client's is cut without an answer: a browser then repeats what is
safe to repeat, which only it knows.
"""

import re
from collections.abc import Awaitable, Callable
from http import HTTPStatus

import h11
import trio

from bridge.policy.hosts import parse_authority
from bridge.scope import open_scope

LARGEST_HEAD = 64 * 1024
CHUNK = 64 * 1024
_READ_AHEAD = 256 * 1024  # of a client that does not wait for its answer
_TARGET = re.compile(rb"http://([^/?#\s]+)([^#\s]*)\Z", re.IGNORECASE)
_HOP = {
    *(b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization", b"te"),
    *(b"proxy-authenticate", b"upgrade", b"host", b"http2-settings"),
}

GONE = (trio.BrokenResourceError, trio.ClosedResourceError, h11.RemoteProtocolError)

Reach = Callable[[str, int], Awaitable[trio.SocketStream]]
"""A connection to a host, or a RefusedError."""


class RefusedError(Exception):
    """Answered by the proxy itself, with a status and a sentence for people."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def parse_target(target: bytes) -> tuple[str, int, bytes] | None:
    """Host, port and path of an absolute http: target; None for anything else."""
    found = _TARGET.fullmatch(target)
    if found is None:
        return None
    authority, path = found[1].decode("latin-1"), found[2]
    named = authority if re.search(r":\d+\Z", authority) else f"{authority}:80"
    place = parse_authority(named)
    if place is None:
        return None
    return *place, path if path.startswith(b"/") else b"/" + path


class Server:
    """The far side, for as long as requests go to the same place."""

    def __init__(self, stream: trio.SocketStream, host: str, port: int) -> None:
        self.stream = stream
        self.place = host, port
        self.http = h11.Connection(h11.CLIENT, max_incomplete_event_size=LARGEST_HEAD)

    async def next_event(self) -> object:
        try:
            while (event := self.http.next_event()) is h11.NEED_DATA:
                self.http.receive_data(await self.stream.receive_some(CHUNK))
        except h11.RemoteProtocolError as error:
            raise trio.BrokenResourceError(f"the server broke off: {error}") from error
        return event

    async def send(self, event: h11.Event) -> None:
        if data := self.http.send(event):
            await self.stream.send_all(data)


class Forwarder:
    """The exchanges of one client."""

    def __init__(
        self, stream: trio.SocketStream, admit: Callable[[str, int], None], reach: Reach
    ) -> None:
        self.stream = stream
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=LARGEST_HEAD)
        self._admit = admit
        self._reach = reach
        self._server: Server | None = None

    async def next_event(self) -> object:
        """What the client says next."""
        while (event := self.http.next_event()) is h11.NEED_DATA:
            self.http.receive_data(await self.stream.receive_some(CHUNK))
        return event

    async def refuse(self, status: int, why: str) -> None:
        """A short answer of our own; the connection ends after it."""
        body = f"{why}\n".encode()
        headers = [
            ("content-type", "text/plain; charset=utf-8"),
            ("content-length", str(len(body))),
            ("cache-control", "no-store"),
            ("connection", "close"),
        ]
        head = h11.Response(status_code=status, headers=headers, reason=HTTPStatus(status).phrase)
        for event in (head, h11.Data(data=body), h11.EndOfMessage()):
            await self.send(event)

    async def send(self, event: h11.Event) -> None:
        if data := self.http.send(event):
            await self.stream.send_all(data)

    async def exchange(self, request: h11.Request) -> bool:
        """Have one request answered; False when the connection is over."""
        place = parse_target(request.target)
        if place is None:
            raise RefusedError(400, "This is a proxy: ask it for http:// addresses, or CONNECT.")
        host, port, path = place
        self._admit(host, port)
        server = await self._open(host, port)
        await server.send(_outgoing(request, host, port, path))
        async with open_scope() as nursery:
            nursery.start_soon(self._upload, server, nursery.cancel_scope)
            await self._download(server)
        return self._next_cycle(server)

    async def aclose(self) -> None:
        """Leave the server."""
        if self._server is not None:
            await trio.aclose_forcefully(self._server.stream)
            self._server = None

    async def _open(self, host: str, port: int) -> Server:
        """The connection there: the kept one, or a new one."""
        if self._server is not None and self._server.place == (host, port):
            return self._server
        await self.aclose()
        self._server = Server(await self._reach(host, port), host, port)
        return self._server

    async def _upload(self, server: Server, over: trio.CancelScope) -> None:
        """The rest of the request; then watch whether the client stays."""
        try:
            event = await self.next_event()
            while isinstance(event, h11.Data):
                if not await _delivered(server, h11.Data(data=event.data)):
                    return
                event = await self.next_event()
            if isinstance(event, h11.EndOfMessage):
                await _delivered(server, h11.EndOfMessage(headers=event.headers))
                await self._watch()
        except GONE:
            over.cancel()

    async def _watch(self) -> None:
        """A client that leaves ends the exchange; one that asks on ahead is kept within bounds."""
        held = len(self.http.trailing_data[0])
        while held < _READ_AHEAD:
            data = await self.stream.receive_some(CHUNK)
            if not data:
                raise trio.ClosedResourceError("the client left")
            self.http.receive_data(data)
            held += len(data)

    async def _download(self, server: Server) -> None:
        while True:
            event = await server.next_event()
            if isinstance(event, h11.Response | h11.InformationalResponse):
                await self.send(_incoming(event))
            elif isinstance(event, h11.Data):
                await self.send(h11.Data(data=event.data))
            elif isinstance(event, h11.EndOfMessage):
                await self.send(h11.EndOfMessage(headers=event.headers))
                return
            else:
                raise trio.BrokenResourceError("the server left without an answer")

    def _next_cycle(self, server: Server) -> bool:
        """Whether both sides can go on; a server that cannot is left."""
        ours, theirs = self.http, server.http
        if ours.our_state is not h11.DONE or ours.their_state is not h11.DONE:
            return False
        ours.start_next_cycle()
        if theirs.our_state is h11.DONE and theirs.their_state is h11.DONE:
            theirs.start_next_cycle()
            return True
        return False


async def _delivered(server: Server, event: h11.Event) -> bool:
    """Whether the server took it; one that did not may still have answered."""
    try:
        await server.send(event)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        return False
    return True


def _outgoing(request: h11.Request, host: str, port: int, path: bytes) -> h11.Request:
    authority = host if port == 80 else f"{host}:{port}"
    headers = [(b"Host", authority.encode()), *_kept(request)]
    return h11.Request(method=request.method, target=path, headers=headers)


def _incoming(event: h11.Response | h11.InformationalResponse) -> h11.Event:
    kind = type(event)
    return kind(status_code=event.status_code, headers=_kept(event), reason=event.reason)


def _kept(
    event: h11.Request | h11.Response | h11.InformationalResponse,
) -> list[tuple[bytes, bytes]]:
    """All headers but those meant for the next hop alone."""
    named = {
        word.strip().lower()
        for name, value in event.headers
        if name == b"connection"
        for word in value.split(b",")
    }
    hop = _HOP | named
    return [(name, value) for name, value in event.headers.raw_items() if name.lower() not in hop]
