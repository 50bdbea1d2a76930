"""What a client is told of a refusal that only the gate has seen coming."""

from urllib.parse import urlsplit

import pytest

from bridge.app.door import open_door
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.timeouts import Timeouts
from fixtures.site import Site
from launcher.options import LaunchOptions
from tests.support.plugged import short_folder
from tests.support.served import Served

pytestmark = pytest.mark.chromium


async def test_a_redirect(site: Site) -> None:
    """A way that leads astray is told with host and port, and with a flag where one would help."""
    port = urlsplit(site.other_origin).port
    options = PolicyOptions(allow_domain=(urlsplit(site.origin).netloc,))
    policy = Policy.from_options(options, file='never = ["localhost"]')
    with short_folder() as folder:
        launch = LaunchOptions(headless=True, isolated=True, data_dir=folder)
        async with open_door(launch, ServeOptions(), policy, Timeouts()) as door:
            served = Served(door)
            aside = site.url(f"/redirect?to=http://127.0.0.1:{port}/")
            assert await served.refused("navigate", url=aside) == (
                f"POLICY_DENIED: the way leads to 127.0.0.1:{port}, which is not allowed\n"
                f"The owner can allow it by starting with --allow-domain 127.0.0.1:{port}."
            )
            out = site.url(f"/redirect?to={site.other_origin}/")
            assert await served.refused("navigate", url=out) == (
                f"POLICY_DENIED: the way leads to localhost:{port}, which is never allowed\n"
                "No flag allows this; go on without it."
            )
