"""The ways to a browser, put together for one server: over CDP, and through the extension.

Each way has a gate of its own, for two browsers may be held at once and no two are held alike. The
relay listens only where the owner prefers the extension: a port nobody asked for is one too many.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bridge.browser.browser import Browser
from bridge.browser.choice import Choice
from bridge.browser.lifecycle import Lifecycle, keep_alive, open_lifecycle
from bridge.browser.linked import Linking
from bridge.browser.prelude import arrange
from bridge.browser.retrieval import follow_downloads
from bridge.gate.fence import open_fence
from bridge.gate.fetch import Gate
from bridge.page.downloads import Downloads
from bridge.policy.rules import Policy
from bridge.relay.invitation import FOLDER
from bridge.relay.options import LinkOptions
from bridge.relay.pairing import open_pages
from bridge.relay.server import Relay, open_relay
from bridge.timeouts import Timeouts
from bridge.tools.guard import Guard
from bridge.transport.link import Sites
from launcher.options import LaunchOptions

_NAME = "chrome-bridge"
_LONGEST = 40  # of a tab group's title


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
    *,
    client: str = "",
    renewals: list[Callable[[], None]] | None = None,
) -> AsyncIterator[Ways]:
    """Open until the block ends; no browser starts before it is asked for.

    `client` is the name under which a person sees who works in their browser; `renewals` is
    given what makes the link's token anew.
    """
    gates: dict[str, Gate] = {}
    relay: Relay | None = None
    linked: Lifecycle | None = None
    cdp: Lifecycle | None = None
    async with AsyncExitStack() as stack:
        if link.prefer == "extension":
            gates["extension"] = gate = Gate(lambda: guard.policy)
            relay = await stack.enter_async_context(
                _open_relay(launch, guard, timeouts, shown(client))
            )
            if renewals is not None:
                renewals.append(relay.renew)
            linking = Linking(relay, link, timeouts, _Arrangement(gate, downloads))
            linked = await stack.enter_async_context(
                keep_alive(linking.open, timeouts, patience="responsive")
            )
        if linked is None or link.fallback:
            fence = await stack.enter_async_context(
                open_fence(lambda: guard.policy, launch, timeouts)
            )
            gates["cdp"] = fence.gate
            prepare = _Arrangement(fence.gate, downloads, fence.launch)
            cdp = await stack.enter_async_context(open_lifecycle(fence.launch, timeouts, prepare))
        yield Ways(Choice(linked=linked, cdp=cdp, links=lambda: _describe(relay)), gates)


@asynccontextmanager
async def _open_relay(
    launch: LaunchOptions, guard: Guard, timeouts: Timeouts, name: str
) -> AsyncIterator[Relay]:
    """A relay that wants what the policy allows, and hears of every grant."""
    policy = guard.policy
    async with open_relay(
        launch.data_dir / FOLDER,
        name,
        sites_of(policy),
        downloads=policy.downloads,
        uploads=policy.uploads,
        timeouts=timeouts,
        pages=open_pages(name),
    ) as relay:

        def tell(policy: Policy) -> None:
            relay.set_policy(sites_of(policy), downloads=policy.downloads, uploads=policy.uploads)

        guard.watchers.append(tell)
        yield relay


def shown(client: str) -> str:
    """A name for a person to read: one short line, ours where the client has none."""
    line = " ".join("".join(c if c.isprintable() else " " for c in client).split())
    return line[:_LONGEST] or _NAME


def sites_of(policy: Policy) -> Sites:
    """The policy's hosts in the words of the link."""
    return Sites(visited=[*map(str, policy.visited)], never=[*map(str, policy.never)])


def _describe(relay: Relay | None) -> list[str]:
    """The browsers on the link, and who was sent away."""
    if relay is None:
        return []
    lines = []
    for each in relay.links():
        name = each.label or "no name"
        paused = ", paused by the person" if each.paused else ""
        lines.append(f"extension: {name}, {each.product}, {each.state}, {each.tabs} shared{paused}")
    latest = [f"{each.why} ({each.times} times)" for each in relay.refusals[:3]]
    return lines + ([f"refused at the link: {'; '.join(latest)}"] if latest else [])


class _Arrangement:
    """What each browser gets before any page of it is touched."""

    def __init__(
        self, gate: Gate, downloads: Downloads, launch: LaunchOptions | None = None
    ) -> None:
        self._gate = gate
        self._downloads = downloads
        self._launch = launch or LaunchOptions(headless=False)

    def __call__(self, browser: Browser) -> None:
        arrange(browser, self._launch)
        self._gate.prepare(browser)
        follow_downloads(browser, self._downloads)
