"""A real browser whose pages have their prelude, and a door before it, for tests of what they log.

What a server arranges in a browser has to be arranged before its first page, so these tests do not
use the shared fixture `browser` but connect by themselves.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from bridge.browser.browser import open_tabs
from bridge.browser.prelude import arrange
from bridge.browser.tab import Tab
from bridge.policy.options import PolicyOptions
from bridge.session.connection import open_connection
from bridge.tools import catalogue
from bridge.transport.websocket import open_websocket
from tests.support.browsers import PATIENCE, sweep
from tests.support.door import ANYTHING, OpenDoor, open_door
from tests.support.linked import Everyday, open_linked, tidy

OpenLogged = Callable[..., AbstractAsyncContextManager[OpenDoor]]


@pytest.fixture
def logged(request: pytest.FixtureRequest) -> OpenLogged:
    """`open_logged` for this way to be in a browser."""
    if request.param == "extension":
        everyday: Everyday = request.getfixturevalue("contracted")
        return lambda **given: _open_over_extension(everyday, **given)
    endpoint: str = request.getfixturevalue("endpoint")
    return lambda **given: open_logged(endpoint, **given)


@asynccontextmanager
async def open_logged(
    endpoint: str, *, options: PolicyOptions = ANYTHING, data_dir: Path | None = None
) -> AsyncIterator[OpenDoor]:
    """A door on the Chromium that listens there."""
    assert catalogue.TOOLS

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


@asynccontextmanager
async def _open_over_extension(
    everyday: Everyday, *, options: PolicyOptions = ANYTHING, data_dir: Path | None = None
) -> AsyncIterator[OpenDoor]:
    assert catalogue.TOOLS

    async with (
        open_linked(everyday, prepare=arrange) as browser,
        open_door(browser, options, timeouts=PATIENCE, toolsets=("all",)) as door,
    ):
        door.desk.data_dir = data_dir
        try:
            yield door
        finally:
            await tidy(everyday)


async def open_page(door: OpenDoor, url: str) -> Tab:
    """A tab of the door that shows this page."""
    await door.text("navigate", url=url)
    tab = door.desk.current
    assert tab is not None
    return tab
