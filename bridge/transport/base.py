"""What every way to reach a browser looks like from above: messages out, messages in, an end.

`receive` hands over everything that has arrived, not one message: a page that floods us costs one
task switch per read instead of one per event.
"""

from typing import Protocol

from bridge.errors import ChromeError

MAX_MESSAGE = 512 * 1024 * 1024
"""Largest message taken from a browser; Chrome itself refuses to take more than 100 MB from us."""

MAX_UNSENT = 32 * 1024 * 1024
"""Bytes waiting for a browser that does not read; above it `send` waits for room."""


class Transport(Protocol):
    """CDP messages to and from one browser; nobody above knows which kind it is."""

    @property
    def kind(self) -> str:
        """One word for logs and status: websocket, pipe, extension."""
        ...

    @property
    def congested(self) -> bool:
        """Too much is unsent: `send` would wait."""
        ...

    async def send(self, message: bytes) -> None:
        """Take the whole message or raise; a cancelled call has sent nothing."""
        ...

    async def receive(self) -> list[bytes]:
        """All that has arrived, oldest first, at least one; raises browser_gone at the end."""
        ...

    async def aclose(self) -> None:
        """Close at once, without waiting for the other side."""
        ...


def browser_gone(how: str) -> ChromeError:
    """The error that ends a transport."""
    return ChromeError(
        "BROWSER_GONE",
        f"the browser is gone: {how}",
        hint="The next call starts or finds a browser again; what was under way may or may not "
        "have happened.",
    )
