"""Requests of a real page: complete, ended, and without anybody's credentials."""

import pytest
import trio

from bridge.browser.tab import Tab
from bridge.page.exchange import Exchange
from fixtures.site import Site
from tests.support.backends import Crash
from tests.support.browsers import until
from tests.support.logged import OpenLogged, open_page

pytestmark = [pytest.mark.chromium, pytest.mark.contract]


async def _press(tab: Tab, button: str) -> None:
    """Press it and wait for what the page says came of it."""
    await tab.evaluate(
        f"""new Promise((done) => {{
          const outcome = document.getElementById('outcome');
          new MutationObserver(() => outcome.textContent.startsWith('{button}:') && done())
            .observe(outcome, {{ childList: true }});
          document.getElementById('{button}').click();
        }})"""
    )


async def test_outcomes(logged: OpenLogged, site: Site) -> None:
    """Status, type, redirects, preflights and failures are told as they were."""
    async with logged() as door:
        tab = await open_page(door, site.url("/network"))
        for button in ("ok", "missing", "redirect", "cors", "cors-failure", "cut", "xhr", "abort"):
            await _press(tab, button)
        await until(lambda: all(request.done.is_set() for request in tab.network), "all have ended")
        told = await door.text("network_requests")
    for line in (
        "GET 200 Document ",
        "GET 200 Fetch ",
        "GET 404 Fetch ",
        f"{site.url('/iframe-text')} (from 302 {site.url('/redirect?n=2&to=/iframe-text')})",
        "OPTIONS 204 Preflight ",
        "PUT 200 Fetch ",
        "GET failed: net::ERR_FAILED",
        "GET failed: net::ERR_EMPTY_RESPONSE",
        "GET 200 XHR ",
        "GET failed: net::ERR_ABORTED",
    ):
        assert line in told


async def test_secrets_of_the_wire(logged: OpenLogged, site: Site) -> None:
    """Cookies, credentials and passwords that really went over the wire are nowhere in it."""
    canary = "CANARY7f3a"
    async with logged() as door:
        tab = await open_page(door, site.url("/network"))
        await tab.evaluate(
            f"""document.cookie = 'sid={canary}';
            fetch('/status?code=200&access_token={canary}', {{
              method: 'POST',
              headers: {{ Authorization: 'Bearer {canary}', 'X-Api-Key': '{canary}' }},
              body: new URLSearchParams({{ user: 'me', password: '{canary}' }}),
            }}).then((answer) => answer.text())"""
        )
        number = next(r.number for r in tab.network if r.method == "POST")
        seen = next(seen for seen in site.requests if seen.method == "POST")
        assert canary in dict(seen.headers).get("cookie", "")
        shown = await door.text("network_requests")
        shown += await door.text("network_requests", requestId=number, maxTokens=0)
        await tab.evaluate("document.cookie = 'sid=; max-age=0'")  # others use this browser too
    assert canary not in shown
    assert "user=me" in shown


async def test_body(logged: OpenLogged, site: Site) -> None:
    """Bodies are there, of frames in other processes too; one that is too large is said to be."""
    async with logged() as door:
        tab = await open_page(door, site.url("/frames"))
        await until(
            lambda: all(request.done.is_set() for request in tab.network), "everything has come"
        )
        frames = [r for r in tab.network if r.url.startswith(site.other("/iframe-text"))]
        told = await door.text("network_requests", requestId=frames[0].number)
        assert "<!doctype html>" in told
        await tab.evaluate(
            "fetch('/download?name=l.bin&size=5000000').then((answer) => answer.text())"
        )
        number = next(r.number for r in tab.network if "/download" in r.url)
        told = await door.text("network_requests", requestId=number)
        assert "(not there: " in told


@pytest.mark.parametrize("leave", ["navigation", "other site", "crash"])
async def test_nothing_stays_in_flight(
    logged: OpenLogged, site: Site, crash: Crash, leave: str
) -> None:
    """A request that is never answered ends with its page, however that leaves."""
    async with logged() as door:
        tab = await open_page(door, site.url("/network"))
        await tab.evaluate("void fetch('/never')")
        await until(lambda: _of(tab, "/never"), "it has begun")
        (request,) = _of(tab, "/never")
        if leave == "crash":
            async with trio.open_nursery() as nursery:
                nursery.start_soon(crash, tab.frames.main)
                await until(request.done.is_set, "it has ended")
        else:
            there = site.url("/form") if leave == "navigation" else site.other("/form")
            await door.text("navigate", url=there)
        assert request.done.is_set()
        assert request.error == "the page went elsewhere"


def _of(tab: Tab, path: str) -> list[Exchange]:
    return [request for request in tab.network if request.url.endswith(path)]


_IN_WORKERS = """new Promise((done) => {
  const blob = new Blob([`fetch('${location.origin}/form?blob').then((answer) => answer.text())
    .then(() => postMessage(fetch('${location.origin}/never?blob') && 1))`]);
  for (const script of [
    URL.createObjectURL(blob),
    'data:text/javascript,' + encodeURIComponent(
      `fetch('${location.origin}/form?data', { mode: 'no-cors' }).then(() => postMessage(1))`),
  ]) new Worker(script).onmessage = () => { window.told = (window.told ?? 0) + 1 };
  setInterval(() => window.told === 2 && done(), 20);
})"""


async def test_workers(logged: OpenLogged, site: Site) -> None:
    """What a worker of the page asks for is listed, has its body, and ends with its page."""
    async with logged() as door:
        tab = await open_page(door, site.url("/form"))
        await tab.evaluate(_IN_WORKERS)
        await until(lambda: _of(tab, "/never?blob"), "it has begun")
        told = await door.text("network_requests", type="fetch")
        for line in ("GET 200 Fetch", "/form?blob", "/form?data", "pending Fetch", "/never?blob"):
            assert line in told
        number = _of(tab, "/form?blob")[0].number
        assert "<!doctype html>" in await door.text("network_requests", requestId=number)
        await door.text("navigate", url=site.url("/"))
        await until(_of(tab, "/never?blob")[0].done.is_set, "it has ended")


async def test_sockets(logged: OpenLogged, site: Site) -> None:
    """A socket is one line, however much goes through it."""
    async with logged() as door:
        tab = await open_page(door, site.url("/form"))
        before = tab.network.size
        await tab.evaluate(
            """new Promise((done) => {
              const socket = new WebSocket(`ws://${location.host}/socket`);
              let count = 0;
              socket.onopen = () => {
                for (let i = 0; i < 1000; i++) socket.send('x'.repeat(100));
              };
              socket.onmessage = () => { count += 1; if (count === 1000) done(); };
            })"""
        )
        told = await door.text("network_requests", type="websocket")
    assert "GET 101 WebSocket " in told
    assert tab.network.size - before < 10_000


async def test_download(logged: OpenLogged, site: Site) -> None:
    """A link that Chrome saves is told by its status, and is no failure."""
    async with logged() as door:
        tab = await open_page(door, site.url("/downloads"))
        await tab.evaluate("document.getElementById('small').click()")
        await until(lambda: any(request.saved for request in tab.network), "Chrome has told")
        await until(lambda: all(request.done.is_set() for request in tab.network), "all have ended")
        told = await door.text("network_requests", filter="/download?")
        failed = await door.text("network_requests", filter="/download?", failed=True)
    assert "GET 200 (a download) Document " in told
    assert failed.startswith("No requests"), failed
