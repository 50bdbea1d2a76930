"""Pages that are left for a site which is long in coming, or never comes."""

import re
from dataclasses import replace
from urllib.parse import quote

import pytest
import trio

from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.errors import DeadlineExceeded
from bridge.page.target import Target
from fixtures.site import Site
from tests.support.browsers import PATIENCE, Connect

pytestmark = [  # once: what is behind a session does not know how its browser is shared
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_HURRIED = replace(PATIENCE, read=1.0, held=0.3, navigation=8.0)
_WAYS = ["<a href='{}'>go</a>", "<a onclick=\"location = '{}'\">go</a>"]


async def _page(browser: Browser, site: Site, way: str, to: str) -> Tab:
    html = way.format(to)
    return await browser.new_tab(site.url(f"/source?html={quote(html)}"))


def _link(tab: Tab) -> Target:
    return Target(tab.frames.main, {"selector": "a"}, "a")


@pytest.mark.inside
@pytest.mark.parametrize("way", _WAYS)
async def test_site_that_is_long_in_coming(
    browser: Browser, connect: Connect, site: Site, way: str
) -> None:
    """A click that leads there is done, and its result is the page that comes."""
    async with connect(timeouts=_HURRIED) as hurried:
        for to in (site.url("/slow?ms=2500"), site.other("/slow?ms=2500")):
            tab = await _page(hurried, site, way, to)
            after = await tab.actions.click(_link(tab))
            assert (after.now, after.title, after.loading) == (to, "Slow page", False)
            assert await tab.evaluate("document.title") == "Slow page"


@pytest.mark.parametrize("way", _WAYS)
async def test_site_that_never_comes(
    browser: Browser, connect: Connect, site: Site, way: str
) -> None:
    """The click is done and says that the page is going; a look says where to, and soon.

    What was looked for while it was going is not carried out later; going elsewhere ends it.
    """
    async with connect(timeouts=replace(_HURRIED, navigation=2.0)) as hurried:
        to = site.url("/never")
        tab = await _page(hurried, site, way, to)
        after = await tab.actions.click(_link(tab))
        assert (after.now, after.loading) == ("", True)
        began = trio.current_time()
        for look in (
            tab.worlds.call(tab.frames.main, "changes"),
            tab.evaluate("document.title = 'late'"),
        ):
            with pytest.raises(DeadlineExceeded, match=f"on its way to {re.escape(to)}") as late:
                await look
            assert late.value.retryable
        assert trio.current_time() - began < _HURRIED.read
        assert (await tab.navigate(site.url("/form"))).title == "Form"
        assert await tab.evaluate("document.title") == "Form"


async def test_read_where_the_next_page_comes(browser: Browser, site: Site) -> None:
    """What asks for a page that is being left waits for the next one, and reads that."""
    tab = await _page(browser, site, _WAYS[0], site.url("/slow?ms=1500"))
    await tab.evaluate("setTimeout(() => document.querySelector('a').click())")
    await site.wait_request("/slow")
    assert await tab.scripts.isolated("document.title") == "Slow page"
