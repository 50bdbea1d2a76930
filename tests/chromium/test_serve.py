"""`serve` with a real Chromium: a whole life over the wire, and every end of it."""

import json
import signal
import sys

import pytest
import trio

from fixtures.site import Site
from tests.support.conditions import halt, limit
from tests.support.ground import Ground, ground
from tests.support.mcp_process import Server, open_server

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

__all__ = ["ground"]
pytestmark = pytest.mark.chromium
ENDS = ("stdin", "SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")


def command(ground: Ground, *flags: str) -> list[str]:
    start = [sys.executable, "-m", "bridge", "serve", "--headless", "--log-level", "off"]
    return [*start, "--data-dir", str(ground.data), "--unsafe-all-domains", *flags]


async def go(server: Server, url: str) -> str:
    """Up to a page; what the tool said."""
    await server.greet()
    await server.call(1, "navigate", url=url)
    answer = await server.receive()
    return str(answer["result"]["content"][0]["text"])


async def end(server: Server, how: str) -> int:
    if how == "stdin":
        return await server.end()
    server.process.send_signal(signal.Signals[how])
    return await server.process.wait()


@pytest.mark.parametrize("era", ["with a handshake", "without"])
async def test_page(ground: Ground, site: Site, era: str) -> None:
    """A client of either era goes to a page, and is told where it is."""
    async with open_server(*command(ground, "--isolated")) as server:
        url = site.url("/page")
        if era == "without":
            answer = await server.ask("tools/call", 1, name="navigate", arguments={"url": url})
            said = answer["result"]["content"][0]["text"]
        else:
            said = await go(server, url)
        assert said.startswith(url)
        await server.end()
    await ground.assert_clean()


@pytest.mark.parametrize("profile", ["shared", "isolated"])
@pytest.mark.parametrize("how", ENDS)
async def test_idle(ground: Ground, how: str, profile: str) -> None:
    """However it ends, the browser goes with it, in time, and leaves nothing."""
    flags = ["--isolated"] if profile == "isolated" else []
    async with open_server(*command(ground, *flags)) as server:
        await go(server, "about:blank")
        assert ground.browsers
        began = trio.current_time()
        code = await end(server, how)
        ended = trio.current_time() - began
        assert code == {"SIGINT": 130, "SIGKILL": -signal.SIGKILL}.get(how, 0)
        ground.note("exit", round(ended, 3))
        await ground.assert_clean()
        ground.note("gone", round(trio.current_time() - began, 3))
        assert ended < 3


@pytest.mark.parametrize("how", ENDS)
async def test_at_work(ground: Ground, site: Site, how: str) -> None:
    """The same in the middle of a navigation that never ends."""
    async with open_server(*command(ground, "--isolated")) as server:
        await go(server, "about:blank")
        await server.call(2, "navigate", url=site.url("/never"))
        await site.wait_request("/never")
        with limit(10):
            await end(server, how)
        await ground.assert_clean()


async def test_frozen(ground: Ground) -> None:
    """A browser that does not answer is ended, and the server still ends in its time."""
    async with open_server(*command(ground)) as server:
        await go(server, "about:blank")
        for pid in ground.browsers:
            await halt(pid)
        began = trio.current_time()
        assert await server.end() == 0
        assert trio.current_time() - began < 6
        await ground.assert_clean(within=15)


async def test_two_servers(ground: Ground) -> None:
    """A second server on the same profile attaches, with tabs of its own."""
    async with open_server(*command(ground)) as one, open_server(*command(ground)) as two:
        await go(one, "data:text/html,<title>One</title>")
        await go(two, "data:text/html,<title>Two</title>")
        assert len(ground.browsers) == 1
        for server, title in ((one, "One"), (two, "Two")):
            await server.call(2, "tabs_list")
            text = json.dumps(await server.receive())
            assert title in text
        await one.end()
        await two.call(3, "navigate", url="about:blank")
        assert "result" in await two.receive()
        await two.end()
    await ground.assert_clean()
