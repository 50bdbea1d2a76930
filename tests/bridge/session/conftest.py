"""A connection to a browser that the test plays."""

from collections.abc import AsyncIterator

import pytest
import trio

from bridge.session.connection import Connection, open_connection
from bridge.session.session import Session
from tests.support.fake_chrome import FakeChrome


@pytest.fixture
async def chrome() -> FakeChrome:
    """The browser's side."""
    return FakeChrome()


@pytest.fixture
async def connection(chrome: FakeChrome) -> AsyncIterator[Connection]:
    """Our side, with the product's own timeouts."""
    async with open_connection(chrome) as opened:
        yield opened


@pytest.fixture
async def page(chrome: FakeChrome, connection: Connection) -> Session:
    """The session of a page, P; the next command of the test is the first one sent."""
    chrome.attached("P")
    await trio.testing.wait_all_tasks_blocked()
    session = connection.session("P")
    assert session is not None
    return session
