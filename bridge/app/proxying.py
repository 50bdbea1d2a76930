"""`proxy`: tabs of a person's own Chrome, for programs that speak CDP.

A guest does everything a debugger can, so what a policy switches one by one has to be on as a
whole, and only hosts that may be acted on are within its reach. The extension holds it to them.
"""

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

import trio

from bridge.app.renewal import renew_all
from bridge.app.serving import check_port, ending, read_policy
from bridge.errors import LinkError, UsageError
from bridge.mcp.tokens import kept_token
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.proxy.endpoint import open_endpoint
from bridge.proxy.line import Line
from bridge.proxy.options import ProxyOptions
from bridge.relay.invitation import FOLDER
from bridge.relay.listening import open_listener
from bridge.relay.options import LinkOptions, StandingLink
from bridge.relay.pairing import open_pages
from bridge.relay.server import Relay, open_relay
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from bridge.transport.extension import ExtensionTransport
from bridge.transport.link import Sites
from launcher.options import LaunchOptions

_NAME = "chrome-bridge proxy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """Everything the owner of an endpoint has said."""

    launch: LaunchOptions
    policy: PolicyOptions
    link: LinkOptions
    proxy: ProxyOptions
    token: str | None = None


async def proxy(wishes: Wishes, timeouts: Timeouts, tell: Callable[[str], None]) -> None:
    """Serve guests until cancelled; says where, and where the token is, never what it is."""
    check_port("--link-port", wishes.link.link_port)
    check_port("--endpoint-port", wishes.proxy.endpoint_port)
    policy = read_policy(wishes.policy)
    _check(wishes, policy)
    folder = wishes.launch.data_dir
    async with AsyncExitStack() as stack:
        kept, secret, place = None, wishes.token, "in CHROME_BRIDGE_PROXY_TOKEN"
        if secret is None:
            kept = stack.enter_context(kept_token(folder, "proxy"))
            secret, place = kept.value, f"in {kept.file}"
        listener = await open_listener(wishes.proxy.endpoint_port, timeouts, flag="--endpoint-port")
        link = wishes.link
        relay = await stack.enter_async_context(
            open_relay(
                folder / FOLDER,
                _NAME,
                Sites(visited=[*map(str, policy.act)], never=[*map(str, policy.never)]),
                downloads=policy.downloads,
                timeouts=timeouts,
                pages=open_pages(_NAME),
                port=link.link_port,
                token=link.token if isinstance(link, StandingLink) else None,
            )
        )
        with ending(timeouts):
            async with open_scope() as nursery:
                line = Line(_dialling(relay, link.browser_label, timeouts), timeouts, nursery)
                async with open_endpoint(listener, secret, line.board, timeouts) as endpoint:
                    await nursery.start(renew_all, kept, endpoint.renew, [relay.renew], timeouts)
                    tell(f"CDP at {endpoint.url} (the bearer token is {place}).")
                    await trio.sleep_forever()


def _check(wishes: Wishes, policy: Policy) -> None:
    if wishes.link.prefer != "extension":
        raise UsageError(
            "BAD_ARGS",
            "an endpoint is served over the extension alone",
            hint="Add --prefer extension.",
        )
    if not (policy.mutations and policy.eval):
        raise UsageError(
            "BAD_ARGS",
            "a program at this endpoint changes pages and runs scripts of its own in them",
            hint="Allow both, with --enable-mutations and --unsafe-enable-eval.",
        )
    if not policy.act:
        raise UsageError(
            "BAD_ARGS",
            "no host is allowed, and here nobody is asked",
            hint="Name what may be used: --allow-domain example.com.",
        )


def _dialling(
    relay: Relay, label: str | None, timeouts: Timeouts
) -> Callable[[], Awaitable[ExtensionTransport]]:
    async def dial() -> ExtensionTransport:
        with trio.move_on_after(timeouts.link):
            return await relay.wait_link(label)
        named = "" if label is None else f" called {label!r}"
        raise LinkError(
            "EXTENSION_DISCONNECTED",
            f"no browser{named} with the extension is connected",
            hint="Open Chrome with the extension in it; `chrome-bridge extension status` says "
            "what is missing.",
            retryable=True,
        )

    return dial
