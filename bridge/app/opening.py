"""`open`: a page in a browser, for a person."""

from collections.abc import Callable
from dataclasses import dataclass

from bridge.browser.lifecycle import open_session
from bridge.timeouts import Timeouts
from launcher.options import LaunchOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A tab that was opened for a person."""

    tab: str
    url: str
    title: str
    profile: str
    headless: bool
    ownership: str


async def open_url(
    options: LaunchOptions, url: str, tell: Callable[[Opened], None], *, timeouts: Timeouts
) -> None:
    """Open a page; a window stays open after us, a headless browser is held until we are ended."""
    async with open_session(options, timeouts, close_tabs=False) as (chrome, browser):
        tab = await browser.new_tab(background=False, keep=True)
        here = await tab.navigate(url)
        tell(
            Opened(
                tab=tab.id,
                url=here.url,
                title=here.title,
                profile=str(chrome.profile or ""),
                headless=chrome.headless,
                ownership=chrome.ownership,
            )
        )
        if chrome.headless and chrome.ownership == "launched":
            await browser.connection.ended.wait()
