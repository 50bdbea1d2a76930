"""A real browser whose pages have their prelude, and a door before it, for tests of what they log.

What a server arranges in a browser has to be arranged before its first page, so these tests do not
use the shared fixture `browser` but connect by themselves.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bridge.browser.browser import Browser, open_tabs
from bridge.browser.prelude import PRELUDE
from bridge.browser.tab import Tab
from bridge.policy.options import PolicyOptions
from bridge.session.connection import open_connection
from bridge.tools import catalogue
from bridge.transport.websocket import open_websocket
from tests.support.browsers import PATIENCE, sweep
from tests.support.door import ANYTHING, OpenDoor, open_door


@asynccontextmanager
async def open_logged(
    endpoint: str, *, options: PolicyOptions = ANYTHING, data_dir: Path | None = None
) -> AsyncIterator[OpenDoor]:
    """A door on the Chromium that listens there."""
    assert catalogue.TOOLS

    def arrange(browser: Browser) -> None:
        browser.add_prelude(*PRELUDE)

    async with (
        open_websocket(endpoint, PATIENCE) as transport,
        open_connection(transport, PATIENCE) as connection,
        open_tabs(connection, exclusive=True, prepare=arrange) as browser,
        open_door(browser, options, timeouts=PATIENCE, toolsets=("all",)) as door,
    ):
        door.desk.data_dir = data_dir
        try:
            yield door
        finally:
            await sweep(connection, spare=True)


async def open_page(door: OpenDoor, url: str) -> Tab:
    """A tab of the door that shows this page."""
    await door.text("navigate", url=url)
    tab = door.desk.current
    assert tab is not None
    return tab
