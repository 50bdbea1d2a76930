"""What a real site remembers, and how a real page is shown."""

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.gate.fetch import socket_rules
from bridge.policy.options import PolicyOptions
from fixtures.site import Site
from tests.support.door import OpenDoor
from tests.support.logged import OpenLogged, open_page

pytestmark = [pytest.mark.chromium, pytest.mark.contract]


@pytest.fixture
async def door(logged: OpenLogged, tmp_path: Path) -> AsyncIterator[OpenDoor]:
    """Everything allowed, and a folder for files."""
    async with logged(data_dir=tmp_path) as opened:
        yield opened
        await opened.text("cookies", action="clear", domain="127.0.0.1")


async def test_cookies(door: OpenDoor, site: Site) -> None:
    """Cookies are set with all their attributes, found, used by the site, and deleted."""
    await open_page(door, site.url("/storage"))
    await door.text(
        "cookies",
        action="set",
        name="sid",
        value="CANARY",
        httpOnly=True,
        sameSite="Lax",
        path="/headers",
        expires=4e9,
    )
    told = await door.text("cookies", url=site.url("/headers"))
    assert "sid=(hidden) 127.0.0.1/headers httpOnly sameSite=Lax expires " in told
    assert "sid" not in await door.text("cookies")
    await door.text("navigate", url=site.url("/headers"))
    sent = [dict(seen.headers).get("cookie", "") for seen in site.requests]
    assert "sid=CANARY" in sent
    assert await door.text("cookies", action="delete", name="sid") == "Deleted 1 cookie."
    assert "No cookies" in await door.text("cookies")


@pytest.mark.differs("Cookies with `SameSite=Strict` are not sent to a page that a tab is led to.")
async def test_strict_cookies(door: OpenDoor, site: Site) -> None:
    """Going to an address is the person's own step: the strictest cookies go along."""
    await open_page(door, site.url("/storage"))
    await door.text("cookies", action="set", name="sid", value="CANARY", sameSite="Strict")
    await door.text("navigate", url=site.url("/headers"))
    assert "sid=CANARY" in [dict(seen.headers).get("cookie", "") for seen in site.requests]


async def test_cookies_of_a_path(door: OpenDoor, site: Site) -> None:
    """Of cookies with one name only that of the path is deleted, wherever the tab is."""
    await open_page(door, site.url("/headers"))
    for path in ("/", "/headers", "/elsewhere"):
        await door.text("cookies", action="set", name="sid", value="v", path=path)
    assert "\n1 cookie." in await door.text("cookies", path="/elsewhere")
    for path in ("/headers", "/elsewhere"):
        told = await door.text("cookies", action="delete", name="sid", path=path)
        assert told == "Deleted 1 cookie."
    left = await door.text("cookies")
    assert "sid=(hidden) 127.0.0.1/ session" in left


@pytest.mark.differs("Of a domain, only cookies sent to its front page or to pages shown are seen.")
async def test_cookies_of_a_domain(door: OpenDoor, site: Site) -> None:
    """Cookies of a domain are seen whatever their path."""
    await open_page(door, site.url("/storage"))
    await door.text("cookies", action="set", name="sid", value="v", path="/headers")
    assert "sid" in await door.text("cookies", domain="127.0.0.1")


async def test_cookie_that_is_not_taken(door: OpenDoor, site: Site) -> None:
    """A cookie Chrome does not keep is said not to be set."""
    await open_page(door, site.url("/storage"))
    told = await door.refusal("cookies", action="set", name="a b;", value="x")
    assert told.startswith("BAD_ARGS: Chrome does not take the cookie")


@pytest.mark.parametrize(
    ("place", "domain"),
    [
        ({"domain": "münchen.test"}, "München.test"),
        ({"url": "https://münchen.test/"}, "xn--mnchen-3ya.test"),
        ({"url": "http://[::1]:8000/"}, "[::1]"),
        ({"domain": "here.test"}, "here.test:8443"),
    ],
)
async def test_cookies_of_unusual_hosts(
    door: OpenDoor, site: Site, place: dict[str, str], domain: str
) -> None:
    """A host is the same however it is written: in its own letters, in brackets, with a port."""
    await open_page(door, site.url("/storage"))
    told = await door.text("cookies", action="set", name="odd", value="v", **place)
    assert told == 'Set the cookie "odd".'
    assert "odd=(hidden)" in await door.text("cookies", domain=domain)
    assert await door.text("cookies", action="clear", domain=domain) == "Deleted 1 cookie."


@pytest.mark.parametrize("area", ["local", "session"])
async def test_storage(door: OpenDoor, site: Site, area: str) -> None:
    """What the page keeps is seen, changed, removed and cleared, as the page then finds it."""
    tab = await open_page(door, site.url("/storage"))
    await tab.evaluate(f"{area}Storage.clear(); {area}Storage.setItem('mine', 'gr\\u00fc\\u00df')")
    assert "mine (4 characters)" in await door.text("storage", area=area)
    assert "grüß" in await door.text("storage", area=area, key="mine")
    await tab.evaluate(f"{area}Storage.setItem('none', '')")
    assert await door.text("storage", area=area, key="none") == '"none" is there, and empty.'
    await tab.evaluate(f"{area}Storage.removeItem('none')")
    await door.text("storage", area=area, action="set", key="k", value='quote " \\ line\n')
    assert await tab.evaluate(f"{area}Storage.getItem('k')") == 'quote " \\ line\n'
    for told in (f'Removed "mine" from {area} storage.', f'There was no "mine" in {area} storage.'):
        assert await door.text("storage", area=area, action="remove", key="mine") == told
    assert await tab.evaluate(f"Object.keys({area}Storage)") == ["k"]
    cleared = await door.text("storage", area=area, action="clear")
    assert cleared == f"Cleared {area} storage: 1 item."
    assert await door.text("storage", area=area) == "0 items."


async def test_viewport_and_device(door: OpenDoor, site: Site) -> None:
    """A page gets the size, the pixels and the fingers it is given, and loses them again."""
    tab = await open_page(door, site.url("/form"))
    await door.text("resize", width=500, height=400)
    assert await tab.evaluate("[innerWidth, innerHeight]") == [500, 400]
    await door.text("emulate", device="phone")
    assert await tab.evaluate("[screen.width, devicePixelRatio, navigator.maxTouchPoints]") == [
        412,
        2.625,
        5,
    ]
    await door.text("resize", width=400, height=700)
    assert await tab.evaluate("[screen.width, devicePixelRatio]") == [400, 2.625]
    await door.text("emulate", device="none")
    assert await tab.evaluate("[devicePixelRatio, navigator.maxTouchPoints]") == [1, 0]


_CALLED = "[navigator.userAgent, navigator.userAgentData.mobile, navigator.platform]"
_HINTS = ("user-agent", "sec-ch-ua-mobile", "sec-ch-ua-platform")


async def _called(door: OpenDoor, site: Site, device: str) -> tuple[list[str], list[object]]:
    """What the server and the page are told of the device."""
    await door.text("emulate", device=device)
    before = len(site.requests)
    tab = await open_page(door, site.url("/headers"))
    (seen,) = [dict(each.headers) for each in site.requests[before:] if each.path == "/headers"]
    return [str(seen[name]) for name in _HINTS], list(await tab.evaluate(_CALLED))  # type: ignore[call-overload]


async def test_device_is_called_one(door: OpenDoor, site: Site) -> None:
    """Site and server take a phone for a phone and a tablet for a tablet, and no longer after."""
    await open_page(door, site.url("/headers"))
    own = await _called(door, site, "none")
    headers, page = await _called(door, site, "phone")
    assert headers[1:] == ["?1", '"Android"']
    assert [headers[0], True, "Linux armv81"] == page
    assert "Android" in headers[0]
    assert " Mobile Safari/" in headers[0]
    assert "Headless" not in headers[0]
    (name, mobile, _), _ = await _called(door, site, "tablet")
    assert (mobile, "Android" in name, "Mobile" in name) == ("?0", True, False)
    assert await _called(door, site, "laptop") == own
    assert own[0][1] == "?0"


async def test_network(door: OpenDoor, site: Site) -> None:
    """A page that is offline knows it and reaches nothing, until it is not any more."""
    tab = await open_page(door, site.url("/form"))
    fetch = "fetch('/status?code=200').then(() => 'ok', () => 'failed')"
    await door.text("emulate", offline=True)
    assert [await tab.evaluate("navigator.onLine"), await tab.evaluate(fetch)] == [False, "failed"]
    await door.text("emulate", network="none")
    assert [await tab.evaluate("navigator.onLine"), await tab.evaluate(fetch)] == [True, "ok"]


_TOOK = """(async () => {
  const start = performance.now();
  await (await fetch('/download?size=40000', { cache: 'no-store' })).arrayBuffer();
  return performance.now() - start;
})()"""


async def test_network_in_figures(door: OpenDoor, site: Site) -> None:
    """A latency and a speed of the caller's own are felt, alone or in place of a network's."""
    tab = await open_page(door, site.url("/form"))
    await tab.evaluate("fetch('/download?size=1')")

    async def took() -> float:
        return float(str(await tab.evaluate(_TOOK)))

    told = await door.text("emulate", network="slow3g", latencyMs=0, downloadKbps=400)
    assert told == "Emulated: network slow3g, latency 0 ms, 400 kbit/s down."
    assert 600 < await took() < 1900  # 800 by its bytes; 2,000 of latency are off
    assert await door.text("emulate", latencyMs=700) == "Emulated: network latency 700 ms."
    assert await took() > 650
    await door.text("emulate", network="none")
    assert await took() < 600


async def test_network_keeps_the_limits(logged: OpenLogged, site: Site) -> None:
    """Whatever network is emulated, sockets reach no host that is not allowed."""
    options = PolicyOptions(allow_domain=("127.0.0.1",), enable_mutations=True)
    async with logged(options=options) as door:
        tab = await open_page(door, site.url("/form"))
        rules = socket_rules(door.guard.policy)
        await tab.session.execute(rules)
        door.desk.socket_rules = lambda: list(rules.params.matched_network_conditions)  # type: ignore[union-attr]
        open_socket = """new Promise((done) => {{
          const socket = new WebSocket('{0}/socket'.replace('http', 'ws'));
          socket.onopen = () => done('open');
          socket.onerror = () => done('refused');
        }})"""
        for network in ("fast4g", "none"):
            await door.text("emulate", network=network)
            assert await tab.evaluate(open_socket.format(site.origin)) == "open"
            assert await tab.evaluate(open_socket.format(site.other_origin)) == "refused"


@pytest.mark.differs("Whether a page may know where it is, only you can allow.")
async def test_geolocation(door: OpenDoor, site: Site) -> None:
    """A page finds itself where it is told to be, without a question to anybody."""
    tab = await open_page(door, site.url("/form"))
    await door.text("emulate", geolocation=[59.9, 10.7, 5])
    found = await tab.evaluate(
        """new Promise((done) => navigator.geolocation.getCurrentPosition(
          ({ coords }) => done([coords.latitude, coords.longitude, coords.accuracy]),
          (error) => done(error.message)))"""
    )
    assert found == [59.9, 10.7, 5]
    assert "no other place" in await door.text("emulate", geolocation=[])
    asked = "navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)"
    assert await tab.evaluate(asked) == "prompt"


@pytest.mark.differs("Whether a page may know where it is, only you can allow.")
async def test_geolocation_ends_elsewhere(door: OpenDoor, site: Site) -> None:
    """A site that was told where it is has to ask again, though the tab shows another by then."""
    tab = await open_page(door, site.url("/form"))
    await door.text("emulate", geolocation=[59.9, 10.7, 5])
    await tab.navigate("about:blank")
    assert "no other place" in await door.text("emulate", geolocation=[])
    await tab.navigate(site.url("/form"))
    asked = "navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)"
    assert await tab.evaluate(asked) == "prompt"


@pytest.mark.differs("Whether a page may know where it is, only you can allow.")
async def test_geolocation_in_private(door: OpenDoor, site: Site) -> None:
    """A page of a private window finds itself there as well, and nobody else may ask for it."""
    asked = "navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)"
    usual = await open_page(door, site.url("/form"))
    await door.text("create_window", url=site.url("/form"), incognito=True)
    private = door.desk.current
    assert private is not None
    await door.text("emulate", geolocation=[59.9, 10.7, 5])
    assert await private.evaluate(asked) == "granted"
    assert await usual.evaluate(asked) == "prompt"
    await door.text("emulate", geolocation=[])
    assert await private.evaluate(asked) == "prompt"
    await door.text("tab_close")


async def test_pdf(door: OpenDoor, site: Site, tmp_path: Path) -> None:
    """A page is printed into our folder, whatever the name says, for its owner alone."""
    await open_page(door, site.url("/table"))
    told = await door.text("pdf", path="../../table")
    file = Path(told.splitlines()[-1])
    assert file.parent == tmp_path / "documents"
    assert _begins(file) == b"%PDF-"
    if sys.platform != "win32":
        assert _mode(file) == 0o600


def _begins(file: Path) -> bytes:
    return file.read_bytes()[:5]


def _mode(file: Path) -> int:
    return file.stat().st_mode & 0o777
