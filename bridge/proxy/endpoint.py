"""The listener: `/json/version` and `/json/list` as Chrome has them, and sockets for guests."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from http import HTTPStatus

import trio

from bridge import log
from bridge.errors import BridgeError
from bridge.proxy.doorway import Doorway
from bridge.proxy.guest import Guest
from bridge.proxy.switchboard import Switchboard
from bridge.relay.hall import Guest as Visitor
from bridge.relay.hall import Hall
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.transport.channel import Channel
from bridge.transport.websocket_server import (
    ClosedError,
    Request,
    Response,
    ServerSocket,
    accept,
    open_server_socket,
    read_request,
    refuse_upgrade,
    respond,
)

BROWSER = "/devtools/browser"
_PAGE = "/devtools/page/"
_GOING_AWAY = 1001
_SLOW = 1013
_log = log.get("proxy")

Board = Callable[[], Awaitable[Switchboard]]
"""The browser there is; BridgeError where there is none."""


class Endpoint:
    """Made by `open_endpoint`."""

    def __init__(self, port: int, token: str, board: Board, timeouts: Timeouts) -> None:
        self.port = port
        self._doorway = Doorway(port, token)
        self._board = board
        self._timeouts = timeouts
        self._hall = Hall()
        self._sockets: set[trio.CancelScope] = set()

    @property
    def url(self) -> str:
        """Where clients go."""
        return f"http://127.0.0.1:{self.port}"

    def renew(self, token: str) -> None:
        """Another token: whoever came in with the old one is out."""
        self._doorway.renew(token)
        self._hall.clear("the token was made anew")  # it may be in already, and wait for a browser
        for scope in list(self._sockets):
            scope.cancel()

    async def serve(self, stream: trio.SocketStream) -> None:
        """One connection, to its end; nobody else notices what happens in it."""
        try:
            opened: tuple[Channel, Request, Switchboard] | None = None
            limit = self._timeouts.hello + self._timeouts.link
            with self._hall.enter() as visitor, visitor.limited(limit):
                opened = await self._open(stream, visitor)
            if opened is not None:
                await self._attend(*opened)
        except Exception:  # noqa: BLE001 -- one guest must not end the others
            _log.exception("a connection failed")
        finally:
            await trio.aclose_forcefully(stream)

    async def _open(
        self, stream: trio.SocketStream, visitor: Visitor
    ) -> tuple[Channel, Request, Switchboard] | None:
        """A socket for a guest; everything else is answered here."""
        request = await read_request(stream)
        if request is None:
            return None
        response = self._doorway.refuse(request)
        if response is None:
            visitor.steps += 1  # strangers go first while it waits for a browser
            try:
                board = await self._board()
                response = await self._answer(request, board)
            except BridgeError as error:
                response = Response(HTTPStatus.SERVICE_UNAVAILABLE, error.report())
            else:
                if response is None:
                    channel = await accept(stream, request)
                    return None if channel is None else (channel, request, board)
        if response.status in (401, 403):
            _log.info("refused %s", log.facts(why=response.body))
        await respond(stream, response)
        return None

    async def _answer(self, request: Request, board: Switchboard) -> Response | None:
        """None where a socket begins."""
        host = request.headers["host"]
        match _path(request):
            case "/json/version":
                return _json(await _version(board, host))
            case "/json" | "/json/list":
                return _json(
                    [_entry(info, host) for info in board.tabs.values() if info.get("url")]
                )
            case path if path == BROWSER or path.startswith((f"{BROWSER}/", _PAGE)):
                if path.startswith(_PAGE) and path.removeprefix(_PAGE) not in board.tabs:
                    return Response(404, "There is no such tab.")
                return refuse_upgrade(request)
            case _:
                return Response(404, "There is nothing here.")

    async def _attend(self, channel: Channel, request: Request, board: Switchboard) -> None:
        path = _path(request)
        page = path.removeprefix(_PAGE) if path.startswith(_PAGE) else ""
        async with open_server_socket(channel, request.early, self._timeouts) as sock:
            sock.trust()
            code, why = await self._converse(sock, board, page)
            _log.info("guest gone %s", log.facts(why=why))
            await sock.close(code, why)

    async def _converse(self, sock: ServerSocket, board: Switchboard, page: str) -> tuple[int, str]:
        scope = trio.CancelScope()
        ending = [(_GOING_AWAY, "the token was made anew")]

        def leave(why: str, code: int = _GOING_AWAY) -> None:
            ending[:] = [(code, why)]
            scope.cancel()

        def say(message: bytes) -> None:
            if sock.congested:
                leave("it does not read what it is told", _SLOW)
            else:
                sock.offer(message)

        guest = Guest(board, say, leave, page)
        self._sockets.add(scope)
        try:
            with board.admit(guest), scope:
                await _listen(sock, guest)
        except ClosedError as end:
            leave(str(end), end.code)
        except BridgeError as error:
            leave(error.message)
        finally:
            self._sockets.discard(scope)
            guest.collects = False
            with trio.move_on_after(self._timeouts.leave, shield=True):
                await board.let_go(guest)
        return ending[0]


async def _listen(sock: ServerSocket, guest: Guest) -> None:
    async with open_scope() as nursery:
        nursery.start_soon(guest.attend)
        while True:
            for message in await sock.receive():
                await guest.hear(message)


def _path(request: Request) -> str:
    """What is asked for; Chrome, too, passes over a question mark and what follows."""
    return request.path.partition("?")[0].rstrip("/")


async def _version(board: Switchboard, host: str) -> dict[str, str]:
    found = await board.ask("Browser.getVersion")
    return {
        "Browser": str(found.get("product", "")),
        "Protocol-Version": str(found.get("protocolVersion", "1.3")),
        "User-Agent": str(found.get("userAgent", "")),
        "V8-Version": "",
        "WebKit-Version": "",
        "webSocketDebuggerUrl": f"ws://{host}{BROWSER}",
    }


def _entry(info: dict[str, object], host: str) -> dict[str, object]:
    return {
        "description": "",
        "devtoolsFrontendUrl": "",
        "id": info["targetId"],
        "title": info.get("title", ""),
        "type": "page",
        "url": info["url"],
        "webSocketDebuggerUrl": f"ws://{host}{_PAGE}{info['targetId']}",
    }


def _json(value: object) -> Response:
    return Response(HTTPStatus.OK, json.dumps(value, indent=1), "application/json")


@asynccontextmanager
async def open_endpoint(
    listener: trio.SocketListener, token: str, board: Board, timeouts: Timeouts
) -> AsyncIterator[Endpoint]:
    """Let guests in who know the token, until the block ends."""
    port = listener.socket.getsockname()[1]
    async with listener, open_scope() as nursery:
        endpoint = Endpoint(port, token, board, timeouts)
        nursery.start_soon(partial(trio.serve_listeners, endpoint.serve, [listener]))
        yield endpoint
