"""Playwright and Puppeteer work on tabs of a person's own browser, over our endpoint.

What they were written for is Chrome's own port, so whatever they ask at their start has to be
answered as there. The person's tab is there before they come, and after they have gone.
"""

import json
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import trio

from bridge import cdp
from bridge.app.proxying import Wishes, proxy
from bridge.policy.options import PolicyOptions
from bridge.proxy.options import ProxyOptions
from bridge.relay.options import LinkOptions
from bridge.scope import open_scope
from bridge.timeouts import Timeouts
from fixtures.site import Site, open_site
from launcher.options import LaunchOptions
from tests.support.browsers import until_true
from tests.support.linked import Everyday, in_extension, look, open_outside, tidy
from tests.support.linked import everyday as everyday
from tests.support.peer_programs import Programs
from tests.support.site import site as site

pytestmark = [pytest.mark.peers, pytest.mark.extension]

TOKEN = "t" * 43
_SHARE = """chrome.runtime.sendMessage({ ask: "state" }).then(async ({ clients }) => {
  const [tab] = await chrome.tabs.query({ url: "URL" });
  if (!tab || !clients.length) return false;
  const { serverId } = clients[0];
  return (await chrome.runtime.sendMessage({ do: "share", tabId: tab.id, serverId })).ok === true;
})"""


@dataclass
class Ground:
    """An endpoint, a tab the person has shared, and clients on Node.js."""

    url: str
    everyday: Everyday
    site: Site
    denied: Site
    programs: Programs

    async def run(self, script: str) -> dict[str, Any]:
        """What the client has seen."""
        environment = {
            "ENDPOINT": self.url,
            "TOKEN": TOKEN,
            "SITE": self.site.origin,
            "OTHER": self.site.other_origin,
            "DENIED": self.denied.url("/"),
        }
        work = partial(self.programs.script, f"tests/peers/{script}", environment)
        done: subprocess.CompletedProcess[str] = await trio.to_thread.run_sync(work)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture
async def ground(everyday: Everyday, site: Site, programs: Programs) -> AsyncIterator[Ground]:
    hosts = tuple(each.removeprefix("http://") for each in (site.origin, site.other_origin))
    wishes = Wishes(
        launch=LaunchOptions(data_dir=everyday.folder),
        policy=PolicyOptions(allow_domain=hosts, enable_mutations=True, unsafe_enable_eval=True),
        link=LinkOptions(prefer="extension"),
        proxy=ProxyOptions(),
        token=TOKEN,
    )
    said: list[str] = []
    async with open_site() as denied, open_scope() as nursery, open_outside(everyday) as outside:
        nursery.start_soon(proxy, wishes, Timeouts(), said.append)
        await outside.root.execute(cdp.target.create_target(site.url("/form")))
        shared = _SHARE.replace("URL", site.url("/form"))

        async def share() -> bool:
            await look(outside)
            return bool(said) and await in_extension(outside, shared) is True

        await until_true(share, "the person has shared a tab")
        yield Ground(said[0].split()[2], everyday, site, denied, programs)
    await tidy(everyday)


@pytest.mark.parametrize("script", ["playwright.cjs", "puppeteer.cjs"])
async def test_at_work(ground: Ground, script: str) -> None:
    """A client finds the tab that is shared, opens its own, and works in them as anywhere."""
    seen = await ground.run(script)
    assert seen["found"] == ["Form"]
    assert seen["form"] == ["Ada", True, "r"]
    assert seen["confirmed"] is True
    assert seen["popup"] == ground.site.url("/")
    assert seen["inner"] == "Grace"
    assert seen.get("routed", "ours") == "ours"
    assert "ERR_BLOCKED_BY_CLIENT" in seen["denied"] or "not allowed" in seen["denied"]
    assert ground.denied.requests == ()
    assert seen["bytes"] > 1000
    assert seen["raw"] == 42
    assert "not possible" in seen["context"]
    assert seen["left"] == 1
    async with open_outside(ground.everyday) as outside:
        targets = (await outside.root.execute(cdp.target.get_targets())).target_infos
    assert [each.attached for each in targets if each.url == ground.site.url("/form")] == [False]


async def test_one_after_the_other(ground: Ground) -> None:
    """The next client finds the tab as free as the first one did."""
    for _ in range(2):
        assert (await ground.run("playwright.cjs"))["found"] == ["Form"]
