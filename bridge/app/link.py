"""The way through the extension, for servers that prefer it: nobody else loads any of this."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bridge.browser.browser import Prepare
from bridge.browser.lifecycle import Lifecycle, keep_alive
from bridge.browser.linked import Linking
from bridge.policy.rules import Policy
from bridge.relay.invitation import FOLDER
from bridge.relay.options import LinkOptions, StandingLink
from bridge.relay.pairing import open_pages
from bridge.relay.server import Relay, open_relay
from bridge.timeouts import Timeouts
from bridge.tools.guard import Guard
from bridge.transport.link import Sites
from launcher.options import LaunchOptions

_NAME = "chrome-bridge"
_LONGEST = 40  # of a tab group's title


class Link:
    """Made by `open_link`."""

    def __init__(self, relay: Relay, lifecycle: Lifecycle) -> None:
        self._relay = relay
        self.lifecycle = lifecycle
        self.renew = relay.renew  # its token

    def describe(self) -> list[str]:
        """The browsers on the link, and who was sent away."""
        lines = []
        for each in self._relay.links():
            name = each.label or "no name"
            paused = ", paused by the person" if each.paused else ""
            shared = f"{each.tabs} shared{paused}"
            lines.append(f"extension: {name}, {each.product}, {each.state}, {shared}")
        latest = [f"{each.why} ({each.times} times)" for each in self._relay.refusals[:3]]
        return lines + ([f"refused at the link: {'; '.join(latest)}"] if latest else [])


@asynccontextmanager
async def open_link(
    launch: LaunchOptions,
    options: LinkOptions,
    guard: Guard,
    prepare: Prepare,
    timeouts: Timeouts,
    client: str,
) -> AsyncIterator[Link]:
    """Let extensions in until the block ends; `client` is who a person sees at work."""
    async with _open_relay(launch, options, guard, timeouts, shown(client)) as relay:
        linking = Linking(relay, options, timeouts, prepare)
        async with keep_alive(linking.open, timeouts, patience="responsive") as lifecycle:
            yield Link(relay, lifecycle)


@asynccontextmanager
async def _open_relay(
    launch: LaunchOptions, options: LinkOptions, guard: Guard, timeouts: Timeouts, name: str
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
        port=options.link_port,
        token=options.token if isinstance(options, StandingLink) else None,
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
