"""A browser, a policy and the tools, put together into the door of one server."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from bridge import log
from bridge.app.grants import Grants
from bridge.browser.browser import Browser
from bridge.browser.lifecycle import open_lifecycle
from bridge.browser.prelude import arrange, sized
from bridge.browser.retrieval import follow_downloads
from bridge.gate.fence import Fence, open_fence
from bridge.gate.fetch import conditions
from bridge.mcp.options import ServeOptions
from bridge.page.downloads import Downloads
from bridge.policy.rules import Effect, Policy, decide
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
    launch: LaunchOptions, serve: ServeOptions, policy: Policy, timeouts: Timeouts
) -> AsyncIterator[Door]:
    """A door for as long as the block lasts; its browser starts with the first call."""
    launch = sized(launch)
    secrets = read_secrets(serve.secrets) if serve.secrets is not None else Secrets()
    secrets.cover(log.get_root())
    grants = Grants(launch.data_dir)
    guard = Guard(grants.apply(policy), grants.remember)
    names = [name for each in serve.toolsets for name in each.split(",") if name]
    toolsets = Toolsets(names, prefix=serve.tool_prefix)
    downloads = _downloads(launch, guard)
    async with AsyncExitStack() as stack:
        fence = await stack.enter_async_context(open_fence(lambda: guard.policy, launch, timeouts))
        prepare = _Arrangement(fence, downloads)
        lifecycle = await stack.enter_async_context(open_lifecycle(fence.launch, timeouts, prepare))
        desk = Desk(lifecycle, timeouts)
        desk.downloads, desk.data_dir = downloads, launch.data_dir
        desk.gaps = lambda: fence.gate.missing
        desk.socket_rules = lambda: conditions(guard.policy)
        audit = await stack.enter_async_context(
            open_audit(launch.data_dir / _AUDIT, desk, timeouts, scrub=secrets.scrub)
        )
        yield Tools(desk, guard, toolsets, audit.note, secrets=secrets, gate=fence.gate)


def _downloads(launch: LaunchOptions, guard: Guard) -> Downloads:
    def refusal(url: str) -> str:
        return decide(Effect.DOWNLOAD, url, guard.policy).reason

    return Downloads(
        launch.data_dir / _DOWNLOADS,
        refusal=refusal,
        enabled=guard.policy.downloads,
        dedicated=launch.cdp_endpoint is None and not launch.auto_connect,
    )


class _Arrangement:
    """What each browser gets before any page of it is touched."""

    def __init__(self, fence: Fence, downloads: Downloads) -> None:
        self._fence = fence
        self._downloads = downloads

    def __call__(self, browser: Browser) -> None:
        arrange(browser, self._fence.launch)
        self._fence.gate.prepare(browser)
        follow_downloads(browser, self._downloads)
