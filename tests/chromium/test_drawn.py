"""Tabs of a headless browser are drawn: what moves on their pages moves as for a person."""

import sys

import pytest

from fixtures.site import Site
from tests.support.agent import Agent, open_agent
from tests.support.ground import Ground, ground
from tests.support.site import site

if sys.platform == "win32":
    pytest.skip("reads /proc", allow_module_level=True)

__all__ = ["ground", "site"]
pytestmark = pytest.mark.chromium

_MOVING = """new Promise((done) => {
  const box = document.body.appendChild(document.createElement("div"));
  box.style.cssText = "position: fixed; width: 90px; height: 90px; background: red";
  const begun = performance.now();
  let frames = 0;
  const move = () => {
    box.style.left = `${++frames}px`;
    if (frames < 60) requestAnimationFrame(move);
    else done(performance.now() - begun);
  };
  requestAnimationFrame(move);
})"""
_LIMIT = 10_000.0  # ms; 1,000 on an idle machine, a minute where a page is drawn once a second


async def assert_drawn(agent: Agent) -> None:
    """Something on the page moves at every frame, and frames come."""
    assert float((await agent.does("eval", expression=_MOVING)).splitlines()[1]) < _LIMIT


async def test_current_tab(ground: Ground, site: Site) -> None:
    """The first tab, one beside it, and the first again are drawn, also once the mouse has moved.

    Chrome draws a tab behind once a second from then on.
    """
    flags = ["--unsafe-all-domains", "--unsafe-enable-eval", "--enable-mutations"]
    async with open_agent(ground, "stdio", "legacy", flags) as agent:
        await agent.does("navigate", url=site.url("/page"))
        await assert_drawn(agent)
        first = (await agent.does("tabs_list")).split()[1]
        await agent.does("tab_new", url=site.url("/form"))
        await assert_drawn(agent)
        for selector in ("input", "label", "button"):
            await agent.does("hover", selector=selector)
        await assert_drawn(agent)
        await agent.does("tab_select", tabId=first)
        await assert_drawn(agent)
