"""What stands where: proxy, settings and gate, by whose the browser is."""

import pytest

from bridge.gate.fence import open_fence
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Level, Policy
from bridge.timeouts import Timeouts
from launcher.options import FencedOptions, LaunchOptions

_SOME = Policy.from_options(PolicyOptions(allow_domain=("good.test",)))
_ALL = Policy.from_options(PolicyOptions(unsafe_all_domains=True))


async def test_our_own() -> None:
    """A browser of our own is pointed at a proxy that follows the policy as it changes."""
    policy = _SOME
    async with open_fence(lambda: policy, LaunchOptions(isolated=True), Timeouts()) as fence:
        assert isinstance(fence.launch, FencedOptions)
        assert fence.proxy is not None
        assert fence.launch.proxy_server == fence.proxy.server
        fence.proxy.admit("good.test", 80)
        with pytest.raises(Exception, match="not allowed"):
            fence.proxy.admit("evil.test", 80)
        policy = policy.with_grant("evil.test", Level.READ)
        fence.proxy.admit("evil.test", 80)


async def test_shared() -> None:
    """A shared browser gets the settings and no proxy, which would end before it."""
    async with open_fence(lambda: _SOME, LaunchOptions(), Timeouts()) as fence:
        assert isinstance(fence.launch, FencedOptions)
        assert fence.launch.proxy_server is None
        assert fence.proxy is None


@pytest.mark.parametrize(
    "launch", [LaunchOptions(cdp_endpoint="ws://127.0.0.1:1"), LaunchOptions(auto_connect=True)]
)
async def test_borrowed(launch: LaunchOptions) -> None:
    """A browser somebody else runs is taken as it is."""
    async with open_fence(lambda: _SOME, launch, Timeouts()) as fence:
        assert fence.launch is launch
        assert fence.proxy is None


async def test_nothing_to_guard() -> None:
    """Where every host is allowed, nothing stands anywhere."""
    launch = LaunchOptions(isolated=True)
    async with open_fence(lambda: _ALL, launch, Timeouts()) as fence:
        assert fence.launch is launch
        assert fence.proxy is None
