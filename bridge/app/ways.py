"""The ways to a browser, put together for one server: over CDP, and through the extension.

Each way has a gate of its own, for two browsers may be held at once and no two are held alike. The
relay listens only where the owner prefers the extension: a port nobody asked for is one too many,
and what it needs is not even loaded.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from bridge.browser.choice import Choice
from bridge.browser.lifecycle import Lifecycle, open_lifecycle
from bridge.gate.fence import open_fence
from bridge.policy.rules import Effect, decide
from bridge.relay.options import LinkOptions
from bridge.timeouts import Timeouts
from bridge.tools.guard import Guard
from launcher.options import LaunchOptions

if TYPE_CHECKING:
    from bridge.browser.browser import Browser
    from bridge.browser.tab import Tab
    from bridge.gate.fetch import Gate
    from bridge.page.downloads import Downloads

_DOWNLOADS = "downloads"


@dataclass(frozen=True, slots=True)
class Ways:
    """The browser of each call, the gate that holds it, and where its files go.

    Gates and downloads are made when they are first asked for: what they consist of is loaded while
    a browser starts.
    """

    choice: Choice
    gates: dict[str, Callable[[], "Gate"]]
    downloads: Callable[[], "Downloads"]

    @property
    def gate(self) -> "Gate":
        """That of the browser chosen last."""
        return self.gates[self.choice.kind]()

    def gate_of(self, tab: "Tab") -> "Gate":
        """That of the browser this tab is in, whichever another call has chosen meanwhile."""
        return self.gates["extension" if tab.session.connection.kind == "extension" else "cdp"]()


@asynccontextmanager
async def open_ways(
    launch: LaunchOptions,
    link: LinkOptions,
    guard: Guard,
    timeouts: Timeouts,
    *,
    client: str = "",
    renewals: list[Callable[[], None]] | None = None,
) -> AsyncIterator[Ways]:
    """Open until the block ends; no browser starts before it is asked for.

    `client` is the name under which a person sees who works in their browser; `renewals` is
    given what makes the link's token anew.
    """
    gates: dict[str, Callable[[], Gate]] = {}
    linked: Lifecycle | None = None
    cdp: Lifecycle | None = None
    describe: Callable[[], list[str]] = list
    downloads = cache(partial(_make_downloads, launch, guard))
    async with AsyncExitStack() as stack:
        if link.prefer == "extension":
            from bridge.app.link import open_link

            gates["extension"] = cache(partial(_make_gate, guard))
            prepare = _Arrangement(gates["extension"], downloads)
            extension = await stack.enter_async_context(
                open_link(launch, link, guard, prepare, timeouts, client)
            )
            linked, describe = extension.lifecycle, extension.describe
            if renewals is not None:
                renewals.append(extension.renew)
        if linked is None or link.fallback:
            fence = await stack.enter_async_context(
                open_fence(lambda: guard.policy, launch, timeouts)
            )
            gates["cdp"] = lambda: fence.gate
            prepare = _Arrangement(gates["cdp"], downloads)
            cdp = await stack.enter_async_context(open_lifecycle(fence.launch, timeouts, prepare))
        yield Ways(Choice(linked=linked, cdp=cdp, links=describe), gates, downloads)


class _Arrangement:
    """What each browser gets before any page of it is touched."""

    def __init__(self, gate: Callable[[], "Gate"], downloads: Callable[[], "Downloads"]) -> None:
        self._gate = gate
        self._downloads = downloads

    def __call__(self, browser: "Browser") -> None:
        from bridge.browser.prelude import arrange  # not before there is a browser
        from bridge.browser.retrieval import follow_downloads

        arrange(browser)
        self._gate().prepare(browser)
        follow_downloads(browser, self._downloads())


def _make_gate(guard: Guard) -> "Gate":
    from bridge.gate.fetch import Gate

    return Gate(lambda: guard.policy)


def _make_downloads(launch: LaunchOptions, guard: Guard) -> "Downloads":
    from bridge.page.downloads import Downloads

    def refusal(url: str) -> str:
        return decide(Effect.DOWNLOAD, url, guard.policy).reason

    return Downloads(
        launch.data_dir / _DOWNLOADS,
        refusal=refusal,
        enabled=guard.policy.downloads,
        dedicated=launch.cdp_endpoint is None and not launch.auto_connect,
    )
