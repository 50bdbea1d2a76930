"""What the gate asks of a browser."""

from bridge import cdp
from bridge.gate.fetch import Gate
from bridge.gate.guarded import ask, tab_of
from tests.bridge.gate.test_fetch import POLICY, open_guarded
from tests.bridge.gate.test_popups import A, B, own


async def test_tab_of() -> None:
    """A frame belongs to the tab of ours that shows it, or to none."""
    async with open_guarded(Gate(lambda: POLICY), exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        assert tab_of(A, browser) == A
        assert tab_of(B, browser) is None


async def test_ask() -> None:
    """What is refused is told, and raises nothing."""
    async with open_guarded(Gate(lambda: POLICY), exclusive=False) as (chrome, browser):
        chrome.answers["Fetch.disable"] = lambda asked: {}
        root = browser.connection.root
        assert await ask(root, cdp.fetch.disable())
        chrome.answers["Fetch.disable"] = lambda asked: (
            chrome.fake.refuse(asked, -32000, "gone") or {}  # type: ignore[func-returns-value]
        )
        assert not await ask(root, cdp.fetch.disable())
