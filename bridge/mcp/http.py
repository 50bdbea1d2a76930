"""The door over streamable HTTP, on this machine only.

The SDK's ASGI application behind our guard, on hypercorn's trio worker. We bind the socket
ourselves: the guard has to know the port before the first request, and a port that is taken is an
error here, never somebody else's server that gets our requests.
"""

import errno
import json
import logging
import secrets
import socket
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from hypercorn.config import Config
from hypercorn.trio import serve
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings

from bridge.errors import LaunchError, UsageError
from bridge.mcp.guard import ENDPOINT, HEALTH, Guard, Refused
from bridge.mcp.server import make_server
from bridge.scope import open_scope
from bridge.tools.answer import Door

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
_LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1", "[::1]": "::1"}


@asynccontextmanager
async def open_http(door: Door, version: str, address: str, token: str) -> AsyncIterator[str]:
    """Serve until the block ends; gives the address for clients."""
    listener = bind(address)
    port = listener.getsockname()[1]
    app = application(make_server(door, version), Guard(port, token), version)
    async with open_app(app, listener) as url:
        yield url


def application(server: Server[Any], guard: Guard, version: str) -> App:
    """The server as an ASGI application, behind the guard."""
    app = server.streamable_http_app(
        streamable_http_path=ENDPOINT,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return _guarded(app, guard, version)


@asynccontextmanager
async def open_app(app: App, listener: socket.socket) -> AsyncIterator[str]:
    """Serve an application until the block ends; gives the address for clients."""
    host, port = listener.getsockname()[:2]
    async with open_scope() as nursery:
        await nursery.start(serve, app, _config(listener))
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}{ENDPOINT}"


def _config(listener: socket.socket) -> Config:
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.errorlog = logging.getLogger("chrome_bridge.http")  # it would print where it listens
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


def _guarded(app: App, guard: Guard, version: str) -> App:
    health = json.dumps({"name": "chrome-bridge", "version": version, "status": "ok"}).encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        elif (refused := guard.check(scope["method"], scope["path"], scope["headers"])) is not None:
            await _refuse(refused, send)
        elif scope["path"] != HEALTH:
            await app(scope, receive, send)
        elif scope["method"] in ("GET", "HEAD"):
            await _answer(200, health, send)
        else:
            await _refuse(Refused(405, "Health can only be read."), send)

    return guarded


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


@contextmanager
def kept_token(folder: Path) -> Iterator[tuple[str, Path]]:
    """A fresh token of 256 bits, in a file only its owner can read, as long as the block lasts."""
    token = secrets.token_urlsafe(32)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / f"http-{secrets.token_hex(4)}.token"
    file.touch(mode=stat.S_IRUSR | stat.S_IWUSR, exist_ok=False)
    try:
        file.write_text(f"{token}\n", encoding="ascii")
        yield token, file
    finally:
        file.unlink(missing_ok=True)
