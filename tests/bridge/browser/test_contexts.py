"""Isolated contexts, with a browser played by hand."""

import pytest

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
