"""Where extensions dial in: a port of loopback, from the first byte to the end of a link.

A web page can reach this port, and so can every program of this machine. Pages are told apart by
the headers a browser sets, before there is a WebSocket; programs by the handshake. Until then all
they get is a place in the hall.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
import trio

from bridge import log
from bridge.errors import BridgeError
from bridge.relay.doorway import OpenPages, Pages, answer, no_pages, refuse_stranger
from bridge.relay.hall import Guest, Hall, Refusal, Refusals
from bridge.relay.handshake import Handshake, RefusedError
from bridge.relay.invitation import Invitation, open_invitation
from bridge.relay.links import Link, LinkInfo, Links, Visit
from bridge.relay.listening import open_listener
from bridge.scope import open_scope
from bridge.timeouts import Timeouts, deadline, standing_still
from bridge.transport.channel import Channel
from bridge.transport.extension import ExtensionTransport, head_of
from bridge.transport.link import UNREADABLE, Close, Hello, Ready, Sites, Welcome
from bridge.transport.websocket_server import (
    ClosedError,
    Request,
    ServerSocket,
    accept,
    open_server_socket,
    read_request,
    respond,
)

# Ids no session of ours ever comes to; whoever sorts answers passes theirs over.
_PING = b'{"id":2147483648,"method":"Bridge.ping"}'
_POLICY_ID = 2147483649
_MOST_SILENCES = 2
_log = log.get("relay")


class Relay:
    """Made by `open_relay`."""

    def __init__(
        self,
        port: int,
        invitation: Invitation,
        welcome: Welcome,
        pages: Pages,
        timeouts: Timeouts,
        nursery: trio.Nursery,
    ) -> None:
        self.port = port
        self._invitation = invitation
        self._welcome = welcome
        self._pages = pages
        self._timeouts = timeouts
        self._nursery = nursery
        self._told = True
        self._hall = Hall()
        self._refusals = Refusals()
        self._links = Links(timeouts, self._note)

    # For the floors above.

    @property
    def file(self) -> Path:
        """Where extensions are told of us."""
        return self._invitation.file

    @property
    def refusals(self) -> list[Refusal]:
        """Who was sent away, the latest first."""
        return list(self._refusals)

    def links(self) -> list[LinkInfo]:
        """The browsers there are, the newest last."""
        return [link.info for link in self._links]

    async def wait_link(self, label: str | None = None) -> ExtensionTransport:
        """The newest browser, or the one of this name, once it is connected.

        A transport is for one connection. When it is closed the extension goes, and is back with a
        new one within a second or two.
        """
        return await self._links.wait(label)

    def set_policy(self, sites: Sites, *, downloads: bool = False, uploads: bool = False) -> None:
        """From now on this is wanted of every browser; the person there may allow less."""
        self._welcome = msgspec.structs.replace(
            self._welcome, sites=sites, downloads=downloads, uploads=uploads
        )
        for link in self._links:
            if link.visit is not None and link.visit.arrived:
                self._tell_policy(link.visit)

    def _tell_policy(self, visit: Visit) -> None:
        wanted = self._welcome
        params = {
            "sites": wanted.sites,
            "downloads": wanted.downloads,
            "uploads": wanted.uploads,
        }
        request = {"id": _POLICY_ID, "method": "Bridge.setPolicy", "params": params}
        visit.sock.insist(msgspec.json.encode(request))

    def renew(self) -> None:
        """Another token: all links are closed, and only who has read it may come back."""
        try:
            self._invitation.renew()
            self._told = True
        except OSError as error:
            if self._told:  # not at every look the same
                _log.warning("no extension can be told of the new token: %s", error)
            self._told = False
        self._hall.clear("the token was made anew")
        for link in self._links:
            if link.visit is not None:
                link.visit.end(Close.UNAUTHORIZED, "the token was made anew")

    # One connection.

    async def serve(self, stream: trio.SocketStream) -> None:
        """From the first byte to the end; whatever happens in it is nobody else's."""
        try:
            with self._hall.enter() as guest:
                await self._meet(stream, guest)
        except Exception:  # noqa: BLE001 -- one connection must not end the others
            _log.exception("a connection failed")
        finally:
            await trio.aclose_forcefully(stream)

    async def _meet(self, stream: trio.SocketStream, guest: Guest) -> None:
        opened: tuple[Channel, Request] | None = None
        with guest.limited(self._timeouts.hello) as scope:
            opened = await self._open(stream, guest, scope)
        if scope.cancelled_caught:
            self._note(guest.why)
        if opened is None:
            return
        channel, request = opened
        guest.steps += 1
        async with open_server_socket(channel, request.early, self._timeouts) as sock:
            welcome = self._welcome
            try:
                hello = await self._know(sock, guest, welcome)
            except RefusedError as refused:
                self._note(str(refused), refused.code)
                with guest.limited(self._timeouts.hello + self._timeouts.flush):
                    await sock.close(refused.code, str(refused))
            else:
                self._hall.leave(guest)
                await self._attend(sock, hello, welcome)

    async def _open(
        self, stream: trio.SocketStream, guest: Guest, limit: trio.CancelScope
    ) -> tuple[Channel, Request] | None:
        """A channel for what may become a link; everything else is answered here."""
        request = await read_request(stream)
        if request is None:
            return None
        if refuse_stranger(request, self.port) is None:
            guest.steps += 1  # strangers have to go first, while a code is judged
        with standing_still(limit):  # that takes seconds on a busy machine
            response = await answer(request, self.port, self._pages)
        if response is None:
            channel = await accept(stream, request)
            return None if channel is None else (channel, request)
        if response.status == 403:
            self._note(response.body)
        await respond(stream, response)
        return None

    async def _know(self, sock: ServerSocket, guest: Guest, welcome: Welcome) -> Hello:
        """Who it is; RefusedError if it cannot prove that, in time, in few words."""
        with guest.limited(self._timeouts.hello):
            handshake = Handshake(self._invitation.token, self.port, welcome)
            try:
                while not handshake.done:
                    for message in await sock.receive():
                        if (reply := handshake.hear(message)) is not None:
                            guest.steps += 1
                            await sock.send(reply)
            except ClosedError as end:
                raise RefusedError(end.code, f"before the welcome {end}") from end
            assert handshake.hello is not None
            sock.trust()
            return handshake.hello
        raise RefusedError(Close.UNAUTHORIZED, guest.why)

    # A browser that is known.

    async def _attend(self, sock: ServerSocket, hello: Hello, welcome: Welcome) -> None:
        link, visit = self._links.begin(sock, hello)
        try:
            with visit.scope:
                await self._converse(link, visit, welcome)
        except ClosedError as end:
            visit.end(end.code, str(end))
        except BridgeError as error:
            visit.end(Close.SILENT, error.message)
        finally:
            if self._links.lose(link, visit):
                self._nursery.start_soon(self._links.miss, link)
        _log.info("link over %s", log.facts(label=hello.label, code=visit.code, why=visit.why))
        await sock.close(visit.code, visit.why)

    async def _converse(self, link: Link, visit: Visit, welcome: Welcome) -> None:
        with deadline(self._timeouts, "ready", "starting the extension"):
            ready, early = await _wait_ready(visit.sock)
        self._links.arrive(link, visit, ready)
        if welcome is not self._welcome:  # before its first word it would take another for none
            self._tell_policy(visit)
        _log.info("link %s", log.facts(label=link.hello.label, why=link.hello.why))
        async with open_scope() as nursery:
            nursery.start_soon(self._keep_alive, visit)
            await link.transport.hear(early)
            while True:
                await link.transport.hear(await visit.sock.receive())

    async def _keep_alive(self, visit: Visit) -> None:
        """A word of ours every so often; whoever says nothing twice after one is given up."""
        silences = 0
        while silences < _MOST_SILENCES:
            await trio.sleep(self._timeouts.ping - self._timeouts.pong)
            asked_at = trio.current_time()
            visit.sock.offer(_PING)
            await trio.sleep(self._timeouts.pong)
            silences = 0 if visit.sock.heard_at >= asked_at else silences + 1
        visit.end(Close.SILENT, "it does not answer any more")

    # The surroundings.

    async def watch(self) -> None:
        """Renew the token whenever its file is gone, or others could read it."""
        while True:
            await trio.sleep(self._timeouts.token)
            if self._invitation.lost:
                self.renew()

    def leave(self) -> None:
        """Say goodbye to everybody."""
        for link in self._links:
            if link.visit is not None:
                link.visit.sock.leave(Close.GOING_AWAY)
        self._links.finish("this program is ending")

    def _note(self, why: str, code: int | None = None) -> None:
        self._refusals.note(why if code is None else f"{why} ({int(code)})")
        _log.info("refused %s", log.facts(why=why, code=code))


async def _wait_ready(sock: ServerSocket) -> tuple[Ready, list[bytes]]:
    """The word before which there is none for us, and what came with it."""
    while True:
        messages = await sock.receive()
        for at, message in enumerate(messages, start=1):
            if head_of(message)[1] == "Bridge.ready":
                try:
                    return msgspec.json.decode(message, type=_ReadyEvent).params, messages[at:]
                except UNREADABLE as error:
                    raise ClosedError(Close.MALFORMED, "its first word cannot be read") from error


class _ReadyEvent(msgspec.Struct):
    params: Ready = msgspec.field(default_factory=Ready)


@asynccontextmanager
async def open_relay(
    folder: Path,
    client_name: str,
    sites: Sites,
    *,
    downloads: bool = False,
    uploads: bool = False,
    timeouts: Timeouts | None = None,
    pages: OpenPages = no_pages,
    port: int = 0,
    token: str | None = None,
) -> AsyncIterator[Relay]:
    """Accept extensions until the block ends; `folder` is where they are told of us.

    `token` is the first one, instead of one made up. BAD_ARGS if that folder is not its owner's
    alone, or the port somebody else's.
    """
    timeouts = timeouts or Timeouts()
    listener = await open_listener(port, timeouts)
    port = listener.socket.getsockname()[1]
    async with listener:
        with open_invitation(folder, client_name, port, token) as invitation:
            welcome = Welcome(
                server_id=invitation.server_id,
                client_name=client_name,
                sites=sites,
                downloads=downloads,
                uploads=uploads,
                keepalive_ms=int(timeouts.ping * 1000),
            )
            async with open_scope() as nursery:
                relay = Relay(port, invitation, welcome, pages(invitation, port), timeouts, nursery)
                nursery.start_soon(relay.watch)
                nursery.start_soon(partial(trio.serve_listeners, relay.serve, [listener]))
                try:
                    yield relay
                finally:
                    relay.leave()
