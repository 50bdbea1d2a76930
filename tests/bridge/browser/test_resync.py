"""What is read again after events were lost."""

import trio

from bridge.browser.resync import follow_gaps
from tests.support.scripted_chrome import (
    ScriptedChrome,
    frame_tree,
    open_scripted,
    settle,
    target_info,
)

PAGE, OTHER = "A" * 32, "B" * 32


async def _opened(chrome: ScriptedChrome) -> None:
    """A page there is, and what the list says of it."""
    chrome.say_page(PAGE)
    await settle()
    chrome.answers["Target.getTargets"] = lambda _: {
        "targetInfos": [target_info(PAGE, "https://a.test/", title="Now")]
    }


async def test_gap() -> None:
    """After a gap the list of tabs is the present one, and each tab's frames are asked for."""
    async with open_scripted(prepare=follow_gaps) as (chrome, browser):
        await _opened(chrome)
        await browser.take_over(browser.targets.tab_id(browser.targets.pages()[0].target_id))
        asked = len(chrome.seen)
        chrome.fake.event("Bridge.gap", {"dropped": 3})
        with trio.fail_after(5):  # noqa: TID251 -- a test's own bound
            while "Page.getFrameTree" not in [each.method for each in chrome.seen[asked:]]:
                await settle()
        assert [info.title for info in browser.targets.pages()] == ["Now"]


async def test_no_tabs() -> None:
    """Without tabs of ours only the list is read."""
    async with open_scripted(prepare=follow_gaps) as (chrome, _):
        await _opened(chrome)
        asked = len(chrome.seen)
        chrome.fake.event("Bridge.gap", {})
        await settle()
        assert [each.method for each in chrome.seen[asked:]] == ["Target.getTargets"]


async def test_silent_tab() -> None:
    """A tab that answers nothing keeps no other from being read again."""
    async with open_scripted(prepare=follow_gaps) as (chrome, browser):
        await _opened(chrome)
        chrome.say_page(OTHER)
        await settle()
        for info in browser.targets.pages():
            await browser.take_over(browser.targets.tab_id(info.target_id))
        asked = len(chrome.seen)
        chrome.hold.add("Page.getFrameTree")
        chrome.fake.event("Bridge.gap", {"dropped": 3})
        await settle()
        again = [each.session for each in chrome.seen[asked:] if "FrameTree" in each.method]
        assert sorted(again) == [f"S-{PAGE}", f"S-{OTHER}"]


async def test_lives_unannounced() -> None:
    """Where a document is alive whose arrival was not told, the frames are asked for."""
    async with open_scripted() as (chrome, browser):
        await _opened(chrome)
        await browser.take_over(browser.targets.tab_id(browser.targets.pages()[0].target_id))
        for loader in (browser.tabs[0].frames.main.loader, "unheard of"):
            asked = len(chrome.seen)
            alive = {"frameId": PAGE, "loaderId": loader, "name": "DOMContentLoaded"}
            chrome.fake.event("Page.lifecycleEvent", {**alive, "timestamp": 1.0}, f"S-{PAGE}")
            await settle()
            again = [each.method for each in chrome.seen[asked:]]
            assert again.count("Page.getFrameTree") == (loader == "unheard of")


async def test_address_of_a_blank_page() -> None:
    """Where a page has an address, and told nothing but its blank beginning, it is asked."""
    async with open_scripted(prepare=follow_gaps) as (chrome, browser):
        await _opened(chrome)
        await browser.take_over(browser.targets.tab_id(browser.targets.pages()[0].target_id))
        tree = frame_tree(PAGE, "https://a.test/", "L2")
        for url, asks in (("about:blank", 0), ("https://a.test/", 1), ("https://a.test/#b", 0)):
            chrome.answers["Page.getFrameTree"] = lambda _: tree
            asked = len(chrome.seen)
            info = {"targetInfo": target_info(PAGE, url)}
            chrome.fake.event("Target.targetInfoChanged", info)
            await settle()
            assert [e.method for e in chrome.seen[asked:]].count("Page.getFrameTree") == asks
        assert browser.tabs[0].url == "https://a.test/"
