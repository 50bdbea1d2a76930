"""Blank pages that others have written into: they are judged as whoever opened them."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote, urlsplit

import pytest

from bridge.browser.browser import Browser
from bridge.policy.options import PolicyOptions
from fixtures.site import Site
from tests.support.browsers import open_browser_at, until
from tests.support.door import OpenDoor, open_door

pytestmark = pytest.mark.chromium

_OPENER = """<title>Opener</title><p id=p>Words</p><script>
const w = open('about:blank', 'w');
w.document.body.innerHTML = "<button id=b onclick='opener.p.textContent = `Changed`'>Go</button>";
</script>"""
_TITLED = quote("<title>Denied</title><script>open().document.title = 'Denied'</script>")
_FRAMED = "<p id=p>Around</p><iframe src='{}'></iframe>"


@dataclass
class _Openable:
    door: OpenDoor
    browser: Browser

    async def open_from(self, url: str) -> str:
        """The tab that the page there opens."""
        await self.door.text("navigate", url=url)
        opener = self.door.desk.current
        assert opener is not None
        opened = partial(self.browser.opened_by, opener.target_id)
        await until(lambda: bool(opened()), "the blank page is there")
        tab = await self.browser.arrived(opened()[0])
        await until(lambda: tab.url == "about:blank", "it is blank")
        return tab.id


@pytest.fixture(params=[True, False], ids=["alone", "shared"])
async def page(
    endpoint: str, site: Site, request: pytest.FixtureRequest
) -> AsyncIterator[_Openable]:
    """One host may be acted on, another one only be read; a third one not even that."""
    options = PolicyOptions(
        allow_domain=(urlsplit(site.origin).netloc,),
        read_domain=(urlsplit(site.other_origin).netloc,),
        enable_mutations=True,
        unsafe_enable_eval=True,
    )
    async with (
        open_browser_at(endpoint, exclusive=request.param) as browser,
        open_door(browser, options) as door,
    ):
        yield _Openable(door, browser)


async def test_of_a_page_that_may_be_acted_on(page: _Openable, site: Site) -> None:
    """It is one more page of that host."""
    tab = await page.open_from(site.url(f"/markup?html={quote(_OPENER)}"))
    assert 'button "Go"' in await page.door.text("snapshot", tabId=tab)
    await page.door.text("click", selector="#b", tabId=tab)
    assert '"Changed"' in await page.door.text("eval", expression="opener.p.textContent", tabId=tab)


async def test_of_a_page_that_may_only_be_read(page: _Openable, site: Site) -> None:
    """It is read, and nothing is done to it, nor through it to its opener."""
    tab = await page.open_from(site.other(f"/markup?html={quote(_OPENER)}"))
    assert 'button "Go"' in await page.door.text("snapshot", tabId=tab)
    for tool, arguments in (
        ("click", {"selector": "#b"}),
        ("eval", {"expression": "opener.p.textContent = 'Changed'"}),
    ):
        assert (await page.door.refusal(tool, **arguments, tabId=tab)).startswith("POLICY_DENIED")


async def test_of_a_page_that_may_not_be_read(page: _Openable, site: Site) -> None:
    """Neither what it says nor its title is told."""
    narrow = PolicyOptions(allow_domain=(urlsplit(site.origin).netloc,))
    async with open_door(page.browser, narrow) as door:
        opener = await page.browser.new_tab(site.other(f"/markup?html={_TITLED}"))
        opened = partial(page.browser.opened_by, opener.target_id)
        await until(lambda: bool(opened()), "the blank page is there")
        tab = await page.browser.arrived(opened()[0])
        assert (await door.refusal("snapshot", tabId=tab.id)).startswith("POLICY_DENIED")
        listed = await door.text("tabs_list")
        assert f"{tab.id} (an address the policy does not show)" in listed
        assert "Denied" not in listed


async def test_of_a_frame_that_may_only_be_read(page: _Openable, site: Site) -> None:
    """So is what a frame of such a host has opened, whatever page it is in."""
    inner = site.other(f"/markup?html={quote(_OPENER)}")
    outer = site.url(f"/markup?html={quote(_FRAMED.format(inner))}")
    tab = await page.open_from(outer)
    assert 'button "Go"' in await page.door.text("snapshot", tabId=tab)
    assert (await page.door.refusal("click", selector="#b", tabId=tab)).startswith("POLICY_DENIED")


async def test_of_nobody(page: _Openable) -> None:
    """A blank page of one's own belongs to nobody, and everything may be done to it."""
    await page.door.text("tab_new")
    assert "\n2\n" in await page.door.text("eval", expression="1 + 1")
