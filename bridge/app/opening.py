"""`open`: a page in a browser, for a person."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from bridge.browser.lifecycle import open_session
from bridge.errors import LaunchError, UsageError
from bridge.policy.hosts import parse_address
from bridge.timeouts import Timeouts
from launcher.chrome import Chrome
from launcher.options import LaunchOptions

_LOCAL = re.compile(r"(?:localhost|127\.[\d.]+|\[::1\])(?:[:/?#]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A tab that was opened for a person."""

    tab: str
    url: str
    title: str
    profile: str
    headless: bool
    ownership: str


def full_address(text: str) -> str:
    """The address a person means: with a scheme where they left it out; BAD_ARGS for no address."""
    text = text.strip()
    meant = text
    if not re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?!\d)", text):
        meant = f"{'http' if _LOCAL.match(text) else 'https'}://{text}"
    if not text or parse_address(meant) is None:
        raise UsageError(
            "BAD_ARGS",
            f"{text[:200]!r} is not an address",
            hint="Give one such as example.com or http://localhost:8000/.",
        )
    return meant


async def open_url(
    options: LaunchOptions, url: str, tell: Callable[[Opened], None], *, timeouts: Timeouts
) -> None:
    """Open a page; a window stays open after us, a headless browser is held until we are ended."""
    async with open_session(options, timeouts, close_tabs=False) as (chrome, browser):
        if options.headless is None:
            _check_window(chrome)
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


def _check_window(chrome: Chrome) -> None:
    """For a person who would wait for a window: no browser of ours here has or can have one."""
    if not chrome.headless or chrome.ownership != "launched":
        return
    if chrome.errand is not None:  # it was started for this
        raise LaunchError(
            "LAUNCH_FAILED",
            "this session has no display, so no window would appear",
            hint="Run it from a desktop session. With --headless the page is opened unseen.",
            facts={"headless": True},
        )
    raise LaunchError(
        "PROFILE_LOCKED",
        f"the profile {chrome.profile} runs headless already, so no window would appear",
        hint="End who uses it, or run `chrome-bridge stop`, then try again; or use another "
        "profile. With --headless the page is opened unseen.",
        facts={"pid": chrome.pid, "headless": True},
    )
