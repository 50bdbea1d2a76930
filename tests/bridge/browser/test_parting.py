"""What tabs are told before they are closed."""

from bridge import cdp
from bridge.browser.parting import part
from tests.support.played_page import SESSION, open_played_page

_WORD = cdp.network.enable()


async def test_told_once_for_each_process() -> None:
    """Each process of a tab is told everything, one that refuses it holds nothing up."""
    async with open_played_page() as page:
        await page.add_frame("F1", "https://a.example/inner")
        before = page.chrome.methods(SESSION).count("Network.enable")
        await part([page.tab], [lambda: [_WORD], lambda: [_WORD]])
        assert page.chrome.methods(SESSION).count("Network.enable") == before + 2
        await part([page.tab], [])
        page.chrome.answers["Network.enable"] = lambda asked: page.chrome.fake.refuse(
            asked, -32000, "no"
        )
        await part([page.tab], [lambda: [_WORD]])


async def test_no_answer(autojump_clock: object) -> None:
    """A page that is too busy to hear it is not waited for."""
    async with open_played_page() as page:
        page.chrome.hold.add("Network.enable")
        await part([page.tab], [lambda: [_WORD]])
