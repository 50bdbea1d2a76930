"""A very small HTTP client on h11, for tests that look at a server from the outside.

It keeps everything a browser would hide: an answer cut short is a `Reply` with `complete=False`,
and redirects are not followed.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import h11
import trio

READ_SIZE = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    complete: bool = True

    @property
    def text(self) -> str:
        """The body as UTF-8."""
        return self.body.decode()

    def header(self, name: str) -> str:
        """The first header of that (lower case) name, or nothing."""
        return next((value for key, value in self.headers if key == name), "")


class Client:
    """One connection to a server; requests go one after the other."""

    def __init__(self, stream: trio.SocketStream, host: str) -> None:
        self.stream = stream
        self._host = host
        self._h11 = h11.Connection(h11.CLIENT)

    async def ask(
        self,
        target: str,
        *,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        body: bytes = b"",
    ) -> None:
        """Send a request; without `content-length` among the headers it is added."""
        if self._h11.our_state is h11.DONE:
            self._h11.start_next_cycle()
        lengths = {"content-length": str(len(body))} if body else {}
        fields = {"host": self._host, **lengths, **(headers or {})}
        request = h11.Request(method=method, target=target, headers=list(fields.items()))
        for event in (request, h11.Data(data=body), h11.EndOfMessage()):
            await self.stream.send_all(self._h11.send(event) or b"")

    async def head(self) -> h11.Response:
        """The head of the answer."""
        event = await self._next_event()
        assert isinstance(event, h11.Response), event
        return event

    async def piece(self) -> bytes:
        """The next piece of the body, empty at its end."""
        event = await self._next_event()
        return bytes(event.data) if isinstance(event, h11.Data) else b""

    async def reply(self) -> Reply:
        """The whole answer."""
        head = await self.head()
        body = bytearray()
        complete = True
        try:
            while piece := await self.piece():
                body += piece
        except h11.RemoteProtocolError:
            complete = False
        return Reply(
            status=head.status_code,
            headers=tuple((name.decode(), value.decode("latin-1")) for name, value in head.headers),
            body=bytes(body),
            complete=complete,
        )

    async def _next_event(self) -> object:
        while (event := self._h11.next_event()) is h11.NEED_DATA:
            self._h11.receive_data(await self.stream.receive_some(READ_SIZE))
        return event


@asynccontextmanager
async def open_client(url: str) -> AsyncIterator[Client]:
    """A connection to the server of this address."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    stream = await trio.open_tcp_stream(parts.hostname, parts.port)
    async with stream:
        yield Client(stream, parts.netloc)


async def fetch(
    url: str,
    *,
    method: str = "GET",
    headers: dict[str, str] | None = None,
    body: bytes = b"",
) -> Reply:
    """One request on a connection of its own."""
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    async with open_client(url) as client:
        await client.ask(target, method=method, headers=headers, body=body)
        return await client.reply()
