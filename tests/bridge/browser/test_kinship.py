"""Which new pages are ours, in a browser that is played by hand."""

import pytest

from bridge import cdp
from tests.support.scripted_chrome import ScriptedChrome, open_scripted, settle

A, B, C = "A" * 32, "B" * 32, "C" * 32
THERE = "http://a.test/there"


def announce(chrome: ScriptedChrome, url: str, disposition: str = "newTab") -> None:
    """Have the page say what it is about to do."""
    params = {"frameId": A, "reason": "anchorClick", "url": url, "disposition": disposition}
    chrome.fake.event("Page.frameRequestedNavigation", params, f"S-{A}")


@pytest.mark.parametrize("disposition", ["newTab", "newWindow"])
async def test_modified_click(disposition: str) -> None:
    """What a click with a modifier opens is ours, though Chrome names no opener; once."""
    async with open_scripted() as (chrome, browser):
        chrome.say_page(A, "http://a.test/")
        await settle()
        await browser.take_over(browser.list_tabs()[0].id)
        announce(chrome, THERE, disposition)
        chrome.say_page(B, THERE)
        chrome.say_page(C, THERE)
        await settle()
        assert [tab.target_id for tab in browser.tabs] == [A, B]
        assert browser.opened_by(cdp.target.TargetID(A)) == [B]
        chrome.fake.event("Target.targetDestroyed", {"targetId": B})
        await settle()
        assert browser.opened_by(cdp.target.TargetID(A)) == []


async def test_others() -> None:
    """A page that nobody announced is not ours, nor one a page goes to itself."""
    async with open_scripted() as (chrome, browser):
        chrome.say_page(A, "http://a.test/")
        await settle()
        await browser.take_over(browser.list_tabs()[0].id)
        announce(chrome, THERE, "currentTab")
        chrome.say_page(B, THERE)
        await settle()
        assert [tab.target_id for tab in browser.tabs] == [A]
