"""The filter proxy a browser of ours is pointed at: what it may not reach, nothing connects to.

It stands below everything a page can think of: prefetching, preconnecting, sockets of workers,
downloads, pop-ups before their first script. A name that is refused is never even looked up.

It asks for no password. Whoever can reach it is a process on this machine, which can reach the same
hosts directly; it would gain nothing. (Chrome would have to be handed the password through `Fetch`,
which does not see WebSockets.) What it does guard is this machine, against pages: see `dial`.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

import h11
import trio

from bridge import log
from bridge.gate.dial import Allowed, Dial, InwardError, open_dial
from bridge.gate.forward import CHUNK, GONE, Forwarder, RefusedError
from bridge.policy.hosts import parse_address, parse_authority
from bridge.scope import open_scope
from bridge.timeouts import Timeouts

MOST_CONNECTIONS = 1_000  # Chromium 156 was seen to keep 183 at once
_MOST_HOSTS = 1_000
_BACKLOG = 512
_ADDRESS = "127.0.0.1"
_OURSELVES = (_ADDRESS, "localhost")
_log = log.get("gate")
Value = TypeVar("Value")


class Proxy:
    """Made by `open_proxy`."""

    def __init__(self, allowed: Allowed, dial: Dial, timeouts: Timeouts, port: int) -> None:
        self.port = port
        self.connections = 0
        self.refused: OrderedDict[str, int] = OrderedDict()  # how often, by host; the latest last
        self.failed: OrderedDict[str, str] = OrderedDict()  # why no connection to this host:port
        self._allowed = allowed
        self._dial = dial
        self._timeouts = timeouts

    @property
    def server(self) -> str:
        """For `--proxy-server`; loopback addresses have to go through it as well."""
        return f"http://{_ADDRESS}:{self.port}"

    async def serve(self, stream: trio.SocketStream) -> None:
        """Everything one client wants, until either side has had enough."""
        if self.connections >= MOST_CONNECTIONS:
            return
        self.connections += 1
        client = Forwarder(stream, self.admit, self.reach)
        try:
            await self._converse(client)
        except (*GONE, h11.LocalProtocolError) as error:
            _log.debug("over: %s", error)
        finally:
            self.connections -= 1
            await client.aclose()

    async def _converse(self, client: Forwarder) -> None:
        try:
            while (request := await self._next_request(client)) is not None:
                if request.method == b"CONNECT":
                    return await self._tunnel(client, request)
                if not await client.exchange(request):
                    return None
        except RefusedError as refused:
            if client.http.our_state is h11.SEND_RESPONSE:
                await client.refuse(refused.status, str(refused))
        except OSError as error:
            # An answer would pass for the site's own; cut off, Chrome shows its error page.
            _log.debug("no connection: %s", error)
        except h11.RemoteProtocolError as error:
            if client.http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
                await client.refuse(error.error_status_hint, "This is not HTTP as we know it.")
        return None

    async def _next_request(self, client: Forwarder) -> h11.Request | None:
        with trio.move_on_after(self._timeouts.proxy_idle):
            event = await client.next_event()
            return event if isinstance(event, h11.Request) else None
        return None

    async def _tunnel(self, client: Forwarder, request: h11.Request) -> None:
        """Bytes both ways, for https: and WebSockets; each side may end its half by itself."""
        place = parse_authority(request.target.decode("latin-1"))
        if place is None:
            raise RefusedError(400, "CONNECT wants the name of a host and a port.")
        self.admit(*place)
        try:
            server = await self.reach(*place)
        except OSError as error:
            raise RefusedError(
                504 if isinstance(error, TimeoutError) else 502, str(error)
            ) from error
        try:
            await client.stream.send_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            early = await _rest_of(client)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_pump, client.stream, server, early, nursery.cancel_scope)
                nursery.start_soon(_pump, server, client.stream, b"", nursery.cancel_scope)
        finally:
            await trio.aclose_forcefully(server)

    def admit(self, host: str, port: int) -> None:
        """RefusedError, and a note of it, for a host that is not allowed."""
        if self._allowed(host, port):
            return
        self._note(host)
        raise RefusedError(403, f"{host} is not allowed.")

    def _note(self, host: str) -> None:
        _keep(self.refused, host, self.refused.get(host, 0) + 1)
        _log.debug("refused %s", log.facts(host=host))

    async def reach(self, host: str, port: int) -> trio.SocketStream:
        """Connect, or say why not."""
        if port == self.port and host in _OURSELVES:
            raise RefusedError(403, "A proxy does not lead to itself.")
        try:
            stream = await self._dial(host, port)
        except InwardError as error:
            self._note(host)
            raise RefusedError(403, str(error)) from error
        except OSError as error:
            _keep(self.failed, f"{host}:{port}", error.strerror or str(error))
            raise
        self.failed.pop(f"{host}:{port}", None)
        return stream

    def unreached(self, url: str) -> str:
        """Why there was no connection for this address when it was last tried; "" if there was."""
        address = parse_address(url)
        return self.failed.get(f"{address.host}:{address.port}", "") if address else ""


def _keep(table: OrderedDict[str, Value], host: str, value: Value) -> None:
    table[host] = value
    table.move_to_end(host)
    if len(table) > _MOST_HOSTS:
        table.popitem(last=False)


async def _rest_of(client: Forwarder) -> bytes:
    """What the client sent behind its CONNECT without waiting."""
    while client.http.next_event() not in (h11.PAUSED, h11.NEED_DATA):
        await trio.lowlevel.checkpoint()
    return bytes(client.http.trailing_data[0])


async def _pump(
    source: trio.SocketStream, sink: trio.SocketStream, early: bytes, broken: trio.CancelScope
) -> None:
    """Carry bytes until the source ends its half; a break of either side is one of both."""
    try:
        if early:
            await sink.send_all(early)
        while data := await source.receive_some(CHUNK):
            await sink.send_all(data)
        await sink.send_eof()
    except GONE:
        broken.cancel()


@asynccontextmanager
async def open_proxy(
    allowed: Allowed, timeouts: Timeouts | None = None, *, dial: Dial | None = None
) -> AsyncIterator[Proxy]:
    """Filter until the block ends, on a port of loopback; `allowed` is asked for each request."""
    timeouts = timeouts or Timeouts()
    (listener,) = await trio.open_tcp_listeners(0, host=_ADDRESS, backlog=_BACKLOG)
    port: int = listener.socket.getsockname()[1]
    proxy = Proxy(allowed, dial or open_dial(allowed, timeouts), timeouts, port)
    async with open_scope() as nursery:
        nursery.start_soon(partial(trio.serve_listeners, proxy.serve, [listener]))
        yield proxy
