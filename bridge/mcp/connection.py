"""One connection over HTTP: whatever befalls it, the others are served.

Hypercorn serves all of them in one nursery, so an exception in one ended them all, and the server
with them. They are to be had without a token: a client that hangs up while it is refused has its
connection written to by one task and closed by another; one that sends nonsense behind a request
is told so in the middle of its answer. And it speaks HTTP/2 with whoever asks for it, whose tasks
stay for ever when that client goes; nobody needs it here.
"""

from typing import Any

import h11
import trio
from hypercorn import protocol
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol.h11 import H11Protocol
from hypercorn.trio import run
from hypercorn.trio.tcp_server import TCPServer

from bridge import log

_log = log.get("http")


class Connection(TCPServer):
    """Ends by itself, and whole."""

    async def run(self) -> None:
        """Until it is closed, or has failed."""
        # Whoever says more than has been answered is not read until then: for ever, if the answer
        # finds nobody. So what closes a connection ends the reading as well.
        self._reading = trio.CancelScope()
        try:
            await super().run()
        except* Exception:  # noqa: BLE001 -- one connection must not end the others
            _log.exception("a connection failed")

    async def protocol_send(self, event: Event) -> None:
        """Write, or close; who writes while it is being closed is told that it is."""
        if isinstance(event, Updated):
            await super().protocol_send(event)
        elif not (isinstance(event, RawData) and await self._write(event.data)):
            with trio.CancelScope(shield=True):  # from the end of the reading it may be part of
                if isinstance(event, Closed):
                    await self._close()
                await self.protocol.handle(Closed())
            self._reading.cancel()

    async def _write(self, data: bytes) -> bool:
        """Whether it is out."""
        async with self.send_lock:
            try:
                with trio.CancelScope(shield=True):  # half a piece would be worse than none
                    await self.stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError, trio.BusyResourceError):
                return False
        return True

    async def _read_data(self) -> None:
        with self._reading:
            await super()._read_data()

    async def _initiate_server_close(self) -> None:
        await super()._initiate_server_close()
        self._reading.cancel()


class Http(H11Protocol):
    """HTTP/1.1 and nothing else."""

    async def _check_protocol(self, event: h11.Request) -> None:
        await trio.lowlevel.checkpoint()

    async def _close_stream(self) -> None:
        # An answer that is made before all of its request was read leaves a full queue behind, and
        # nobody who would take from there that it is over: it was told so for ever.
        with trio.move_on_after(self.config.graceful_timeout):
            await super()._close_stream()
        self.stream = None

    async def _send_h11_event(self, event: Any) -> None:
        try:
            await super()._send_h11_event(event)
        except h11.LocalProtocolError as error:
            _log.debug("a connection is closed, nothing can be said on it: %s", error)
            await self.send(Closed())


def contain() -> None:
    """Have hypercorn serve by these; it can be told of no others."""
    run.TCPServer = Connection  # type: ignore[attr-defined]
    protocol.H11Protocol = Http  # type: ignore[attr-defined]
