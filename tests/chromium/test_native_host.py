"""The native host in a real browser: told of servers by a file, and asked by an extension.

The extension here is a page and a worker under the name of ours: what it does is done by a test.
"""

import json
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from bridge import cdp
from bridge.api import open_browser
from bridge.app.extension import folder
from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.relay import pairing
from bridge.relay.registration import Host, host_of
from bridge.relay.server import Relay, open_relay
from bridge.timeouts import Timeouts, deadline
from bridge.transport.link import EXTENSION_ID, HOST_NAME, Sites
from tests.support.browsers import until, until_true

pytestmark = pytest.mark.chromium

# What hears the page of a server, as the worker of ours does.
_WORKER = """
chrome.runtime.onMessageExternal.addListener((message, sender, reply) => {
  chrome.storage.session.set({ heard: { message, origin: sender.origin } }).then(() => reply({}));
  return true;
});
"""
_CONNECT = f"""
globalThis.heard = [];
globalThis.lost = null;
globalThis.began = performance.now();
globalThis.port = chrome.runtime.connectNative({json.dumps(HOST_NAME)});
port.onMessage.addListener((message) => {{
  heard.push({{ message, after: performance.now() - began }});
}});
port.onDisconnect.addListener(() => {{ lost = chrome.runtime.lastError?.message ?? "ended"; }});
"""
# The extension's half of docs/link.md, "Pairing by hand".
_PAIR = """
(async () => {
  const { port, typed } = GIVEN;
  const bytes = (text) => new TextEncoder().encode(text);
  const pair = (byte) => byte.toString(16).padStart(2, "0");
  const hex = (buffer) => [...new Uint8Array(buffer)].map(pair).join("");
  const unhex = (text) => Uint8Array.from(text.match(/../g), (two) => parseInt(two, 16));
  const hmac = async (raw, said, hash) => {
    const kind = { name: "HMAC", hash };
    const key = await crypto.subtle.importKey("raw", raw, kind, false, ["sign"]);
    return crypto.subtle.sign(kind, key, bytes(said));
  };
  const ask = async (path) => {
    const answer = await fetch(`http://127.0.0.1:${port}/pair/${path}`, { method: "POST" });
    return answer.json();
  };
  const theirs = hex(crypto.getRandomValues(new Uint8Array(16)));
  const { nonce, serverId, rounds } = await ask(`begin?nonce=${theirs}`);
  const plain = typed.toUpperCase().replace(/[ -]/g, "");
  const code = plain.replaceAll("O", "0").replace(/[IL]/g, "1");
  const said = ["chrome-bridge", port, chrome.runtime.id, serverId, theirs, nonce].join("\\n");
  const raw = await crypto.subtle.importKey("raw", bytes(code), "PBKDF2", false, ["deriveBits"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt: bytes(said), iterations: rounds };
  const key = await crypto.subtle.deriveBits(how, raw, 256);
  const told = await ask(`finish?nonce=${nonce}&mac=${hex(await hmac(key, "client", "SHA-256"))}`);
  if (told.error) {
    return told.error;
  }
  if (told.mac !== hex(await hmac(key, `server\\n${told.sealed}`, "SHA-256"))) {
    return "another server";
  }
  const pad = new Uint8Array(await hmac(key, "token", "SHA-512"));
  return String.fromCharCode(...unhex(told.sealed).map((byte, at) => byte ^ pad[at]));
})()
"""


def write_extension(place: Path, *, ours: bool = True) -> Path:
    """An extension that may ask, or another one that may not."""
    manifest = json.loads((folder() / "manifest.json").read_text(encoding="utf-8"))
    made = {
        "manifest_version": 3,
        "name": "asks",
        "version": "1",
        "permissions": ["nativeMessaging", "storage"],
        "background": {"service_worker": "worker.js"},
        "externally_connectable": manifest["externally_connectable"],
    }
    if ours:
        made["key"] = manifest["key"]
    place.mkdir()
    (place / "manifest.json").write_text(json.dumps(made))
    (place / "worker.js").write_text(_WORKER)
    (place / "page.html").write_text("<!doctype html><title>asks</title>")
    return place


@pytest.fixture
def host(tmp_path: Path) -> Host:
    found = host_of(tmp_path / "data")
    found.write()
    return found


@pytest.fixture
async def launched(tmp_path: Path, host: Host) -> AsyncIterator[Browser]:
    """A browser we launched, with the extension."""
    async with open_browser(
        headless=True,
        isolated=True,
        data_dir=host.data_dir,
        extensions=(write_extension(tmp_path / "ours"),),
    ) as opened:
        yield opened


@pytest.fixture
async def page(launched: Browser) -> Tab:
    return await extension_page(launched, EXTENSION_ID)


async def extension_page(browser: Browser, extension_id: str) -> Tab:
    """Its own page, with everything in it."""
    tab = await browser.new_tab(f"chrome-extension://{extension_id}/page.html")
    await until_true(lambda: tab.evaluate("Boolean(globalThis.chrome?.runtime?.id)"), "it is there")
    return tab


def write_link(host: Host, name: str, *, mode: int = 0o600) -> Path:
    """A server that runs, as far as its file says."""
    host.links.mkdir(mode=0o700, exist_ok=True)
    new = host.links / f"{name}.new"
    new.touch(mode=mode)
    new.chmod(mode)
    server = {
        "v": 1,
        "serverId": name,
        "clientName": "A client",
        "port": 40123,
        "token": "t" * 43,
        "pid": os.getpid(),
        "startedAt": 1760000000.0,
        "extensionId": EXTENSION_ID,
    }
    new.write_text(json.dumps(server))
    return new.replace(host.links / f"{name}.json")


async def names(page: Tab, lists: int) -> list[str]:
    """The servers in the list of this number, once it has come."""
    await until_true(lambda: page.evaluate(f"heard.length >= {lists}"), f"list {lists} is there")
    found = await page.evaluate(f"heard[{lists - 1}].message.servers.map((s) => s.serverId)")
    assert isinstance(found, list)
    return found


async def number(page: Tab, expression: str) -> float:
    """Milliseconds; a whole number of them comes as one."""
    found = await page.evaluate(expression)
    assert isinstance(found, int | float)
    return float(found)


def hosts_of(host: Host) -> list[int]:
    """Processes that serve these links."""
    wanted = str(host.links)
    listed = psutil.process_iter(["cmdline"])
    return [p.pid for p in listed if wanted in (p.info["cmdline"] or [])]


async def test_first_list(page: Tab, host: Host) -> None:
    """The first list is there within 0.3 s of the asking, in the best of five times."""
    write_link(host, "one")
    taken = []
    for _ in range(5):
        await page.evaluate(_CONNECT)
        assert await names(page, 1) == ["one"]
        taken.append(await number(page, "heard[0].after"))
        await page.evaluate("port.disconnect()")
    assert min(taken) < 300


async def test_changes(page: Tab, host: Host) -> None:
    """A server that starts is told of within a second, in the best of three; so is its end."""
    await page.evaluate(_CONNECT)
    assert await names(page, 1) == []
    taken = []
    for at in (2, 4, 6):
        began = await number(page, "performance.now() - began")
        file = write_link(host, "one")
        assert await names(page, at) == ["one"]
        taken.append(await number(page, f"heard[{at - 1}].after") - began)
        file.unlink()
        assert await names(page, at + 1) == []
    assert min(taken) < 1000


async def test_open_file(page: Tab, host: Host) -> None:
    """A file others could read is not told of."""
    write_link(host, "open", mode=0o644)
    write_link(host, "ours")
    await page.evaluate(_CONNECT)
    assert await names(page, 1) == ["ours"]


async def test_other_extension(tmp_path: Path, host: Host) -> None:
    """An extension that is not ours is refused by the browser already."""
    write_link(host, "one")
    other = write_extension(tmp_path / "other", ours=False)
    async with open_browser(
        headless=True, isolated=True, data_dir=host.data_dir, extensions=(other,)
    ) as browser:
        tab = await extension_page(browser, await _other_id(browser))
        await tab.evaluate(_CONNECT)
        await until_true(lambda: tab.evaluate("lost !== null"), "it was refused")
        assert "forbidden" in str(await tab.evaluate("lost"))
        assert await tab.evaluate("heard.length") == 0
    assert hosts_of(host) == []


async def _other_id(browser: Browser) -> str:
    """The name Chrome has made up for it."""
    found: list[str] = []

    async def look() -> bool:
        targets = await browser.connection.root.execute(cdp.target.get_targets())
        workers = [t.url for t in targets.target_infos if t.url.endswith("/worker.js")]
        found[:] = [url.split("/")[2] for url in workers]
        return bool(found)

    await until_true(look, "its worker runs")
    return found[0]


async def test_end_of_the_browser(tmp_path: Path, host: Host) -> None:
    """With the browser goes the host."""
    async with open_browser(
        headless=True,
        isolated=True,
        data_dir=host.data_dir,
        extensions=(write_extension(tmp_path / "ours"),),
    ) as browser:
        page = await extension_page(browser, EXTENSION_ID)
        await page.evaluate(_CONNECT)
        await names(page, 1)
        assert len(hosts_of(host)) == 1
    await until(lambda: hosts_of(host) == [], "the host is gone")


@pytest.fixture
async def relay(host: Host) -> AsyncIterator[Relay]:
    """A server that waits for the extension, with the page for pairing."""
    pages = pairing.open_pages("A client")
    async with open_relay(host.links, "A client", Sites(visited=["*"]), pages=pages) as opened:
        yield opened


async def test_our_extension(relay: Relay, host: Host) -> None:
    """Our own extension finds a server by itself and is let in."""
    async with open_browser(
        headless=True, isolated=True, data_dir=host.data_dir, extensions=(folder(),)
    ):
        with deadline(Timeouts(), "launch", "waiting for the extension"):
            await relay.wait_link()


def token_of(relay: Relay) -> tuple[str, str]:
    """Server and token, as whoever may read our files finds them."""
    told = json.loads(relay.file.read_text())
    return told["serverId"], told["token"]


async def pair(page: Tab, relay: Relay, code: str) -> object:
    given = json.dumps({"port": relay.port, "typed": code})
    return await page.evaluate(_PAIR.replace("GIVEN", given))


async def test_pairing_by_code(page: Tab, relay: Relay) -> None:
    """A page of the extension gets the token for the code, without a permission for any host."""
    server_id, token = token_of(relay)
    assert await pair(page, relay, "0000-0000") == "wrongCode"
    code = pairing.code_at(token, server_id, pairing.minute_of(time.time()))
    assert await pair(page, relay, code.lower()) == token


async def test_page_of_a_server(launched: Browser, page: Tab, relay: Relay) -> None:
    """The button on the page reaches the extension, which sees whose page it was."""
    server_id, _ = token_of(relay)
    origin = f"http://127.0.0.1:{relay.port}"
    tab = await launched.new_tab(f"{origin}/pair")
    await tab.evaluate("document.getElementById('pair').click()")
    said = "document.getElementById('told').textContent"
    await until_true(lambda: tab.evaluate(said), "the page says what came of it")
    assert "has opened its own page" in str(await tab.evaluate(said))
    heard = await page.evaluate("chrome.storage.session.get('heard').then((kept) => kept.heard)")
    introduced = {"port": relay.port, "serverId": server_id, "clientName": "A client"}
    assert heard == {"message": {"pair": introduced}, "origin": origin}


async def test_page_without_the_extension(tmp_path: Path, relay: Relay) -> None:
    """In a browser without the extension the page says so, and how to get it."""
    async with open_browser(headless=True, isolated=True, data_dir=tmp_path / "plain") as browser:
        tab = await browser.new_tab(f"http://127.0.0.1:{relay.port}/pair")
        await tab.evaluate("document.getElementById('pair').click()")
        said = str(await tab.evaluate("document.getElementById('told').textContent"))
    assert "chrome-bridge extension path" in said
