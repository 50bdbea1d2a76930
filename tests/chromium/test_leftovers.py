"""What is left of a tab with us once it is gone: nothing that a garbage collector has to find."""

import gc
from collections.abc import Iterator
from weakref import ref

import pytest

from bridge.page.console import Console
from bridge.page.network import Network
from fixtures.site import Site
from tests.support.browsers import until
from tests.support.logged import open_logged, open_page

pytestmark = pytest.mark.chromium


@pytest.fixture
def no_collector() -> Iterator[None]:
    """What forms a ring stays."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def test_closed_tab(endpoint: str, site: Site, no_collector: None) -> None:
    """A tab that was read, clicked and closed is forgotten at once, with all it had."""
    async with open_logged(endpoint) as door:
        await open_page(door, site.url("/"))  # stays
        forgotten: list[ref[Console] | ref[Network]] = []
        for _ in range(3):
            await door.text("tab_new", url=site.url("/frames"))
            await door.text("snapshot")
            await door.text("click", selector="h1")
            tab = door.desk.current
            assert tab is not None
            forgotten += [ref(tab.console), ref(tab.network)]
            del tab
            await door.text("tab_close")
        await until(lambda: all(each() is None for each in forgotten), "all are forgotten")
