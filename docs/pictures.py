"""Takes the pictures of docs/extension.md: `python -m docs.pictures`, by hand, with a Chromium.

Everything in them is real: a browser with the extension, two servers that are connected, tabs that
are shared. So a picture that cannot be taken any more tells that what stands beside it is untrue.
"""

import base64
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from bridge import cdp
from bridge.api import open_browser
from bridge.app.extension import folder
from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.relay import pairing
from bridge.relay.registration import Host, host_of
from bridge.relay.server import Relay, open_relay
from bridge.session.connection import Connection, open_connection
from bridge.timeouts import Timeouts, deadline
from bridge.transport.extension import ExtensionTransport
from bridge.transport.link import ORIGIN, Sites
from fixtures.site import Site, open_site

FOLDER = Path(__file__).resolve().parent / "pictures"
_POPUP = 340
_PAGE = 680
_WORD = '[...document.querySelectorAll("button")].find((b) => b.textContent === %s).click()'


async def main() -> None:
    """All pictures, one after the other, of one browser."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        host = host_of(Path(place))
        host.write()
        async with (
            open_site() as site,
            open_browser(headless=True, data_dir=host.data_dir, extensions=(folder(),)) as browser,
        ):
            await take_all(browser, host, site)


async def take_all(browser: Browser, host: Host, site: Site) -> None:
    """Each stands beside what it shows in docs/extension.md."""
    front = await browser.new_tab(site.url("/errand"))
    popup = await open_view(browser, "popup.html", _POPUP)
    async with (
        open_server(host, "Claude Code", [site.url("/form")]) as (_, transport),
        open_server(host, "Cursor", [site.url("/moving")]),
    ):
        await see(popup, "Form")
        await front.session.execute(cdp.page.bring_to_front())
        await see(popup, "Moving targets")
        await take(popup, "popup")
        await take(popup, "popup-dark", scheme="dark")
        await press(popup, "Pause")
        await see(popup, "Paused")
        await take(popup, "popup-paused")
        await press(popup, "Resume")
        options = await open_view(browser, "options.html", _PAGE)
        await see(options, "Cursor: connected")
        await take(options, "options")
        await ask_for_a_tab(transport)
        await see(popup, "asks you to share")
        await take(popup, "popup-request")
    await take_pairing(browser, host)


async def ask_for_a_tab(transport: ExtensionTransport) -> None:
    """As a server does that needs a page the person has open; its answer concerns nobody."""
    said = {"reason": "I need the page with your order.", "url": "https://shop.example/orders"}
    request = {"id": 2147483000, "method": "Bridge.requestTab", "params": said}
    await transport.send(json.dumps(request, separators=(",", ":")).encode())


async def take_pairing(browser: Browser, host: Host) -> None:
    """The two pages: the server's, which only rings, and the extension's, which takes the code."""
    pages = pairing.open_pages("Claude Code")
    apart = host.data_dir / "apart"  # where the browser's own host does not look
    async with open_relay(apart, "Claude Code", Sites(visited=["*"]), pages=pages) as relay:
        page = await browser.new_tab(f"http://127.0.0.1:{relay.port}/pair")
        await page.session.execute(cdp.page.bring_to_front())
        await take(page, "pair-begin", width=_PAGE)
        await press(page, "Tell the extension")
        await see(page, "has opened its own page")
        asked = await open_view(browser, "pair.html", _PAGE)
        await see(asked, "Code from your terminal")
        await take(asked, "pair-code")


@asynccontextmanager
async def open_server(
    host: Host, name: str, urls: list[str]
) -> AsyncIterator[tuple[Relay, ExtensionTransport]]:
    """A server with tabs of its own in the browser."""
    timeouts = Timeouts()
    async with open_relay(host.links, name, Sites(visited=["*"])) as relay:
        with deadline(timeouts, "launch", "waiting for the extension"):
            transport = await relay.wait_link()
        async with open_connection(transport, timeouts) as connection:
            await open_tabs(connection, urls)
            yield relay, transport


async def open_tabs(connection: Connection, urls: list[str]) -> None:
    """In the group with the server's name."""
    for url in urls:
        await connection.root.execute(cdp.target.create_target(url, background=True))


async def open_view(browser: Browser, name: str, width: int) -> Tab:
    """A page of the extension's as wide as a person has it."""
    tab = await browser.new_tab(f"{ORIGIN}/{name}")
    await resize(tab, width, 400)
    return tab


async def resize(tab: Tab, width: int, height: int) -> None:
    """With two pixels of the picture for each of the page."""
    await tab.session.execute(
        cdp.emulation.set_device_metrics_override(width, height, 2, mobile=False)
    )


async def see(tab: Tab, words: str) -> None:
    """Return once these words can be read; the page draws itself anew each second."""
    script = f"document.body.innerText.includes({json.dumps(words)})"
    with deadline(Timeouts(), "launch", f"waiting for {words!r}"):
        while not await tab.evaluate(script):  # noqa: ASYNC110 -- no event tells
            await trio.sleep(0.1)


async def press(tab: Tab, name: str) -> None:
    await tab.evaluate(_WORD % json.dumps(name))


async def take(tab: Tab, name: str, *, width: int = 0, scheme: str = "light") -> None:
    """The whole page, into a file of this name."""
    feature = cdp.emulation.MediaFeature(name="prefers-color-scheme", value=scheme)
    await tab.session.execute(cdp.emulation.set_emulated_media(features=[feature]))
    width = width or int(str(await tab.evaluate("innerWidth")))
    height = int(str(await tab.evaluate("document.documentElement.offsetHeight")))
    await resize(tab, width, height)
    picture = await tab.screenshots.viewport()
    await trio.Path(FOLDER / f"{name}.png").write_bytes(base64.b64decode(picture.data))


if __name__ == "__main__":
    trio.run(main)
