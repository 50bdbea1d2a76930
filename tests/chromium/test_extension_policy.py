"""What a page, and a server that keeps to nothing, gets past the extension.

The extension decides by itself, and so does the server: each is tried with the other one switched
off. What neither of them holds is named here, and `status` says it.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import pytest

from bridge import cdp
from bridge.app.door import open_door
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.relay.options import LinkOptions
from fixtures.site import Site, open_site
from launcher.options import LaunchOptions
from tests.support.browsers import PATIENCE, until_true
from tests.support.corpus_site import MARKER
from tests.support.linked import Everyday, in_extension, look, open_outside, tidy, value_in
from tests.support.plugged import short_folder
from tests.support.policy_arm import Arm, arm, open_arm
from tests.support.policy_corpus import (
    ADDRESSES,
    CHANNELS,
    CLICKS,
    EARLY,
    PAGES,
    SANDBOXED,
    Trick,
)
from tests.support.policy_corpus_wide import UNHELD, WIDE
from tests.support.policy_yard import Yard, open_yard
from tests.support.served import Served

__all__ = ["arm"]
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
    tricks = [*(each for each in EARLY if each.name == _UNHELD_SOCKETS), *SANDBOXED]
    hosts, _, _ = await leaks("linked", tricks)
    assert hosts == {trick.host for trick in tricks}


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


_LOADED = """chrome.tabs.query({ url: "URL" }).then(([{ id, status, discarded }]) =>
  status === "complete" && !discarded && id)"""
_SETTLED = """chrome.declarativeNetRequest.getSessionRules().then((all) => all.some(
  ({ condition }) => condition.excludedTabIds?.includes(TAB)))"""
_DISCARDED = "chrome.tabs.discard(TAB).then(({ id }) => chrome.tabs.update(id, { active: true }))"
_POST = """document.body.innerHTML = "<form method=post action='URL'><input name=a value=b></form>";
document.forms[0].submit()"""


async def test_form_of_a_person(arm: Arm, everyday: Everyday, site: Site) -> None:
    """A tab of the person's sends its form as it is, also once Chrome has discarded it."""
    mine, theirs = site.url("/"), site.url("/form")
    await arm.open_tab(mine)
    async with open_outside(everyday) as outside:
        await outside.root.execute(cdp.target.create_target(theirs, background=True))
        loaded = partial(in_extension, outside, _LOADED.replace("URL", theirs))
        await until_true(loaded, "the form is there")
        number = str(await loaded())
        settled = partial(in_extension, outside, _SETTLED.replace("TAB", number))
        await until_true(settled, "it is not new any more")
        await in_extension(outside, _DISCARDED.replace("TAB", number) + ".then(() => 1)")
        await until_true(loaded, "it is there again")
        assert str(await loaded()) != number
        infos = (await outside.root.execute(cdp.target.get_targets())).target_infos
        (target,) = [info.target_id for info in infos if info.url == theirs]
        site.forget_requests()
        await value_in(outside, target, _POST.replace("URL", site.other("/echo")))
        assert (await site.wait_request("/echo")).method == "POST"


# A document that has come may have no element yet.
_FRAMED = """new Promise((done) => {
  const add = () => {
    const frame = document.createElement("iframe");
    frame.src = "URL";
    document.documentElement.append(frame);
    done("added");
  };
  document.documentElement ? add() : addEventListener("DOMContentLoaded", add);
})"""


async def test_workers_of_a_frame(everyday: Everyday, site: Site) -> None:
    """Those of a frame of another site that is allowed are not held, as status says."""
    hosts = [each.removeprefix("http://") for each in (site.origin, site.other_origin)]
    async with open_site() as third, open_arm(everyday, *hosts) as arm:
        _, session = await arm.open_tab()
        await arm.ask("Page.navigate", session, url=site.url("/"))
        framed = {"expression": _FRAMED.replace("URL", site.other("/")), "awaitPromise": True}
        answer = await arm.ask("Runtime.evaluate", session, **framed)
        assert answer["result"]["result"].get("value") == "added"
        child = await arm.wait_child(session)
        asked = {"expression": _ASKED.replace("ADDRESS", third.url("/")), "awaitPromise": True}
        answer = await arm.ask("Runtime.evaluate", child, **asked)
        assert answer["result"]["result"].get("value") == "came"
    await tidy(everyday)


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
