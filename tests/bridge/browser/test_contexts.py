"""Isolated contexts, with a browser played by hand."""

import pytest
import trio
import trio.testing

from bridge import cdp
from bridge.browser.contexts import open_context
from bridge.errors import BridgeError
from tests.support.scripted_chrome import open_scripted


async def test_failed_context() -> None:
    """A context whose browser went first ends the block quietly."""
    async with open_scripted() as (chrome, browser):
        chrome.answers["Target.createBrowserContext"] = lambda _: {"browserContextId": "X"}
        async with open_context(browser) as context:
            assert context == "X"
            [asked] = [a for a in chrome.seen if a.method == "Target.createBrowserContext"]
            assert asked.params == {"disposeOnDetach": True}
            chrome.fake.end()
            with pytest.raises(BridgeError):
                await browser.new_tab()


async def test_left_by_a_browser_that_hangs(autojump_clock: trio.testing.MockClock) -> None:
    """Several contexts end in the time of one, though their browser does not answer."""
    async with open_scripted() as (chrome, browser):
        names = iter("XYZ")
        chrome.answers["Target.createBrowserContext"] = lambda _: {"browserContextId": next(names)}
        pages = [_page(await browser.contexts.make()) for _ in range(3)]
        chrome.hold.add("Target.disposeBrowserContext")
        began = trio.current_time()
        await browser.contexts.drop_left(pages, [page.target_id for page in pages])
        assert trio.current_time() - began <= browser.connection.timeouts.close
        assert chrome.methods().count("Target.disposeBrowserContext") == 3


def _page(context_id: cdp.browser.BrowserContextID) -> cdp.target.TargetInfo:
    return cdp.target.TargetInfo(
        target_id=cdp.target.TargetID(f"T-{context_id}"),
        type="page",
        title="",
        url="about:blank",
        attached=True,
        can_access_opener=False,
        browser_context_id=context_id,
    )
