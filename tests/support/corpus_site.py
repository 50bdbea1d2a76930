"""A server under many names that writes down whatever reaches it, and by which name.

It listens on two loopback addresses: a browser is told that allowed.test is the first and every
other name the second, so what was asked of a denied name shows even where no HTTP was spoken. Each
answer to another name than allowed.test carries `MARKER`.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import h11
import trio

from bridge.scope import open_scope

ALLOWED = "allowed.test"
GOOD_ADDRESS = "127.0.0.1"
EVIL_ADDRESS = "127.0.0.2"
MARKER = "DENIED-TEXT"
_OPEN = (("access-control-allow-origin", "*"), ("cache-control", "no-store"))
_DEAD = (trio.BrokenResourceError, trio.ClosedResourceError, OSError, h11.RemoteProtocolError)


@dataclass(frozen=True, slots=True)
class Page:
    """What is answered on allowed.test for a path."""

    body: str = ""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Arrived:
    """One thing that reached the server."""

    how: str  # tcp, http, udp
    host: str  # the name asked for, with its port; of tcp and udp the address
    path: str = ""


@dataclass(slots=True)
class CorpusSite:
    """Made by `open_corpus_site`."""

    port: int
    pages: dict[str, Page] = field(default_factory=dict)
    arrived: list[Arrived] = field(default_factory=list)
    changed: trio.Event = field(default_factory=trio.Event)

    @property
    def origin(self) -> str:
        return f"http://{ALLOWED}:{self.port}"

    def serve(self, pages: Mapping[str, Page]) -> None:
        """Answer these paths from now on; `{port}` in a body is this server's."""
        for path, page in pages.items():
            self.pages[path] = page

    def leaks(self) -> list[Arrived]:
        """What came for anybody but allowed.test."""
        good = (f"{ALLOWED}:{self.port}", GOOD_ADDRESS)
        return [each for each in self.arrived if each.host not in good]

    async def wait_path(self, path: str) -> None:
        """Return once allowed.test was asked for this path."""
        host = f"{ALLOWED}:{self.port}"
        while not any((a.host, a.path) == (host, path) for a in self.arrived):
            await self.changed.wait()

    def note(self, arrived: Arrived) -> None:
        self.arrived.append(arrived)
        self.changed.set()
        self.changed = trio.Event()


@asynccontextmanager
async def open_corpus_site() -> AsyncIterator[CorpusSite]:
    """Serve until the block ends."""
    async with open_scope() as nursery:
        (good,) = await trio.open_tcp_listeners(0, host=GOOD_ADDRESS)
        port: int = good.socket.getsockname()[1]
        (evil,) = await trio.open_tcp_listeners(port, host=EVIL_ADDRESS)
        site = CorpusSite(port)
        for address, listener in ((GOOD_ADDRESS, good), (EVIL_ADDRESS, evil)):
            nursery.start_soon(_serve, site, address, listener)
            nursery.start_soon(_listen_udp, site, address)
        yield site


async def _serve(site: CorpusSite, address: str, listener: trio.SocketListener) -> None:
    async def converse(stream: trio.SocketStream) -> None:
        site.note(Arrived("tcp", address))
        try:
            await _converse(site, stream)
        except _DEAD:
            return

    await trio.serve_listeners(converse, [listener])


async def _listen_udp(site: CorpusSite, address: str) -> None:
    with trio.socket.socket(trio.socket.AF_INET, trio.socket.SOCK_DGRAM) as sock:
        await sock.bind((address, site.port))
        while True:
            await sock.recvfrom(2048)
            site.note(Arrived("udp", f"{address} udp"))


async def _converse(site: CorpusSite, stream: trio.SocketStream) -> None:
    connection = h11.Connection(h11.SERVER)
    while True:
        while (event := connection.next_event()) is h11.NEED_DATA:
            connection.receive_data(await stream.receive_some(65536))
        if isinstance(event, h11.ConnectionClosed):
            return
        if isinstance(event, h11.Request):
            page = _answer(site, event)
        elif isinstance(event, h11.EndOfMessage):
            await stream.send_all(_render(connection, page))
            if connection.our_state is not h11.DONE:
                return
            connection.start_next_cycle()


def _answer(site: CorpusSite, request: h11.Request) -> Page:
    host = dict(request.headers).get(b"host", b"").decode("latin-1")
    path = request.target.decode("latin-1")
    site.note(Arrived("http", host, path))
    if host == f"{ALLOWED}:{site.port}":
        return site.pages.get(path.partition("?")[0], Page("", status=204))
    kind = "text/javascript" if path.endswith(".js") else "text/html"
    return Page(f"/*<p>{MARKER}</p>*/", kind)


def _render(connection: h11.Connection, page: Page) -> bytes:
    body = page.body.encode()
    headers = [("content-type", page.kind), ("content-length", str(len(body)))]
    head = h11.Response(status_code=page.status, headers=[*headers, *_OPEN, *page.headers])
    bare = page.status == 204
    return b"".join(
        connection.send(event) or b""
        for event in (head, *(() if bare else (h11.Data(data=body),)), h11.EndOfMessage())
    )
