"""A person's own browser, got through the extension; nothing is started, it is there or it is not.

The extension hears of a server within half a second and dials at once, so a server that has just
begun waits a moment for it. Later on, where there is another way to a browser, nobody waits.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from bridge.browser.browser import Browser, Prepare, open_tabs
from bridge.browser.resync import follow_gaps
from bridge.errors import LinkError
from bridge.relay.options import LinkOptions
from bridge.relay.server import Relay
from bridge.session.connection import open_connection
from bridge.timeouts import Timeouts
from bridge.transport.extension import ExtensionTransport
from launcher.chrome import Chrome


class Linking:
    """How a lifecycle gets a browser from a relay."""

    def __init__(
        self, relay: Relay, options: LinkOptions, timeouts: Timeouts, prepare: Prepare
    ) -> None:
        self._relay = relay
        self._options = options
        self._timeouts = timeouts
        self._prepare = prepare
        self._until = trio.current_time() + timeouts.link

    @asynccontextmanager
    async def open(self) -> AsyncIterator[tuple[Chrome, Browser]]:
        """Our tabs in it; EXTENSION_DISCONNECTED where it is not there."""
        transport = await self._wait()
        async with (
            open_connection(transport, self._timeouts) as connection,
            open_tabs(connection, exclusive=False, prepare=self._arrange) as browser,
        ):
            yield Chrome(ownership="attached"), browser

    def _arrange(self, browser: Browser) -> None:
        follow_gaps(browser)
        self._prepare(browser)

    async def _wait(self) -> ExtensionTransport:
        patience = self._until - trio.current_time()
        if not self._options.fallback:
            patience = self._timeouts.link
        with trio.move_on_after(max(patience, 0)):
            return await self._relay.wait_link(self._options.browser_label)
        raise self._absent()

    def _absent(self) -> LinkError:
        label = self._options.browser_label
        others = [f"{each.label or each.product}" for each in self._relay.links()]
        what = "no browser with the extension is connected"
        if label is not None:
            what = f"no browser called {label!r} is connected through the extension"
            what += f" (there is {', '.join(others)})" if others else ""
        return LinkError(
            "EXTENSION_DISCONNECTED",
            what,
            hint="Open Chrome with the extension in it; `chrome-bridge extension status` says "
            "what is missing.",
            retryable=True,
        )
