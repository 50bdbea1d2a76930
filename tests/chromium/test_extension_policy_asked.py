"""What a server that keeps to nothing gets past the extension: tabs, methods, cookies, places.

It knows the token, so it is one the person has let in; all it may do is what was allowed to it.
"""

import json
from pathlib import Path

import pytest

from bridge import cdp
from bridge.transport.link import DOMAINS, REFUSED
from fixtures.site import Site
from tests.support.browsers import ROOT, until_true
from tests.support.linked import Everyday, in_extension, open_outside, tidy
from tests.support.policy_arm import Arm, UnansweredError, arm, open_arm

__all__ = ["arm"]
pytestmark = [pytest.mark.chromium, pytest.mark.extension]


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
    for odd in ("", "t", "t-1", f"{session}.", f"{session}.x", foreign, f" {session}", "__proto__"):
        assert await arm.refusal("Target.detachFromTarget", sessionId=odd or "x") == "notShared"
    assert await arm.refusal("Target.detachFromTarget", targetId=target) == ""


async def test_where_else_a_tab_has_been(arm: Arm, everyday: Everyday, site: Site) -> None:
    """Of a person's tab that is shared its earlier pages are neither told nor gone back to.

    Where the page itself goes back it gets nothing, but Chrome's own error page has the address.
    """
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
    going = "Page.navigateToHistoryEntry"
    assert await arm.refusal(going, session, entryId=before["id"]) == "policy"
    assert await arm.refusal(going, session, entryId=now["id"]) == ""
    read = await arm.ask("Runtime.evaluate", session, expression="document.title")
    told = [each for each in [read, *arm.events] if site.other("/") in json.dumps(each)]
    assert told == []
    site.forget_requests()
    await arm.ask("Runtime.evaluate", session, expression="setTimeout(() => history.back())")

    async def blocked() -> bool:
        answer = await arm.ask("Runtime.evaluate", session, expression=_BLOCKED)
        return bool(answer["result"]["result"].get("value") == site.other("/"))

    await until_true(blocked, "Chrome's error page is there, and names the address")
    assert site.requests == ()


_BLOCKED = "self.loadTimeDataRaw?.reloadButton?.reloadUrl ?? ''"
_TAKE = """(() => { const link = document.createElement("a");
  [link.href, link.download] = [URL_OF, "x.bin"]; link.click() })()"""
_TAKEN = """chrome.downloads.search({}).then((all) => all.map(({ state, bytesReceived }) =>
  state === "in_progress" ? state : `${state} ${bytesReceived}`))"""


@pytest.mark.parametrize(
    "address",
    ['URL.createObjectURL(new Blob(["x"]))', '"data:text/plain,x"', '"/download?name=x.bin"'],
    ids=["blob", "data", "http"],
)
async def test_downloads(arm: Arm, everyday: Everyday, site: Site, address: str) -> None:
    """Where downloads are off none lands, whether or not the server wants to hear of them."""
    _, session = await arm.open_tab(site.url("/form"))
    assert await arm.refusal("Page.disable", session) == "impossible"
    await arm.ask(
        "Runtime.evaluate", session, expression=_TAKE.replace("URL_OF", address), userGesture=True
    )
    async with open_outside(everyday) as outside:

        async def over() -> bool:
            found = await in_extension(outside, _TAKEN)
            assert isinstance(found, list)
            assert not any(each.startswith("complete") for each in found), found
            return len(found) == 1 and "in_progress" not in found

        await until_true(over, "they are cancelled")
        await in_extension(outside, "chrome.downloads.erase({}).then(() => 1)")


async def test_many_hosts(everyday: Everyday, site: Site) -> None:
    """A policy of a thousand hosts is held as one of two is, in each of several tabs."""
    hosts = [f"host-{number}.example" for number in range(1000)]
    async with open_arm(everyday, *hosts, site.origin.removeprefix("http://")) as arm:
        for _ in range(3):
            _, session = await arm.open_tab(site.url("/form"))
            script = f"fetch({site.other('/')!r}).then(() => 'there', () => 'blocked')"
            said = await arm.ask("Runtime.evaluate", session, expression=script, awaitPromise=True)
            assert said["result"]["result"]["value"] == "blocked"
        async with open_outside(everyday) as outside:
            rules = "chrome.declarativeNetRequest.getSessionRules().then(({ length }) => length)"
            assert 0 < int(str(await in_extension(outside, rules))) < 20
    await tidy(everyday)


_PICTURES = (
    *("Page.captureScreenshot", "Page.captureSnapshot", "Page.printToPDF"),
    *("Page.getAnnotatedPageContent", "Page.startScreencast", "Page.startScreenRecording"),
)
_FRAME = """new Promise((there) => {
  const frame = document.createElement("iframe");
  frame.onload = () => there(1);
  frame.src = "URL";
  document.documentElement.append(frame);
})"""


async def test_frame_from_before(arm: Arm, everyday: Everyday, site: Site) -> None:
    """A frame of a denied site that a tab had before it was shared is neither read nor told of."""
    async with open_outside(everyday) as outside:
        root = outside.root
        target = (await root.execute(cdp.target.create_target(site.url("/")))).target_id
        attached = await root.execute(cdp.target.attach_to_target(target, flatten=True))
        page = root.attach(attached.session_id)

        async def value(script: str) -> object:
            evaluate = cdp.runtime.evaluate(script, await_promise=True)
            return (await page.execute(evaluate)).result.value

        await until_true(lambda: value(_NAMED.replace("URL", site.url("/"))), "the page")
        assert await value(_FRAME.replace("URL", site.other("/form"))) == 1
        await root.execute(cdp.target.detach_from_target(session_id=attached.session_id))
        share = _SHARE.replace("URL", site.url("/"))
        assert await in_extension(outside, share) == {"ok": True}
    session = await arm.attach(target)
    child = await arm.wait_child(session)
    for method in ("Runtime.evaluate", "DOM.getDocument", "Network.enable", "Page.getFrameTree"):
        assert await arm.refusal(method, child, expression="1") == "policy", method
    assert site.other_origin not in json.dumps(arm.events)
    assert await arm.refusal("Runtime.evaluate", session, expression="1") == ""
    for method in _PICTURES:
        assert await arm.refusal(method, session) == "policy", method


async def test_blocked_frame(arm: Arm, site: Site) -> None:
    """A frame that was blocked shows nothing, and a picture may be taken of what is around it."""
    _, session = await arm.open_tab(site.url("/form"))
    framed = {"expression": _FRAME.replace("URL", site.other("/form")), "awaitPromise": True}
    await arm.ask("Runtime.evaluate", session, **framed)
    for method in ("Page.captureScreenshot", "Page.captureSnapshot", "Page.printToPDF"):
        assert await arm.refusal(method, session) == "", method


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
    key = {"site": "https://bank.test", "id": "a"}
    for method in ("Network.enableDeviceBoundSessions", "Network.deleteDeviceBoundSession"):
        assert await arm.refusal(method, session, enable=True, key=key) == "impossible"
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


_TELL = """console.log(location.href);
  addEventListener("DOMContentLoaded", () => console.log(document.body.innerText))"""
_LEAD = """chrome.tabs.query({ url: "FROM" }).then(([{ id }]) =>
  chrome.tabs.update(id, { url: "TO" })).then(() => 1)"""


async def test_file_of_a_person(arm: Arm, everyday: Everyday, site: Site, tmp_path: Path) -> None:
    """Where the person looks at a file in a shared tab, a script that waits there tells nothing."""
    file = tmp_path / "letter.txt"
    file.write_text("dear diary")
    async with open_outside(everyday) as outside:
        for number in range(1, 6):
            _, session = await arm.open_tab(site.url(f"/form?{number}"))
            await arm.ask("Runtime.enable", session)
            await arm.ask("Page.addScriptToEvaluateOnNewDocument", session, source=_TELL)
            lead = _LEAD.replace("FROM", site.url(f"/form?{number}")).replace("TO", file.as_uri())
            await in_extension(outside, lead)

            async def gone(session: str = session) -> bool:
                return await arm.refusal("Runtime.evaluate", session, expression="1") != ""

            await until_true(gone, "the tab is let go of")
    assert await arm.refusal("Bridge.ping") == ""
    told = [each for each in arm.events if each["method"] == "Runtime.consoleAPICalled"]
    assert "diary" not in json.dumps(told)
    assert file.as_uri() not in json.dumps(told)


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
