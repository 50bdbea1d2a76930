"""A browser, a policy and the tools, put together into the door of one server."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

from bridge import __version__, log
from bridge.app.grants import Grants
from bridge.app.ways import open_ways
from bridge.browser.prelude import sized
from bridge.gate.fetch import conditions
from bridge.mcp.options import ServeOptions
from bridge.page.downloads import Downloads
from bridge.policy.rules import Effect, Policy, decide
from bridge.relay.options import LinkOptions
from bridge.timeouts import Timeouts
from bridge.tools import catalogue as catalogue
from bridge.tools.answer import Door
from bridge.tools.audit import open_audit
from bridge.tools.call import Tools
from bridge.tools.desk import Desk
from bridge.tools.guard import Guard
from bridge.tools.secrets import Secrets, read_secrets
from bridge.tools.toolsets import Toolsets
from launcher.options import LaunchOptions

_AUDIT = "audit.jsonl"
_DOWNLOADS = "downloads"


@asynccontextmanager
async def open_door(
    launch: LaunchOptions,
    serve: ServeOptions,
    policy: Policy,
    timeouts: Timeouts,
    *,
    link: LinkOptions | None = None,
    client: str = "",
    renewals: list[Callable[[], None]] | None = None,
) -> AsyncIterator[Door]:
    """A door for as long as the block lasts; its browser starts with the first call."""
    launch = sized(launch)
    secrets = read_secrets(serve.secrets) if serve.secrets is not None else Secrets()
    secrets.cover(log.get_root())
    grants = Grants(launch.data_dir)
    guard = Guard(grants.apply(policy), grants.remember, timeouts)
    names = [name for each in serve.toolsets for name in each.split(",") if name]
    toolsets = Toolsets(names, prefix=serve.tool_prefix)
    downloads = _downloads(launch, guard)
    async with AsyncExitStack() as stack:
        wanted = link or LinkOptions()
        opening = open_ways(
            launch, wanted, guard, downloads, timeouts, client=client, renewals=renewals
        )
        ways = await stack.enter_async_context(opening)
        desk = Desk(ways.choice, timeouts)
        desk.downloads, desk.data_dir = downloads, launch.data_dir
        desk.version = __version__
        desk.gaps = lambda: ways.gate.missing
        desk.socket_rules = lambda: conditions(guard.policy)
        audit = await stack.enter_async_context(
            open_audit(launch.data_dir / _AUDIT, desk, timeouts, scrub=secrets.scrub)
        )
        yield Tools(desk, guard, toolsets, audit.note, secrets=secrets, gate=ways.gate_of)


def _downloads(launch: LaunchOptions, guard: Guard) -> Downloads:
    def refusal(url: str) -> str:
        return decide(Effect.DOWNLOAD, url, guard.policy).reason

    return Downloads(
        launch.data_dir / _DOWNLOADS,
        refusal=refusal,
        enabled=guard.policy.downloads,
        dedicated=launch.cdp_endpoint is None and not launch.auto_connect,
    )
