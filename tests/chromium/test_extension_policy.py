"""What a page, and a server that keeps to nothing, gets past the extension.

The extension decides by itself, and so does the server: each is tried with the other one switched
off. What neither of them holds is named here, and `status` says it.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import pytest

from bridge import cdp
from bridge.app.door import open_door
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.relay.options import LinkOptions
from bridge.transport.link import DOMAINS, REFUSED
from fixtures.site import Site
from launcher.options import LaunchOptions
from tests.support.browsers import PATIENCE, ROOT, until_true
from tests.support.corpus_site import MARKER
from tests.support.linked import Everyday, in_extension, look, open_outside, tidy
from tests.support.plugged import short_folder
from tests.support.policy_arm import Arm, UnansweredError, open_arm
from tests.support.policy_corpus import ADDRESSES, CHANNELS, CLICKS, EARLY, PAGES, Trick
from tests.support.policy_corpus_wide import UNHELD, WIDE
from tests.support.policy_yard import Yard, open_yard
from tests.support.served import Served

pytestmark = [pytest.mark.chromium, pytest.mark.extension, pytest.mark.timeout(300)]

# Of the sockets of a shared worker Chrome tells no extension, and the gate has no session there.
_UNHELD_SOCKETS = "worker of two"
HELD = tuple(
    trick for trick in (*PAGES, *CLICKS, *CHANNELS, *EARLY) if trick.name != _UNHELD_SOCKETS
)
HELD_WIDE = tuple(trick for trick in WIDE if trick.name not in UNHELD)
# Held by the gate, which knows the session of the page's service worker, and by no rule.
_BY_THE_GATE = ("service worker", "service socket")


async def leaks(kind: str, tricks: Sequence[Trick]) -> tuple[set[str], bool, str]:
    """Names that were asked for something over HTTP, whether a datagram came, what was read."""
    with short_folder() as folder:
        async with open_yard(kind, folder) as yard:
            read = await yard.go_all([url for _, url in ADDRESSES])
            read += await yard.play_all(tricks)
            await _works(yard)
            return yard.leaking_hosts(), any(e.how == "udp" for e in yard.site.leaks()), read


async def _works(yard: Yard) -> None:
    assert "here" in await yard.go("http://allowed.test:PORT/plain")


@pytest.mark.slow
async def test_corpus() -> None:
    """Nothing reaches a denied host but what status excepts, and nothing of one can be read."""
    hosts, datagrams, text = await leaks("linked", HELD)
    assert (hosts, datagrams) == (set(), False)
    assert MARKER not in text


@pytest.mark.slow
async def test_corpus_wide() -> None:
    """The same of what browsers have learnt beside requests."""
    hosts, datagrams, text = await leaks("linked", HELD_WIDE)
    assert (hosts, datagrams) == (set(), False)
    assert MARKER not in text


async def test_extension_alone() -> None:
    """With the server's check switched off no address, page or click gets past the extension."""
    hosts, _, text = await leaks("arm", PAGES)
    assert hosts == set()
    assert MARKER not in text


@pytest.mark.slow
async def test_extension_alone_against_everything() -> None:
    """Neither do the others, but for sockets of workers and datagrams."""
    tricks = [trick for trick in (*HELD, *HELD_WIDE) if trick.name not in _BY_THE_GATE]
    hosts, _, text = await leaks("arm", tricks)
    assert hosts == set()
    assert MARKER not in text


@pytest.mark.slow
async def test_server_alone() -> None:
    """With the extension's switched off no address or page gets past the server's gate."""
    pages = [trick for trick in PAGES if trick.name != "shared worker"]
    hosts, datagrams, text = await leaks("brain", pages)
    assert (hosts, datagrams) == (set(), False)
    assert MARKER not in text


@pytest.mark.slow
async def test_what_is_not_held() -> None:
    """What is said not to be held is not: the day Chrome changes that, so shall we."""
    [trick] = [each for each in EARLY if each.name == _UNHELD_SOCKETS]
    hosts, _, _ = await leaks("linked", [trick])
    assert hosts == {trick.host}


# A server that keeps to nothing.


@pytest.fixture
async def arm(everyday: Everyday, site: Site) -> AsyncIterator[Arm]:
    """The extension, where one of the two hosts of the site may be visited."""
    async with open_arm(everyday, site.origin.removeprefix("http://")) as arm:
        yield arm
    await tidy(everyday)


def methods() -> list[str]:
    """Every method Chrome has."""
    said = json.loads((ROOT / "bridge/cdp/protocol/protocol.json").read_text(encoding="utf-8"))
    return [
        f"{domain['domain']}.{command['name']}"
        for domain in said["domains"]
        for command in domain.get("commands", ())
    ]


_NAMED = (
    "location.href === 'URL' && document.readyState === 'complete' && !!(document.title = 'URL')"
)
_SHARE = """Promise.all([chrome.tabs.query({}), chrome.runtime.sendMessage({ask: "state"})]).then(
  ([tabs, { clients: [client] }]) => chrome.runtime.sendMessage({
    do: "share", tabId: tabs.find(({ url }) => url === "URL").id, serverId: client.serverId }))"""

# They end or hold up the page that is asked: the first by closing it, the others until somebody
# answers for a request or a debugger.
_ENDING = ("Page.close", "Page.reload", "Page.waitForDebugger")


@pytest.mark.parametrize("place", ["tab", "child"])
async def test_methods(arm: Arm, site: Site, place: str) -> None:
    """Of all methods of Chrome none comes through that is not on the list; each has one answer."""
    _, session = await arm.open_tab()
    await arm.ask("Page.navigate", session, url=site.url("/"))
    if place == "child":
        await arm.ask("Runtime.evaluate", session, expression="w = new Worker('data:,1')")
        session = await arm.wait_child(session)
    late = []
    for method in methods():
        if method in _ENDING:
            continue
        try:
            answer = await arm.ask_within(2.0, method, session)
        except UnansweredError:
            late.append(method)
            continue
        if method in REFUSED or method.partition(".")[0] not in DOMAINS:
            assert answer["error"]["code"] == -32601, method
            assert answer["error"]["data"] == {"reason": "impossible"}, method
    await arm.ask("Bridge.ping")
    assert late == []
    assert set(arm.answers.values()) == {1}


async def test_no_targets_in_a_session(arm: Arm) -> None:
    """In a session targets are neither found, made, attached to nor closed."""
    target, session = await arm.open_tab()
    for method in methods():
        if method.startswith("Target.") and method not in (
            *("Target.setAutoAttach", "Target.getTargetInfo", "Target.autoAttachRelated"),
        ):
            said = await arm.ask(method, session, targetId=target, url="about:blank", discover=True)
            assert "error" in said, method
    made = await arm.ask("Target.getTargets")
    assert [each["targetId"] for each in made["result"]["targetInfos"]] == [target]


async def test_tabs_of_others(arm: Arm, everyday: Everyday, site: Site) -> None:
    """A tab that is not shared is out of reach by its number, its target and its children."""
    target, session = await arm.open_tab()
    async with open_outside(everyday) as outside:
        root = outside.root
        theirs = (await root.execute(cdp.target.create_target(site.url("/")))).target_id
        query = "chrome.tabs.query({}).then((all) => all.map(({ id }) => id))"
        found = await in_extension(outside, query)
    assert isinstance(found, list)
    numbers = [f"t{number}" for number in (*range(1, 51), *found)]
    assert session in numbers
    for other in numbers:
        if other != session:
            for method in ("Runtime.evaluate", "Page.captureScreenshot", "Target.setAutoAttach"):
                assert await arm.refusal(method, other, expression="1") == "notShared"
            assert await arm.refusal("Target.detachFromTarget", sessionId=other) == "notShared"
    for method in ("attachToTarget", "closeTarget", "activateTarget", "getTargetInfo"):
        assert await arm.refusal(f"Target.{method}", targetId=theirs) == "notShared"
    assert await arm.refusal("Browser.getWindowForTarget", targetId=theirs) == "notShared"
    for method in ("getTargetInfo", "autoAttachRelated"):
        params = {"targetId": theirs, "waitForDebuggerOnStart": False}
        assert await arm.refusal(f"Target.{method}", session, **params) == "chrome"
    foreign = f"{session}.{theirs}"
    assert await arm.refusal("Runtime.evaluate", foreign, expression="1") == "chrome"
    for odd in ("", "t", "t-1", f"{session}.", f"{session}.x", f" {session}", "__proto__"):
        assert await arm.refusal("Target.detachFromTarget", sessionId=odd or "x") == "notShared"
    assert await arm.refusal("Target.detachFromTarget", targetId=target) == ""


async def test_where_else_a_tab_has_been(arm: Arm, everyday: Everyday, site: Site) -> None:
    """Of a person's tab that is shared its earlier pages are neither told nor gone back to."""
    async with open_outside(everyday) as outside:
        root = outside.root
        target = (await root.execute(cdp.target.create_target(site.other("/")))).target_id
        attached = await root.execute(cdp.target.attach_to_target(target, flatten=True))
        page = root.attach(attached.session_id)

        async def value(script: str) -> object:
            return (await page.execute(cdp.runtime.evaluate(script))).result.value

        await until_true(lambda: value(_NAMED.replace("URL", site.other("/"))), "the first page")
        await page.execute(cdp.page.navigate(site.url("/")))
        await until_true(lambda: value(_NAMED.replace("URL", site.url("/"))), "the second page")
        await root.execute(cdp.target.detach_from_target(session_id=attached.session_id))
        share = _SHARE.replace("URL", site.url("/"))
        assert await in_extension(outside, share) == {"ok": True}
    session = await arm.attach(target)
    history = (await arm.ask("Page.getNavigationHistory", session))["result"]
    *_, before, now = history["entries"]
    assert now["title"] == site.url("/")
    assert (before["url"], before["userTypedURL"], before["title"]) == ("", "", "")
    await arm.ask("Page.navigateToHistoryEntry", session, entryId=before["id"])
    read = await arm.ask("Runtime.evaluate", session, expression="document.title")
    assert site.other("/") not in json.dumps(read)


async def test_after_release(arm: Arm, site: Site) -> None:
    """A tab that was released is out of reach, with all that is in it."""
    _, other = await arm.open_tab()
    target, session = await arm.open_tab()
    await arm.ask("Page.navigate", session, url=site.url("/"))
    await arm.ask("Runtime.evaluate", session, expression="w = new Worker('data:,1')")
    child = await arm.wait_child(session)
    assert await arm.refusal("Runtime.evaluate", child, expression="1") == ""
    assert await arm.refusal("Bridge.releaseTab", targetId=target) == ""
    for gone in (session, child):
        assert await arm.refusal("Runtime.evaluate", gone, expression="1") == "notShared"
    crossed = f"{other}.{child.partition('.')[2]}"
    assert await arm.refusal("Runtime.evaluate", crossed, expression="1") == "chrome"
    assert await arm.refusal("Target.attachToTarget", targetId=target) == "notShared"


async def test_cookies(arm: Arm, site: Site) -> None:
    """Cookies are read, set and deleted of an allowed address alone, and never of all."""
    _, session = await arm.open_tab()
    good, bad = site.url("/"), f"{site.other_origin}/"
    host = site.other_origin.removeprefix("http://").partition(":")[0]
    cookie = {"name": "a", "value": "b"}
    for method, params in (
        ("Network.getCookies", {}),
        ("Network.getCookies", {"urls": []}),
        ("Network.getCookies", {"urls": [good, bad]}),
        ("Network.setCookie", {**cookie, "url": bad}),
        ("Network.setCookie", {**cookie, "domain": host}),
        ("Network.setCookie", {**cookie, "url": good, "domain": f".{host}"}),
        ("Network.setCookies", {"cookies": [{**cookie, "url": good}, {**cookie, "url": bad}]}),
        ("Network.setCookies", {"cookies": [{**cookie, "domain": host}]}),
        ("Network.deleteCookies", {"name": "a", "domain": host}),
        ("Network.deleteCookies", {"name": "a", "url": bad}),
        ("Network.deleteCookies", {"name": "a"}),
    ):
        assert await arm.refusal(method, session, **params) == "policy", (method, params)
    for method in ("Network.getAllCookies", "Storage.getCookies", "Storage.clearCookies"):
        assert await arm.refusal(method, session) == "impossible"
    assert await arm.refusal("Network.setCookie", session, **cookie, url=good) == ""
    said = await arm.ask("Network.getCookies", session, urls=[good])
    assert [each["name"] for each in said["result"]["cookies"]] == ["a"]


_NOWHERE = (
    *(
        "file:///etc/passwd",
        "chrome://version/",
        "chrome://settings/",
        "view-source:http://a.test/",
    ),
    *("devtools://devtools/bundled/inspector.html", "chrome-extension://" + "a" * 32 + "/x.html"),
    *("https://chromewebstore.google.com/", "https://chrome.google.com/webstore/", "javascript:1"),
    *(
        "data:text/html,x",
        "about:srcdoc",
        "filesystem:http://a.test/x",
        "ftp://a.test/",
        "nonsense",
    ),
)


async def test_places_nobody_is_led_to(everyday: Everyday) -> None:
    """Where every host is allowed, these places still are not: neither led to nor opened."""
    async with open_arm(everyday, "*") as arm:
        for url in _NOWHERE:
            target, session = await arm.open_tab()
            answer = await arm.ask("Page.navigate", session, url=url)
            assert "error" in answer or answer["result"].get("errorText"), url
            if "webstore" not in url:  # Chrome itself leads no tab of an extension's there
                assert "error" in await arm.ask("Target.createTarget", url=url), url
            info = await arm.ask("Target.getTargetInfo", targetId=target)
            assert info["result"]["targetInfo"]["url"] == "about:blank", url
    await tidy(everyday)


async def test_denied_places(arm: Arm, site: Site) -> None:
    """A host that is not allowed is neither led to, opened nor put in a request's place."""
    _, session = await arm.open_tab()
    bad = f"{site.other_origin}/"
    assert await arm.refusal("Page.navigate", session, url=bad) == "policy"
    assert await arm.refusal("Target.createTarget", url=bad) == "policy"
    changed = {"requestId": "1", "url": bad}
    assert await arm.refusal("Fetch.continueRequest", session, **changed) == "policy"
    assert await arm.refusal("DOM.setFileInputFiles", session, files=["/etc/passwd"]) == "policy"


async def test_port_alone(everyday: Everyday, site: Site) -> None:
    """A pattern of a port alone lets through that port and no other, in Chrome's rules as well."""
    async with open_arm(everyday, "*:" + site.origin.rpartition(":")[2]) as arm:
        _, session = await arm.open_tab()
        assert await arm.refusal("Page.navigate", session, url=site.url("/")) == ""
        fetch = "fetch('URL', {mode: 'no-cors'}).then(() => 'came', () => 'blocked')"
        said = []
        for url in (site.url("/"), f"{site.other_origin}/"):
            expression = fetch.replace("URL", url)
            answer = await arm.ask(
                "Runtime.evaluate", session, expression=expression, awaitPromise=True
            )
            said.append(answer["result"]["result"]["value"])
        assert said == ["came", "blocked"]
    await tidy(everyday)


_ASKED = """new Promise((tell) => {
  const code = "onconnect = ({ports: [port]}) => fetch('ADDRESS', {mode: 'no-cors'})"
    + ".then(() => port.postMessage('came'), () => port.postMessage('blocked'))";
  const address = URL.createObjectURL(new Blob([code]));
  const worker = new SharedWorker(address);
  worker.port.onmessage = ({data}) => tell(data);
})"""


async def test_workers_of_a_person(arm: Arm, everyday: Everyday, site: Site) -> None:
    """A worker is held while only a client's tabs show its site, and not when the person does."""
    _, session = await arm.open_tab()
    await arm.ask("Page.navigate", session, url=site.url("/"))
    asked = {"expression": _ASKED.replace("ADDRESS", site.other("/")), "awaitPromise": True}

    async def says() -> object:
        answer = await arm.ask("Runtime.evaluate", session, **asked)
        return answer["result"]["result"].get("value")

    await until_true(lambda: _is(says, "blocked"), "the worker is held")
    async with open_outside(everyday) as outside:
        await outside.root.execute(cdp.target.create_target(site.url("/")))
        await until_true(lambda: _is(says, "came"), "the person's site works")


async def _is(says: Callable[[], Awaitable[object]], wanted: str) -> bool:
    return await says() == wanted


async def test_through_the_door(everyday: Everyday, site: Site) -> None:
    """The server refuses by itself, a redirect gets nowhere, and status tells what is not held."""
    allowed = PolicyOptions(allow_domain=(site.origin.removeprefix("http://"),))
    launch, link = (
        LaunchOptions(data_dir=everyday.folder),
        LinkOptions(prefer="extension", fallback=False),
    )
    opening = open_door(launch, ServeOptions(), Policy.from_options(allowed), PATIENCE, link=link)
    async with opening as door:
        served = Served(door)
        async with open_outside(everyday) as outside:
            await look(outside)
        await served.does("navigate", url=site.url("/"))
        for url in (site.other("/"), "file:///etc/passwd", "chrome://version/"):
            assert (await served.refused("navigate", url=url)).startswith("POLICY_DENIED")
        aside = await served.refused("navigate", url=site.url(f"/redirect?to={site.other('/')}"))
        assert "ERR_BLOCKED_BY_CLIENT" in aside
        said = await served.does("status")
        assert "WebSockets of a shared worker" in said
        assert "where a tab of the person's shows the same site" in said
    await tidy(everyday)
