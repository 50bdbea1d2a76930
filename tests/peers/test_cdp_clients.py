"""Playwright and Puppeteer work on tabs of a person's own browser, over our endpoint.

What they were written for is Chrome's own port, so whatever they ask at their start has to be
answered as there. The person's tab is there before they come, and after they have gone.
"""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import trio

from bridge import cdp
from fixtures.site import Site, open_site
from tests.support.browsers import until_true
from tests.support.linked import Everyday, in_extension, look, open_outside, tidy
from tests.support.linked import everyday as everyday
from tests.support.peer_programs import Programs
from tests.support.site import site as site

pytestmark = [pytest.mark.peers, pytest.mark.extension]

TOKEN = "t" * 43
FLAGS = ["--prefer", "extension", "--enable-mutations", "--unsafe-enable-eval"]
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
    hosts = [each.removeprefix("http://") for each in (site.origin, site.other_origin)]
    async with open_site() as denied, open_outside(everyday) as outside:
        with serving(everyday, hosts) as url:
            await outside.root.execute(cdp.target.create_target(site.url("/form")))
            shared = _SHARE.replace("URL", site.url("/form"))

            async def share() -> bool:
                await look(outside)
                return await in_extension(outside, shared) is True

            await until_true(share, "the person has shared a tab")
            yield Ground(url, everyday, site, denied, programs)
    await tidy(everyday)


@contextmanager
def serving(everyday: Everyday, hosts: list[str]) -> Iterator[str]:
    """The command, as a person starts it; where it says it is."""
    allowed = [word for host in hosts for word in ("--allow-domain", host)]
    command = [sys.executable, "-m", "bridge", "proxy", "--data-dir", str(everyday.folder)]
    with subprocess.Popen(
        [*command, *FLAGS, *allowed],
        env={**os.environ, "CHROME_BRIDGE_PROXY_TOKEN": TOKEN},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[2]
        finally:
            process.terminate()


async def test_at_work(ground: Ground) -> None:
    """Each client finds the tab that is shared, opens its own, and works in them as anywhere."""
    for script in ("playwright.cjs", "puppeteer.cjs"):
        seen = await ground.run(script)
        assert seen["found"] == ["Form"], script
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
        theirs = [each.attached for each in targets if each.url == ground.site.url("/form")]
        assert theirs == [False]
