"""Two servers in one browser, each with a policy of its own."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from fixtures.site import Site
from tests.support.conditions import halt
from tests.support.ground import Ground, ground
from tests.support.mcp_calls import Agent, open_agent

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

__all__ = ["ground"]
pytestmark = [pytest.mark.chromium, pytest.mark.slow, pytest.mark.timeout(60)]

_POPUP = "/markup?html=<a id=out href={}/echo?{} target=_blank>out</a>"
_TRIES = """
(async () => {
  new Image().src = '%(denied)s/echo?image-%(name)s';
  const frame = document.createElement('iframe');
  frame.src = '%(denied)s/echo?frame-%(name)s';
  document.body.append(frame);
  const out = await fetch('%(denied)s/echo?fetch-%(name)s', {mode: 'no-cors'})
    .then(() => 'reached', () => 'refused');
  const own = await fetch('/echo').then(r => r.status);
  return out + ' ' + own;
})()
"""


@asynccontextmanager
async def open_bound(ground: Ground, origin: str) -> AsyncIterator[Agent]:
    """A server on the shared profile, whose policy allows this origin alone."""
    where = ("--data-dir", str(ground.data), "--log-level", "off")
    host = origin.removeprefix("http://")
    able = ("--allow-domain", host, "--enable-mutations", "--unsafe-enable-eval")
    async with open_agent(
        sys.executable, "-m", "bridge", "serve", "--headless", *where, *able
    ) as a:
        yield a


async def try_out(agent: Agent, denied: str, name: str) -> None:
    """What its page asks of its own host comes, and what it asks of the other's does not."""
    told = await agent.well("eval", expression=_TRIES % {"denied": denied, "name": name})
    assert "refused 200" in told.text
    assert (await agent.call("navigate", url=f"{denied}/echo?gone-{name}")).code == "POLICY_DENIED"


def strays(site: Site, names: tuple[str, ...]) -> list[str]:
    """What arrived of that which should not."""
    return [
        seen.query for seen in site.requests if seen.path == "/echo" and seen.query.endswith(names)
    ]


async def test_each_its_own(ground: Ground, site: Site) -> None:
    """Both hold their tabs at once; one killed in mid-request leaves the other as it was."""
    here, there = site.origin, site.other_origin
    async with open_bound(ground, here) as one, open_bound(ground, there) as two:
        for agent, own, denied, name in ((one, here, there, "a"), (two, there, here, "b")):
            await agent.well("navigate", url=own + _POPUP.format(denied, f"popup-{name}"))
            await try_out(agent, denied, name)
        clicks = [await agent.begin("click", selector="#out") for agent in (one, two)]
        for click in clicks:
            await click.told()
        # In an act of its own, it holds every navigation; stopped and killed, it lets go of them.
        waiting = await two.begin("navigate", url=f"{there}/never")
        await site.wait_request("/never")
        await halt(two.server.process.pid)
        held = await one.begin("navigate", url=f"{here}/echo?after")
        two.server.process.kill()
        assert not (await held.told()).failed
        assert not waiting.answered
        await try_out(one, there, "later-a")
        assert strays(site, ("-a", "-b")) == []
