"""What a client is told of a refusal that only the gate has seen coming."""

from base64 import b64encode
from urllib.parse import quote, urlsplit

import pytest

from bridge.app.door import open_door
from bridge.browser.prelude import PRELUDE, arrange
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.timeouts import Timeouts
from fixtures.site import Site
from launcher.options import LaunchOptions
from tests.support.browsers import open_browser_at, until
from tests.support.door import open_door as open_tools
from tests.support.plugged import short_folder
from tests.support.served import Served, open_served

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
            for url in ("about:blank", site.url("/")):  # the blank tab is used, or a new one
                await served.does("tab_new", url=url)
                assert (await served.refused("tab_new", url=aside)).startswith(
                    f"POLICY_DENIED: the way leads to 127.0.0.1:{port}, which is not allowed\n"
                )
            out = site.url(f"/redirect?to={site.other_origin}/")
            assert await served.refused("navigate", url=out) == (
                f"POLICY_DENIED: the way leads to localhost:{port}, which is never allowed\n"
                "No flag allows this; go on without it."
            )


def _with_frame(site: Site, inner: str) -> tuple[str, PolicyOptions]:
    """A page with a frame of the other origin, and a policy that allows the page alone."""
    html = f"<iframe src='{site.other(f'/markup?html={quote(inner)}')}'></iframe>"
    options = PolicyOptions(allow_domain=(urlsplit(site.origin).netloc,))
    return site.url(f"/markup?html={quote(html)}"), options


async def test_a_frame(site: Site) -> None:
    """A frame that the gate has refused is listed as refused, though Chrome shows a page there."""
    url, options = _with_frame(site, "")
    with short_folder() as folder:
        async with open_served(folder, options) as served:
            await served.does("navigate", url=url)
            listed = await served.does("network_requests", failed=True)
    assert "GET failed: net::ERR_BLOCKED_BY_CLIENT (inspector); Document" in listed
    assert listed.endswith("1 of 1 request.")


async def test_requests_of_a_frame(site: Site, endpoint: str) -> None:
    """Where a denied frame is there, what it asks for is counted in a list, and not shown."""
    url, options = _with_frame(
        site, "<script>setInterval(() => fetch('/echo?secret'), 100)</script>"
    )
    async with (
        open_browser_at(endpoint, exclusive=False) as browser,
        open_tools(browser, options) as door,
    ):
        browser.add_prelude(*PRELUDE)
        await door.text("navigate", url=url)
        tab = door.desk.current
        assert tab is not None
        await until(lambda: any("secret" in each.url for each in tab.network), "it is noted")
        listed = await door.text("network_requests")
    assert "/echo?secret" not in listed
    assert f"\n2 GET 200 Document {site.other_origin}" not in listed
    assert listed.endswith("of addresses that may not be read are left out.")


async def test_requests_of_its_worker(site: Site, endpoint: str) -> None:
    """What a worker of a denied frame asks for is not shown either, whatever its script came as."""
    fetch = f"fetch('{site.other_origin}/echo?secret', {{ mode: 'no-cors' }})"
    script = f"data:text/javascript;base64,{b64encode(fetch.encode()).decode()}"
    url, options = _with_frame(site, f"<script>new Worker(`{script}`)</script>")
    async with (
        open_browser_at(endpoint, exclusive=False) as browser,
        open_tools(browser, options) as door,
    ):
        arrange(browser)
        await door.text("navigate", url=url)
        tab = door.desk.current
        assert tab is not None
        await until(
            lambda: any(each.url.endswith("/echo?secret") for each in tab.network), "it is noted"
        )
        assert "/echo?secret" not in await door.text("network_requests", filter="/echo?secret")
        await tab.evaluate("document.querySelector('iframe').remove()")
        await until(lambda: len(tab.frames) == 1, "the frame is gone")
        assert "/echo?secret" not in await door.text("network_requests", filter="/echo?secret")
