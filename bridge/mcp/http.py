"""The door over streamable HTTP, on this machine only.

The SDK's ASGI application behind our guard, on hypercorn's trio worker. We bind the socket
ourselves: the guard has to know the port before the first request, and a port that is taken is an
error here, never somebody else's server that gets our requests.
"""

import errno
import json
import logging
import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import psutil
import trio
from hypercorn.config import Config
from hypercorn.trio import serve
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings

from bridge.errors import LaunchError, UsageError
from bridge.mcp.connection import contain
from bridge.mcp.crowd import LARGEST, Crowd, Turned
from bridge.mcp.crowd import App as App
from bridge.mcp.crowd import Scope as Scope
from bridge.mcp.exchange import Receive as Receive
from bridge.mcp.exchange import Send as Send
from bridge.mcp.guard import ENDPOINT, HEALTH, Guard, Refused, is_signed
from bridge.mcp.server import make_server
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.tools.answer import Door

_LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}

_MOST_SESSIONS = 1_000
_RENEWED = (
    "The token was made anew while this was at work. Come with the new one, and look at the page "
    "before you send this again."
)


class Http:
    """A server that listens."""

    def __init__(self, url: str, guard: Guard, crowd: Crowd) -> None:
        self.url = url  # for clients
        self._guard = guard
        self._crowd = crowd

    def renew(self, token: str) -> None:
        """From now on this token, and nobody who came with another."""
        self._guard.renew(token)
        self._crowd.dismiss(_RENEWED)


@asynccontextmanager
async def open_http(
    door: Door, version: str, address: str, token: str, timeouts: Timeouts | None = None
) -> AsyncIterator[Http]:
    """Serve until the block ends."""
    listener = bind(address)
    timeouts = timeouts or Timeouts()
    guard, crowd = Guard(listener.getsockname()[1], token), Crowd(timeouts)
    app = application(make_server(crowd.counted(door), version), guard, version, crowd)
    async with open_app(app, listener, timeouts) as url, open_scope() as nursery:
        nursery.start_soon(crowd.miss)
        try:
            yield Http(url, guard, crowd)
        finally:
            await crowd.close()


def application(server: Server[Any], guard: Guard, version: str, crowd: Crowd | None = None) -> App:
    """The server as an ASGI application, behind the guard."""
    app = server.streamable_http_app(
        streamable_http_path=ENDPOINT,
        max_request_body_size=LARGEST,
        max_sessions=_MOST_SESSIONS,  # those nobody asks in end by themselves, after half an hour
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return _guarded(app, guard, crowd or Crowd(Timeouts()), version)


@asynccontextmanager
async def open_app(
    app: App, listener: socket.socket, timeouts: Timeouts | None = None
) -> AsyncIterator[str]:
    """Serve an application until the block ends; gives the address for clients."""
    host, port = listener.getsockname()[:2]
    timeouts = timeouts or Timeouts()
    over = trio.Event()
    async with open_scope() as ending:
        try:
            async with open_scope() as nursery, _serving(nursery, app, listener, timeouts):
                try:
                    yield f"http://{f'[{host}]' if ':' in host else host}:{port}{ENDPOINT}"
                finally:
                    ending.start_soon(_hang_up, port, over, timeouts)
        finally:
            over.set()


@asynccontextmanager
async def _serving(
    nursery: trio.Nursery, app: Any, listener: socket.socket, timeouts: Timeouts
) -> AsyncIterator[None]:
    """Also while the block is cleaning up, cancelled: whoever waits for an answer is to get one."""
    scope = trio.CancelScope()  # a task that is only starting has to end with whoever starts it

    contain()

    async def work(task_status: trio.TaskStatus[list[str]]) -> None:
        with scope:
            await serve(app, _config(listener, timeouts), task_status=task_status)

    try:
        await nursery.start(work)
        scope.shield = True
        yield
    finally:
        scope.cancel()


async def _hang_up(port: int, over: trio.Event, timeouts: Timeouts) -> None:
    """On clients that do not read, once the others have had their answers.

    Hypercorn shields what it writes, so one of them would hold up our end for ever.
    """
    with trio.CancelScope(shield=True):
        with trio.move_on_after(timeouts.flush):
            await over.wait()
            return
        for each in psutil.Process().net_connections("tcp"):
            if each.laddr and each.laddr.port == port and each.fd >= 0:  # Windows tells none
                with suppress(OSError), socket.socket(fileno=os.dup(each.fd)) as connection:
                    connection.shutdown(socket.SHUT_RDWR)


def _config(listener: socket.socket, timeouts: Timeouts) -> Config:
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.errorlog = logging.getLogger("chrome_bridge.http")  # it would print where it listens
    config.keep_alive_timeout = timeouts.silence
    config.graceful_timeout = timeouts.flush
    config.include_server_header = False
    return config


def _parse(address: str) -> tuple[str, int]:
    """Host and port; BAD_ARGS unless it is this machine alone."""
    name, _, port = address.rpartition(":")
    if name not in _LOOPBACK:
        raise UsageError(
            "BAD_ARGS",
            f"{address!r} is no address of this machine alone",
            hint="Use 127.0.0.1:PORT, localhost:PORT or [::1]:PORT; port 0 takes a free one.",
        )
    if not (port.isascii() and port.isdigit() and int(port) < 65_536):
        raise UsageError("BAD_ARGS", f"{address!r} has no port", hint="Use 127.0.0.1:8000.")
    return _LOOPBACK[name], int(port)


def bind(address: str) -> socket.socket:
    """A socket that listens at HOST:PORT; LAUNCH_FAILED if somebody else does."""
    host, port = _parse(address)
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        if sys.platform != "win32":  # there it would share the port with whoever wants to
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()
    except OSError as error:
        listener.close()
        taken = error.errno == errno.EADDRINUSE
        raise LaunchError(
            "LAUNCH_FAILED",
            f"port {port} of {host} is taken" if taken else f"no port {port} of {host}: {error}",
            hint="Name another port, or 0 for a free one.",
            facts={"port": port},
        ) from error
    return listener


def _guarded(app: App, guard: Guard, crowd: Crowd, version: str) -> App:
    alive = {"status": "ok"}
    known = {"name": "chrome-bridge", "version": version, **alive}

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        elif (refused := guard.check(scope["method"], scope["path"], scope["headers"])) is not None:
            await _refuse(refused, send)
        elif scope["path"] != HEALTH:
            await _serve(app, crowd, scope, receive, send)
        elif scope["method"] in ("GET", "HEAD"):
            health = known if is_signed(scope["headers"]) else alive
            await _answer(200, json.dumps(health).encode(), send)
        else:
            await _refuse(Refused(405, "Health can only be read."), send)

    return guarded


async def _serve(app: App, crowd: Crowd, scope: Scope, receive: Receive, send: Send) -> None:
    try:
        await crowd.serve(app, scope, receive, send)
    except Turned as turned:
        later = [(b"retry-after", b"1")] if turned.status == 429 else []
        await _answer(turned.status, turned.body, send, later)


async def _refuse(refused: Refused, send: Send) -> None:
    body = json.dumps({"error": refused.why}).encode()
    challenge = [(b"www-authenticate", b"Bearer")] if refused.status == 401 else []
    await _answer(refused.status, body, send, challenge)


async def _answer(
    status: int, body: bytes, send: Send, more: list[tuple[bytes, bytes]] | None = None
) -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(body)),
        (b"cache-control", b"no-store"),
        *(more or []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
