"""The filter proxy with a real browser behind it, and no other gate."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from urllib.parse import urlsplit

import pytest
import trio

from bridge.browser.browser import Browser
from bridge.browser.lifecycle import open_session
from bridge.errors import PageError
from bridge.gate.proxy import Proxy, open_proxy
from bridge.policy.options import PolicyOptions
from bridge.timeouts import Timeouts
from fixtures.site import Site
from launcher.options import LaunchOptions, fence
from tests.support.plugged import short_folder
from tests.support.served import open_served

pytestmark = pytest.mark.chromium

_SOCKET = """
new Promise((done, failed) => {
  const socket = new WebSocket('ws://%s/socket');
  socket.onopen = () => socket.send('hello');
  socket.onmessage = event => done(event.data);
  socket.onerror = () => done('failed');
})
"""
_ASK = "fetch('http://%s/', {mode: 'no-cors'}).then(r => r.text(), () => 'failed')"
_PARALLEL = """
Promise.all(Array.from({length: 50}, (_, n) => fetch('/echo?n=' + n).then(r => r.status)))
"""


@asynccontextmanager
async def open_filtered(site: Site) -> AsyncIterator[tuple[Proxy, Browser]]:
    """A browser that reaches good.test, which is the site, and nothing else."""
    port = urlsplit(site.origin).port
    assert port is not None

    async def dial(host: str, wanted: int) -> trio.SocketStream:
        if host == "dead.test":
            raise OSError("nobody there")
        return await trio.open_tcp_stream("127.0.0.1", port)

    def allowed(host: str, wanted: int) -> bool:
        return host in ("good.test", "dead.test")

    with short_folder() as folder:
        options = LaunchOptions(headless=True, isolated=True, data_dir=folder)
        async with open_proxy(allowed, dial=dial) as proxy:
            opening = open_session(fence(options, proxy_server=proxy.server), Timeouts())
            async with opening as (_, browser):
                yield proxy, browser


async def test_through_the_proxy(site: Site) -> None:
    """Pages, many requests at once, large answers and WebSockets work through it."""
    async with open_filtered(site) as (proxy, browser):
        tab = await browser.new_tab("http://good.test/")
        assert site.requests[0].path == "/"
        assert await tab.evaluate(_PARALLEL) == [200] * 50
        assert proxy.connections <= 10  # kept and used again
        size = await tab.evaluate("fetch('/big').then(r => r.text()).then(t => t.length)")
        assert isinstance(size, int)
        assert size >= 1_000_000
        assert await tab.evaluate(_SOCKET % "good.test") == "hello"


async def test_refused_by_the_proxy(site: Site) -> None:
    """What is not allowed does not come through, this machine's own services included."""
    async with open_filtered(site) as (proxy, browser):
        tab = await browser.new_tab("http://good.test/")
        site.forget_requests()
        for address in ("evil.test", urlsplit(site.origin).netloc, f"127.0.0.1:{proxy.port}"):
            # The proxy's own answer, which the page cannot read.
            assert await tab.evaluate(_ASK % address) in ("", "failed")
            assert await tab.evaluate(_SOCKET % address) == "failed"
        assert {seen.host for seen in site.requests} <= {"good.test"}  # its icon may come late
        assert proxy.refused["evil.test"] == 2
        with pytest.raises(PageError, match="TUNNEL"):
            await tab.navigate("https://evil.test/")


async def test_a_dead_site_is_an_error(site: Site) -> None:
    """A site that cannot be reached is an error of the navigation, not a page of the proxy's."""
    async with open_filtered(site) as (proxy, browser):
        tab = await browser.new_tab()
        with pytest.raises(PageError) as caught:
            await tab.navigate("http://dead.test/")
        assert caught.value.code == "NAVIGATION_FAILED"
        assert proxy.unreached("http://dead.test/") == "nobody there"


async def test_nobody_listens(site: Site) -> None:
    """An agent is told that nothing listens there, where Chrome says that the answer was empty."""
    with closing(socket.create_server(("127.0.0.1", 0))) as held, short_folder() as folder:
        port = held.getsockname()[1]
        held.close()
        async with open_served(folder, PolicyOptions(allow_domain=("127.0.0.1",))) as served:
            for scheme in ("http", "https"):
                said = await served.refused("navigate", url=f"{scheme}://127.0.0.1:{port}/")
                assert said.startswith("NAVIGATION_FAILED: "), said
                assert "for there was no connection: " in said
                assert "Connection refused" in said
