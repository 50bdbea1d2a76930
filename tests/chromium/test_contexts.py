"""Isolated contexts: own cookies and storage, and gone when we are."""

import pytest
import trio

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.browser.contexts import open_context
from fixtures.site import Site
from tests.support.browsers import open_guest, until

pytestmark = pytest.mark.chromium

_STORE = "document.cookie = 'who=inside'; localStorage.who = 'inside'; 0"
_STORED = "[document.cookie, localStorage.who ?? '']"


async def test_contexts_are_apart(browser: Browser, site: Site) -> None:
    """What one context stores is in no other one, and not in the profile."""
    async with open_context(browser) as one, open_context(browser) as two:
        inside = await browser.new_tab(site.url("/form"), context_id=one)
        await inside.evaluate(_STORE)
        again = await browser.new_tab(site.url("/"), context_id=one)
        assert await again.evaluate(_STORED) == ["who=inside", "inside"]
        for context in (two, None):
            outside = await browser.new_tab(site.url("/form"), context_id=context)
            assert await outside.evaluate(_STORED) == ["", ""]


async def test_end_of_a_context(browser: Browser, site: Site) -> None:
    """At the end of the block the context is gone, with its tabs and what they stored."""
    async with open_context(browser) as context:
        tab = await browser.new_tab(site.url("/form"), context_id=context)
        await tab.evaluate(_STORE)
    await until(lambda: tab not in browser.tabs, "its tab is gone")
    left = await browser.connection.root.execute(cdp.target.get_browser_contexts())
    assert context not in left.browser_context_ids


async def test_death_of_the_owner(browser: Browser, endpoint: str) -> None:
    """A context goes with the process that made it, however that ends."""
    root = browser.connection.root
    with open_guest(endpoint) as guest:
        assert guest.stdout is not None
        line = await trio.to_thread.run_sync(guest.stdout.readline)
        target = cdp.target.TargetID(line.strip())
        inside = (await root.execute(cdp.target.get_target_info(target_id=target))).target_info
        guest.kill()
    await until(lambda: browser.targets.page(inside.target_id) is None, "its tab is gone")
    left = await root.execute(cdp.target.get_browser_contexts())
    assert inside.browser_context_id not in left.browser_context_ids
