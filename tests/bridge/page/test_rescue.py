"""Getting a page back."""

from bridge.page.rescue import free
from tests.support.scripted_chrome import open_scripted

REFUSED = -32000


async def test_nothing_was_running() -> None:
    """A page that has nothing to end, or is gone, is no failure."""
    async with open_scripted() as (chrome, browser):
        chrome.answers["Runtime.terminateExecution"] = lambda asked: chrome.fake.refuse(
            asked, REFUSED, "nothing to terminate"
        )
        await free(browser.connection.root)
        assert "Runtime.terminateExecution" in chrome.methods()
