"""Isolated contexts: cookies and storage of their own, in a browser that others use too."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from bridge import cdp, log
from bridge.browser.browser import Browser
from bridge.errors import BridgeError

_log = log.get("browser")


@asynccontextmanager
async def open_context(browser: Browser) -> AsyncIterator[cdp.browser.BrowserContextID]:
    """An isolated context until the block ends, or we do; pass it to `new_tab`."""
    root, timeouts = browser.connection.root, browser.connection.timeouts
    made = await root.execute(cdp.target.create_browser_context(dispose_on_detach=True))
    try:
        yield made.browser_context_id
    finally:
        with trio.move_on_after(timeouts.close, shield=True):
            try:
                await root.execute(cdp.target.dispose_browser_context(made.browser_context_id))
            except BridgeError as error:
                _log.debug("context went first: %s", error)
