"""The fixture `site`: the pages of `fixtures/` on a loopback server, one per test.

Opening it costs two listeners and reading a few small files, so no test shares it with another.
"""

from collections.abc import AsyncIterator

import pytest

from fixtures.site import Site, open_site


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """The local site, open as long as the test runs."""
    async with open_site() as opened:
        yield opened
