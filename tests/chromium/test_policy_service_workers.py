"""Service workers of sites we may visit: in a shared browser they answer none of our pages."""

import pytest

from bridge.browser.tab import Tab
from tests.support.corpus_site import Page
from tests.support.plugged import short_folder
from tests.support.policy_yard import Yard, open_yard

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(120)]

_REGISTERED = """(async () => {
  await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) {
    await Promise.race([
      new Promise((resolve) => (navigator.serviceWorker.oncontrollerchange = resolve)),
      new Promise((resolve) => setTimeout(resolve, 1000)),
    ]);
  }
  return (await (await fetch("/asked")).text());
})()"""
_WORKER = """
fetch("http://NAME.evil.test:PORT/", { mode: "no-cors" }).catch(() => {});
oninstall = () => skipWaiting();
onactivate = (event) => event.waitUntil(clients.claim());
const headers = { "content-type": "text/html" };
onfetch = (event) => event.respondWith(new Response("<p>from the worker</p>", { headers }));
"""
PAGES = {
    "/start": Page("<p>start</p>"),
    "/asked": Page("<p>from the network</p>"),
    "/sw.js": Page(_WORKER, kind="text/javascript"),
}


async def _visit(yard: Yard) -> tuple[str, str]:
    """What a page of a site with a worker is answered, and what a navigation brings then."""
    yard.site.serve(yard.fill(PAGES, "worker"))
    tab: Tab = await yard.browser.new_tab(f"{yard.site.origin}/start")
    asked = str(await tab.evaluate(_REGISTERED))
    await tab.navigate(f"{yard.site.origin}/asked")
    return asked, str(await tab.evaluate("document.body.innerText"))


@pytest.mark.parametrize("kind", ["shared", "attached"])
async def test_shared(kind: str) -> None:
    """They answer nothing; what they ask for by themselves is held as before."""
    with short_folder() as folder:
        async with open_yard(kind, folder) as yard:
            asked, shown = await _visit(yard)
            assert "from the network" in asked
            assert shown == "from the network"
            assert not yard.leaking_hosts()


async def test_alone() -> None:
    """In a browser of our own they answer as everywhere."""
    with short_folder() as folder:
        async with open_yard("launched", folder) as yard:
            asked, shown = await _visit(yard)
            assert "from the worker" in asked
            assert shown == "from the worker"
            assert not yard.leaking_hosts()
