"""The port extensions dial: any one, or the one that browsers paired by hand remember."""

import psutil
import trio

from bridge.errors import UsageError
from bridge.timeouts import Timeouts

_ADDRESS = "127.0.0.1"
_BACKLOG = 512
_LOOK = 0.25


async def open_listener(
    port: int, timeouts: Timeouts, *, flag: str = "--link-port"
) -> trio.SocketListener:
    """Listen there; BAD_ARGS if somebody else does, and goes on doing it; `flag` has named it."""
    last: OSError | None = None
    with trio.move_on_after(timeouts.port):
        while True:
            try:
                [listener] = await trio.open_tcp_listeners(port, host=_ADDRESS, backlog=_BACKLOG)
            except OSError as error:
                last = error
            else:
                return listener
            await trio.sleep(_LOOK)  # nobody tells when a port is free
    raise UsageError(
        "BAD_ARGS",
        f"{flag}: nothing can listen on port {port} of this machine: {last}{_owner(port)}",
        hint="End the program that has it, or name another port, for each server its own.",
    ) from last


def _owner(port: int) -> str:
    """Who listens there, where the system tells."""
    try:
        for each in psutil.net_connections("tcp4"):
            here = each.status == psutil.CONN_LISTEN and each.laddr and each.laddr[1] == port
            if here and each.pid:
                return f" (process {each.pid}, {psutil.Process(each.pid).name()})"
    except psutil.Error:
        pass
    return ""
