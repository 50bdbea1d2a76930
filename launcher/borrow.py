"""A browser somebody else runs: by its address, or the user's own Chrome that allows it.

The user's own Chrome, with remote debugging switched on in `chrome://inspect`, writes
`DevToolsActivePort`, answers 404 over HTTP, and lets the WebSocket wait until a person clicks
"Allow"; so that address is used as it stands, with a person's patience. Nothing borrowed is ever
closed.
"""

import socket
from dataclasses import dataclass
from pathlib import Path

from bridge.errors import ChromeError
from bridge.timeouts import Timeouts
from launcher import farewell, probe
from launcher import platform as platforms
from launcher.options import LaunchOptions

_LOOPBACK = 0.5  # the kernel itself answers, at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Borrowed:
    """Where it listens, and what is known of it."""

    url: str
    profile: Path | None = None
    needs_approval: bool = False


async def borrow(options: LaunchOptions, timeouts: Timeouts) -> Borrowed:
    """The browser at the given endpoint, or the user's own."""
    if options.cdp_endpoint is not None:
        return Borrowed(url=await probe.resolve(options.cdp_endpoint, timeouts))
    return users_own(platforms.current())


def users_own(platform: platforms.Platform) -> Borrowed:
    """The first of the user's browsers that offers remote debugging.

    Chrome never removes its port file, so one counts only while somebody listens there.
    """
    looked = []
    for _, folder in platform.default_user_data_dirs():
        written = farewell.read_port(folder)
        if written is not None and _listens(written[0]):
            port, path = written
            return Borrowed(url=f"ws://127.0.0.1:{port}{path}", profile=folder, needs_approval=True)
        looked.append(str(folder))
    raise ChromeError(
        "NO_BACKEND",
        "none of your browsers offers remote debugging",
        hint="Open chrome://inspect/#remote-debugging in the browser you use, tick 'Allow remote "
        "debugging for this browser instance', and try again.",
        facts={"looked_at": looked},
    )


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), _LOOPBACK).close()
    except OSError:
        return False
    return True
