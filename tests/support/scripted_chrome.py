"""A browser of pages that sets them up by itself, for tests of what is above a session.

It answers what tabs need to come into being; everything else waits in `asked` for the test, which
plays it by hand as with `FakeChrome`. `say_page` and `attach_page` tell of pages.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import trio
import trio.testing

from bridge.browser.browser import Browser, open_tabs
from bridge.scope import open_scope
from bridge.session.connection import open_connection
from bridge.timeouts import Timeouts
from tests.support.fake_chrome import Asked, FakeChrome

Answer = dict[str, Any]


def target_info(target: str, url: str = "about:blank", **more: Any) -> Answer:
    """A TargetInfo as Chrome writes it."""
    info = {"targetId": target, "type": "page", "title": "", "url": url, "attached": False}
    return {**info, "canAccessOpener": False, **more}


def frame_tree(frame: str, url: str = "about:blank", loader: str = "L1", **more: Any) -> Answer:
    """What getFrameTree answers for a page without frames."""
    return {"frameTree": {"frame": frame_of(frame, url, loader), **more}}


def frame_of(frame: str, url: str, loader: str, parent: str | None = None) -> Answer:
    """A Page.Frame as Chrome writes it."""
    told = {
        "id": frame,
        "loaderId": loader,
        "url": url,
        "domainAndRegistry": "",
        "securityOrigin": "",
        "securityOriginDetails": {"isLocalhost": False},
        "mimeType": "text/html",
        "secureContextType": "Secure",
        "crossOriginIsolatedContextType": "NotIsolated",
        "gatedAPIFeatures": [],
    }
    return told if parent is None else {**told, "parentId": parent}


class ScriptedChrome:
    """Answers by method; `answers` may be changed by the test."""

    def __init__(self) -> None:
        self.fake = FakeChrome()
        self.seen: list[Asked] = []
        self.held: list[Asked] = []
        self.hold: set[str] = set()
        self._asked, self.asked = trio.open_memory_channel[Asked](1000)
        self.answers: dict[str, Callable[[Asked], Answer | None]] = {
            "Browser.getVersion": lambda _: {
                "protocolVersion": "1.3",
                "product": "Chrome/1",
                "revision": "",
                "userAgent": "",
                "jsVersion": "",
            },
            "Browser.setDownloadBehavior": lambda _: {},
            "Target.setDiscoverTargets": lambda _: {},
            "Target.setAutoAttach": lambda _: {},
            "Page.enable": lambda _: {},
            "Page.setLifecycleEventsEnabled": lambda _: {},
            "Page.getFrameTree": lambda asked: frame_tree(asked.session.removeprefix("S-")),
            "Runtime.runIfWaitingForDebugger": lambda _: {},
            "Target.attachToTarget": self._attach,
            "Target.closeTarget": self._close,
        }

    async def play(self) -> None:
        """Answer until our side closes."""
        while True:
            try:
                asked = await self.fake.asked()
            except trio.EndOfChannel:
                return
            self.seen.append(asked)
            answer = self.answers.get(asked.method)
            if asked.method in self.hold:
                self.held.append(asked)
            elif answer is None:
                self._asked.send_nowait(asked)
            else:
                self.fake.answer(asked, answer(asked))

    def methods(self, session: str = "") -> list[str]:
        """What was asked in this session, in order."""
        return [asked.method for asked in self.seen if asked.session == session]

    def say_page(self, target: str, url: str = "about:blank", **more: Any) -> None:
        """Tell that a page exists."""
        info = target_info(target, url, **more)
        self.fake.event("Target.targetCreated", {"targetInfo": info})

    def attach_page(self, target: str, *, waiting: bool = True, **more: Any) -> None:
        """Tell of a page that Chrome attached by itself, as it does for whoever is alone."""
        self.say_page(target, **more)
        params = {
            "sessionId": f"S-{target}",
            "targetInfo": target_info(target, **more),
            "waitingForDebugger": waiting,
        }
        self.fake.event("Target.attachedToTarget", params)

    def _attach(self, asked: Asked) -> Answer:
        return {"sessionId": f"S-{asked.params['targetId']}"}

    def _close(self, asked: Asked) -> Answer:
        target = asked.params["targetId"]
        self.fake.event("Target.targetDestroyed", {"targetId": target})
        return {"success": True}


@asynccontextmanager
async def open_scripted(
    *, exclusive: bool = False, timeouts: Timeouts | None = None, **more: Any
) -> AsyncIterator[tuple[ScriptedChrome, Browser]]:
    """Tabs in such a browser."""
    chrome = ScriptedChrome()
    async with open_scope() as nursery:
        nursery.start_soon(chrome.play)
        async with (
            open_connection(chrome.fake, timeouts) as connection,
            open_tabs(connection, exclusive=exclusive, **more) as browser,
        ):
            yield chrome, browser


async def settle() -> None:
    """Let everybody do what they can."""
    await trio.testing.wait_all_tasks_blocked()
