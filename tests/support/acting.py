"""A played page that can be acted on: what its library tells of a press, and the input it got."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bridge.page.target import Target
from bridge.timeouts import Timeouts
from tests.support.played_page import SESSION, PlayedPage, open_played_page
from tests.support.scripted_chrome import settle

SPOT = {"x": 10, "y": 20, "matches": 1, "holdsFrame": False, "drags": False, "checked": None}
PRESSED = {
    "presses": 1,
    "clicks": 1,
    "missed": None,
    "drop": None,
    "there": True,
    "chooses": False,
    "checked": None,
    "changes": "",
    "title": "",
    "closing": False,
}
QUIET = {"changes": "", "title": "", "closing": False}
_INPUT = ("Input.dispatchMouseEvent", "Input.dispatchKeyEvent", "Input.dispatchDragEvent")


@asynccontextmanager
async def open_acting(timeouts: Timeouts | None = None) -> AsyncIterator[PlayedPage]:
    """A page where everything is ready and nothing changes, until the test says otherwise."""
    async with open_played_page(timeouts=timeouts) as page:
        for method in (*_INPUT, "Input.insertText", "Input.setInterceptDrags"):
            page.chrome.answers[method] = lambda _: {}
        page.chrome.answers["Page.setInterceptFileChooserDialog"] = lambda _: {}
        page.chrome.answers["Runtime.terminateExecution"] = lambda _: {}
        page.says |= {
            "aim": SPOT,
            "pressed": PRESSED,
            "changes": QUIET,
            "entered": QUIET,
            "rest": None,
            "unguard": None,
            "setField": None,
            "chooseOptions": {},
        }
        yield page


def target(page: PlayedPage, css: str = "#b") -> Target:
    """An element of the main frame."""
    return Target(page.tab.frames.main, {"selector": css}, css)


def events(page: PlayedPage) -> list[str]:
    """The kinds of input events the page got, in order."""
    return [str(asked.params["type"]) for asked in page.chrome.seen if asked.method in _INPUT]


async def tell(page: PlayedPage, method: str, **params: Any) -> None:
    """An event of the page."""
    page.chrome.fake.event(method, params, SESSION)
    await settle()
