"""A tab behind a door, whose library calls the test answers by name.

`says` holds what `lib.name(*args)` returns, or a function of the arguments; `calls` what was asked.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bridge.browser.tab import Tab
from bridge.policy.options import PolicyOptions
from bridge.timeouts import Timeouts
from bridge.tools import catalogue
from tests.support.door import ANYTHING, OpenDoor, open_door
from tests.support.fake_chrome import Asked
from tests.support.scripted_chrome import ScriptedChrome, frame_of, open_scripted, settle

PAGE = "A" * 32
SESSION = f"S-{PAGE}"
URL = "https://a.example/"


class Refusal(list[Any]):
    """The whole answer of a library call that failed."""


class PlayedPage:
    """Made by `open_played_page`."""

    def __init__(self, chrome: ScriptedChrome, tab: Tab, door: OpenDoor) -> None:
        self.chrome = chrome
        self.tab = tab
        self.door = door
        self.calls: list[tuple[str, list[Any]]] = []
        self.says: dict[str, Any] = {"number": _number}

    def refuses(self, name: str, code: str, message: str, **facts: Any) -> None:
        """Let a function end with an error of ours."""
        self.says[name] = Refusal([1, None, code, message, facts])

    async def navigate(self, url: str) -> None:
        """Another document comes."""
        news = {"frame": frame_of(PAGE, url, f"L-{url}"), "type": "Navigation"}
        self.chrome.fake.event("Page.frameNavigated", news, SESSION)
        await settle()

    async def add_frame(self, frame: str, url: str, parent: str = PAGE) -> None:
        """A frame of the same process."""
        told = {"frameId": frame, "parentFrameId": parent}
        self.chrome.fake.event("Page.frameAttached", told, SESSION)
        news = {"frame": frame_of(frame, url, f"L-{frame}", parent), "type": "Navigation"}
        self.chrome.fake.event("Page.frameNavigated", news, SESSION)
        await settle()

    def called(self, asked: Asked) -> dict[str, Any]:
        """Answer a library call."""
        arguments: Any = asked.params["arguments"]
        name, *rest = [argument.get("value", argument) for argument in arguments]
        if not asked.params["returnByValue"]:
            return _object("element")
        args = rest[2:]  # behind the next number and the frame's prefix
        self.calls.append((name, args))
        value: Any = self.says[name]
        value = value(*args) if callable(value) else value
        answer = value if isinstance(value, Refusal) else [1, value]
        return {"result": {"type": "object", "value": list(answer)}}


def _object(name: str) -> dict[str, Any]:
    return {"result": {"type": "object", "objectId": name}}


def _owner(asked: Asked) -> dict[str, Any]:
    """The element of the frame F12 is node 12."""
    return {"backendNodeId": int(str(asked.params["frameId"]).removeprefix("F"))}


def _number(owner: dict[str, str]) -> str:
    """And its ref is e12."""
    return f"e{owner['objectId'].removeprefix('owner ')}"


@asynccontextmanager
async def open_played_page(
    options: PolicyOptions = ANYTHING, *, timeouts: Timeouts | None = None
) -> AsyncIterator[PlayedPage]:
    """One tab, the current one behind the door."""
    async with open_scripted(timeouts=timeouts) as (chrome, browser):
        tree = {"frameTree": {"frame": frame_of(PAGE, URL, "L1")}}
        chrome.answers["Page.getFrameTree"] = lambda _: tree
        chrome.answers["Page.createIsolatedWorld"] = lambda _: {"executionContextId": 7}
        chrome.answers["Runtime.evaluate"] = lambda _: _object("library")
        chrome.answers["Runtime.callFunctionOn"] = lambda asked: page.called(asked)
        chrome.answers["DOM.getFrameOwner"] = _owner
        chrome.answers["DOM.resolveNode"] = lambda asked: {
            "object": _object(f"owner {asked.params['backendNodeId']}")["result"]
        }
        chrome.say_page(PAGE, URL)
        await settle()
        tab = await browser.take_over("taaaaaaaa")
        async with open_door(browser, options, timeouts=timeouts, toolsets=("all",)) as door:
            assert catalogue.TOOLS, "nobody has declared a tool"
            await door.desk.browser()
            door.desk.select(tab)
            page = PlayedPage(chrome, tab, door)
            yield page
