"""From no browser to the first answer, again and again: nothing is kept from one time to the next.

The way is a person's: Chrome begins, the extension asks the native host which servers there are,
dials the one there is, and its first tab answers. Nobody tells the extension to look.
"""

import statistics

import pytest
import trio

from bridge.browser.browser import open_tabs
from bridge.relay.invitation import FOLDER
from bridge.relay.registration import host_of
from bridge.relay.server import open_relay
from bridge.session.connection import open_connection
from bridge.transport.link import Sites
from fixtures.site import Site
from launcher.chrome import open_chrome
from tests.support.browsers import OFFLINE, PATIENCE
from tests.support.conditions import limit
from tests.support.ground import Ground, ground
from tests.support.linked import EXTENSION
from tests.support.rounds import FULL, ROUNDS

__all__ = ["ground"]
pytestmark = [pytest.mark.chromium, pytest.mark.extension]

_STARTS = 50 if FULL else ROUNDS
_LONGEST = 20.0  # of a busy machine; the median is what is told


async def _start(ground: Ground, number: int, url: str) -> float:
    """Seconds until the first page over the extension has answered."""
    data = ground.root / str(number)
    data.mkdir()
    host_of(data).write()
    options = ground.options(
        data_dir=data, isolated=True, extensions=(EXTENSION,), chrome_args=OFFLINE
    )
    async with open_relay(data / FOLDER, "a test", Sites(visited=["*"])) as relay:
        begun = trio.current_time()
        async with (
            open_chrome(options),
            open_connection(await relay.wait_link(None), PATIENCE) as connection,
            open_tabs(connection, exclusive=False) as browser,
        ):
            tab = await browser.new_tab(url)
            assert await tab.evaluate("document.title") == "Form"
            return trio.current_time() - begun


@pytest.mark.timeout(60 + 10 * _STARTS)
async def test_first_answer_again_and_again(ground: Ground, site: Site) -> None:
    """Every cold start reaches its first answer."""
    took: list[float] = []
    for number in range(_STARTS):
        with limit(_LONGEST):
            took.append(await _start(ground, number, site.url("/form")))
    ground.note("median", round(statistics.median(took), 2))
    ground.note("longest", round(max(took), 2))
