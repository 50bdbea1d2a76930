"""A login of a moment ago is there again after every kind of end."""

import sys

import pytest
import trio

from bridge import open_browser
from bridge.browser.lifecycle import open_lifecycle
from fixtures.site import Site
from tests.support.door import open_door
from tests.support.ground import Ground, ground
from tests.support.holding import open_holder
from tests.support.site import site

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

__all__ = ["ground", "site"]
pytestmark = pytest.mark.chromium

# Resolves 0.3 s after the login, as if the user had closed the window at once.
LOG_IN = """new Promise(done => {
    document.cookie = 'login=yes; max-age=86400';
    localStorage.setItem('login', 'yes');
    setTimeout(() => done(document.cookie), 300);
})"""
WHO = "[document.cookie, localStorage.getItem('login')]"


async def remembered(ground: Ground, site: Site) -> object:
    """What the profile still knows in a new browser."""
    async with open_lifecycle(ground.options()) as lifecycle:
        tab = await (await lifecycle.browser()).new_tab(site.url())
        return await tab.evaluate(WHO)


@pytest.mark.parametrize("how", ["stdin", "SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"])
async def test_ended(ground: Ground, site: Site, how: str) -> None:
    """Cookie and local storage of 0.3 s ago survive our end, SIGKILL included."""
    async with open_holder(ground) as holder:
        await holder.up()
        await holder.ask("go", url=site.url())
        assert "login=yes" in (await holder.ask("evaluate", expression=LOG_IN))["value"]
        await holder.end(how)
        await ground.assert_clean()
    assert await remembered(ground, site) == ["login=yes", "yes"]
    await ground.assert_clean()


async def test_block(ground: Ground, site: Site) -> None:
    """The same for the end of a block."""
    async with open_lifecycle(ground.options()) as lifecycle:
        tab = await (await lifecycle.browser()).new_tab(site.url())
        await tab.evaluate(LOG_IN)
    await ground.assert_clean()
    assert await remembered(ground, site) == ["login=yes", "yes"]
    await ground.assert_clean()


async def test_last_tab_closed(site: Site) -> None:
    """A browser of ours whose last tab was closed goes on, with the logins of its session."""
    async with open_browser(headless=True, isolated=True) as browser:
        tab = await browser.new_tab(site.url())
        for _ in range(2):
            await tab.evaluate("document.cookie = 'session=mine'")
            await tab.close()
            assert tab not in browser.tabs
            tab = await browser.new_tab(site.url())
            assert await tab.evaluate("document.cookie") == "session=mine"
        assert len(browser.targets.pages()) == 1


async def test_all_tabs_closed_at_once(site: Site) -> None:
    """So does one whose tabs are all closed at the same time, each while the others are there."""
    async with open_browser(headless=True, isolated=True) as browser:
        tabs = [await browser.new_tab(site.url()) for _ in range(3)]
        await tabs[0].evaluate("document.cookie = 'session=mine'")
        async with trio.open_nursery() as nursery:
            for tab in tabs:
                nursery.start_soon(tab.close)
        tab = await browser.new_tab(site.url())
        assert await tab.evaluate("document.cookie") == "session=mine"
        assert len(browser.targets.pages()) == 1


async def test_last_tab_closed_by_a_tool(site: Site) -> None:
    """What stands in for the last tab is the next one."""
    async with open_browser(headless=True, isolated=True) as browser, open_door(browser) as door:
        await door.text("navigate", url=site.url("/form"))
        tab = door.desk.current
        assert tab is not None
        assert (await door.text("tab_close")).startswith(f"Closed {tab.id}.")
        assert tab.id not in await door.text("tabs_list")
        assert "Form" in await door.text("navigate", url=site.url("/form"))
        assert len(browser.targets.pages()) == 1
