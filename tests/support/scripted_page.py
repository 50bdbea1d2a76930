"""A tab with frames whose walker is played by the test: what each frame's library answers."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from bridge.browser.tab import Tab
from bridge.timeouts import Timeouts
from tests.support.fake_chrome import Asked
from tests.support.scripted_chrome import ScriptedChrome, frame_of, open_scripted, settle

PAGE = "A" * 32
SESSION = f"S-{PAGE}"
URL = "https://a.example/"

Reading = dict[str, Any]


def reading(text: str, **more: Any) -> Reading:
    """What the walker answers."""
    return {"text": text, "frames": [], "inView": None, "suspects": 0, "internals": 0, **more}


class ScriptedPage:
    """A tab; `readings` are the walker's answers by frame, `calls` what was asked of libraries."""

    def __init__(self, chrome: ScriptedChrome, tab: Tab) -> None:
        self.chrome = chrome
        self.tab = tab
        self.readings: dict[str, Callable[[], Reading]] = {}
        self.calls: list[tuple[str, str, list[Any]]] = []
        self.held: dict[str, str] = {"suspects": "listed"}
        self.silent: set[str] = set()
        for method, answer in {
            "Page.createIsolatedWorld": lambda asked: {"executionContextId": self._context(asked)},
            "Runtime.evaluate": lambda asked: _object(f"library {asked.params['contextId']}"),
            "DOM.getFrameOwner": lambda asked: {"backendNodeId": _number(asked.params["frameId"])},
            "DOM.resolveNode": lambda asked: {
                "object": _remote(f"node {asked.params['backendNodeId']}")
            },
            "Runtime.releaseObject": lambda _: {},
            "Runtime.terminateExecution": lambda _: {},
        }.items():
            chrome.answers[method] = answer
        self._frames: list[str] = []

    async def navigate(self, url: str) -> None:
        """Another document comes."""
        news = {"frame": frame_of(PAGE, url, "L2"), "type": "Navigation"}
        self.chrome.fake.event("Page.frameNavigated", news, SESSION)
        await settle()

    async def add_frame(self, frame: str, url: str, parent: str = PAGE) -> None:
        """A frame comes, in the same process."""
        told = {"frameId": frame, "parentFrameId": parent}
        self.chrome.fake.event("Page.frameAttached", told, SESSION)
        news = {"frame": frame_of(frame, url, f"L{frame}", parent), "type": "Navigation"}
        self.chrome.fake.event("Page.frameNavigated", news, SESSION)
        await settle()

    async def play(self) -> None:
        """Answer calls of libraries until cancelled."""
        async for asked in self.chrome.asked:
            if asked.method == "Runtime.callFunctionOn":
                self._called(asked)

    def _context(self, asked: Asked) -> int:
        frame = str(asked.params["frameId"])
        self._frames.append(frame)
        return len(self._frames) - 1

    def _called(self, asked: Asked) -> None:
        frame = self._frames[int(str(asked.params["objectId"]).split()[-1])]
        arguments: Any = asked.params["arguments"]
        name, *rest = (each.get("value", each.get("objectId")) for each in arguments)
        self.calls.append((frame, name, rest))
        if frame in self.silent:
            return
        if not asked.params["returnByValue"]:
            self.chrome.fake.answer(asked, _object(self.held[name]))
            return
        value: Any = None
        if name == "snapshot":
            value = self.readings[frame]()
        elif name == "number":
            value = f"e{str(rest[-1]).split()[-1]}"
        answer = {"result": {"type": "object", "value": [1, value]}}
        self.chrome.fake.answer(asked, answer)


def _number(frame: object) -> int:
    return int(str(frame).removeprefix("F"))


def _remote(name: str) -> dict[str, Any]:
    return {"type": "object", "objectId": name}


def _object(name: str) -> dict[str, Any]:
    return {"result": _remote(name)}


@asynccontextmanager
async def open_page(timeouts: Timeouts | None = None) -> AsyncIterator[ScriptedPage]:
    """Such a tab; its calls are answered as long as the block runs."""
    async with open_scripted(timeouts=timeouts) as (chrome, browser):
        chrome.say_page(PAGE, URL)
        await settle()
        page = ScriptedPage(chrome, await browser.take_over("taaaaaaaa"))
        await page.navigate(URL)
        yield page
