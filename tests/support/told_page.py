"""A door with one page behind it whose events the test tells, for tools that read logs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from bridge.browser.tab import Tab
from bridge.policy.options import PolicyOptions
from bridge.tools import catalogue
from tests.support.door import ANYTHING, OpenDoor, open_door
from tests.support.scripted_chrome import ScriptedChrome, frame_of, open_scripted, settle

PAGE = "A" * 32
HERE = "https://here.test/"


@dataclass
class ToldPage:
    """The tab, and who tells of it."""

    door: OpenDoor
    chrome: ScriptedChrome
    tab: Tab

    async def tell(self, method: str, /, **params: Any) -> None:
        """An event of the page."""
        self.chrome.fake.event(method, params, f"S-{PAGE}")
        await settle()

    async def show(self, url: str) -> None:
        """The page is now at this address."""
        frame = frame_of(PAGE, url, f"L-{url}")
        await self.tell("Page.frameNavigated", frame=frame, type="Navigation")

    async def log(self, text: str, *, kind: str = "log", url: str = HERE) -> None:
        """A line on its console."""
        at = {"functionName": "", "scriptId": "1", "url": url, "lineNumber": 0, "columnNumber": 0}
        await self.tell(
            "Runtime.consoleAPICalled",
            type=kind,
            args=[{"type": "string", "value": text}],
            executionContextId=1,
            timestamp=1.0,
            stackTrace={"callFrames": [at]},
        )

    async def request(self, id_: str, url: str = HERE, **more: Any) -> None:
        """A request that starts."""
        asked = {"url": url, "method": "GET", "headers": {}, **more.pop("request", {})}
        told: dict[str, Any] = {"requestId": id_, "loaderId": "L", "frameId": PAGE, "type": "Fetch"}
        told |= {"timestamp": 1.0, "request": asked, **more}
        await self.tell("Network.requestWillBeSent", **told)

    async def answer(self, id_: str, status: int = 200, **response: Any) -> None:
        """Its answer, whole."""
        head = {"status": status, "statusText": "", "headers": {}, **response}
        await self.tell("Network.responseReceived", requestId=id_, type="Fetch", response=head)
        told = {"requestId": id_, "timestamp": 1.5, "encodedDataLength": 10}
        await self.tell("Network.loadingFinished", **told)

    async def fail(self, id_: str, why: str) -> None:
        """Its failure."""
        told = {"requestId": id_, "timestamp": 1.5, "errorText": why}
        await self.tell("Network.loadingFailed", **told)


@asynccontextmanager
async def open_told_page(options: PolicyOptions = ANYTHING) -> AsyncIterator[ToldPage]:
    """A page at HERE that has done nothing yet."""
    async with (
        open_scripted() as (chrome, browser),
        open_door(browser, options, toolsets=("all",)) as door,
    ):
        assert catalogue.TOOLS
        chrome.answers["Target.createTarget"] = lambda _: _create(chrome)
        chrome.answers["Page.navigate"] = lambda _: {"frameId": PAGE}
        tab = await door.desk.tab()
        page = ToldPage(door, chrome, tab)
        await page.show(HERE)
        yield page


def _create(chrome: ScriptedChrome) -> dict[str, str]:
    chrome.say_page(PAGE)
    return {"targetId": PAGE}
