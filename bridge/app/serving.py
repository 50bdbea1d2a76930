"""`serve`: a browser behind tools, tools behind a door, the door on a wire.

The order is what a client waits for. The wire answers the handshake first; the SDK, which takes
longer to import than everything else together, is imported while the client reads that answer.
"""

import gc
import sys
from importlib import import_module

import trio

from bridge import __version__
from bridge.mcp.envelope import Message
from bridge.mcp.hello import greet
from bridge.mcp.wire import Wire
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.tools.answer import Door


async def serve_stdio(door: Door, timeouts: Timeouts) -> None:
    """Serve the client at standard input until it hangs up."""
    if sys.platform == "win32":  # no waiting for pipes there, so the SDK's threads have to do
        from bridge.mcp.server import serve_threads

        await serve_threads(door, __version__)
    else:
        from bridge.mcp.stdio import open_stdio

        async with open_stdio(timeouts) as wire:
            await _serve_wire(door, wire)


async def _serve_wire(door: Door, wire: Wire) -> None:
    try:
        first, answered = await _meet(wire, door.instructions)
    except trio.EndOfChannel:
        return
    from bridge.mcp.server import serve_wire

    await serve_wire(door, __version__, wire, first, answered=answered)


async def _meet(wire: Wire, instructions: str) -> tuple[Message, bool]:
    """Greet the client and import what serves it, whichever takes longer."""
    async with open_scope() as nursery:
        ready = trio.Event()

        async def prepare() -> None:
            await trio.to_thread.run_sync(_import_server, abandon_on_cancel=True)
            ready.set()

        nursery.start_soon(prepare)
        met = await greet(wire, __version__, instructions)
        await ready.wait()
    return met


def _import_server() -> None:
    import_module("bridge.mcp.server")
    gc.freeze()  # some 200,000 objects that stay: no collection need ever look at them again
