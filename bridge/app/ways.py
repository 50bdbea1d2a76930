"""The ways to a browser, put together for one server: over CDP, and through the extension.

Each way has a gate of its own, for two browsers may be held at once and no two are held alike. The
relay listens only where the owner prefers the extension: a port nobody asked for is one too many.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bridge.browser.browser import Browser
from bridge.browser.choice import Choice
from bridge.browser.lifecycle import open_lifecycle
from bridge.browser.prelude import arrange
from bridge.browser.retrieval import follow_downloads
from bridge.gate.fence import Fence, open_fence
from bridge.gate.fetch import Gate
from bridge.page.downloads import Downloads
from bridge.relay.options import LinkOptions
from bridge.timeouts import Timeouts
from bridge.tools.guard import Guard
from launcher.options import LaunchOptions


@dataclass(frozen=True, slots=True)
class Ways:
    """The browser of each call, and the gate that holds it."""

    choice: Choice
    gates: dict[str, Gate]

    @property
    def gate(self) -> Gate:
        """That of the browser chosen last."""
        return self.gates[self.choice.kind]


@asynccontextmanager
async def open_ways(
    launch: LaunchOptions,
    link: LinkOptions,
    guard: Guard,
    downloads: Downloads,
    timeouts: Timeouts,
) -> AsyncIterator[Ways]:
    """Open until the block ends; no browser starts before it is asked for."""
    async with AsyncExitStack() as stack:
        gates: dict[str, Gate] = {}
        fence = await stack.enter_async_context(open_fence(lambda: guard.policy, launch, timeouts))
        gates["cdp"] = fence.gate
        prepare = _Arrangement(fence, downloads)
        cdp = await stack.enter_async_context(open_lifecycle(fence.launch, timeouts, prepare))
        yield Ways(Choice(cdp=cdp), gates)


class _Arrangement:
    """What each browser gets before any page of it is touched."""

    def __init__(self, fence: Fence, downloads: Downloads) -> None:
        self._fence = fence
        self._downloads = downloads

    def __call__(self, browser: Browser) -> None:
        arrange(browser, self._fence.launch)
        self._fence.gate.prepare(browser)
        follow_downloads(browser, self._downloads)
