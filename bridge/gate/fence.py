"""All that holds a server's browser inside its policy, put together.

Where it stands depends on whose the browser is. One of our own, alone, is pointed at the proxy: it
lives no longer than we do. A shared one is not, for it goes on when we end, and would then be
without a network; it keeps the gate and the settings. One that somebody else runs keeps the gate.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from bridge.gate.dial import Dial
from bridge.policy.rules import Policy
from bridge.timeouts import Timeouts
from launcher.options import LaunchOptions, fence

if TYPE_CHECKING:
    from bridge.gate.fetch import Gate
    from bridge.gate.proxy import Proxy


class Fence:
    """Launch with these options, and give each browser to the gate before a page is touched."""

    def __init__(
        self, launch: LaunchOptions, policy: Callable[[], Policy], proxy: "Proxy | None" = None
    ) -> None:
        self.launch = launch
        self.proxy = proxy
        self._policy = policy

    @cached_property
    def gate(self) -> "Gate":
        """Made when there is a browser for it: what it consists of is loaded while that starts."""
        from bridge.gate.fetch import Gate

        if self.proxy is None:
            return Gate(self._policy)
        return Gate(self._policy, proxied=True, unreached=self.proxy.unreached)


@asynccontextmanager
async def open_fence(
    policy: Callable[[], Policy],
    launch: LaunchOptions,
    timeouts: Timeouts,
    *,
    dial: Dial | None = None,
) -> AsyncIterator[Fence]:
    """Stand until the block ends; `policy` is asked for each request, so grants count at once."""
    async with AsyncExitStack() as stack:
        borrowed = launch.cdp_endpoint is not None or launch.auto_connect
        if not policy().restricts or borrowed:
            yield Fence(launch, policy)
        elif launch.isolated:
            from bridge.gate.proxy import open_proxy  # it speaks HTTP, which nobody else needs

            def allowed(host: str, port: int) -> bool:
                return policy().reaches(host, port)

            proxy = await stack.enter_async_context(open_proxy(allowed, timeouts, dial=dial))
            fenced = fence(launch, proxy_server=proxy.server)
            yield Fence(fenced, policy, proxy)
        else:
            yield Fence(fence(launch), policy)
