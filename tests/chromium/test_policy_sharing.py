"""The gate in a browser that others use: it holds our pages, and nobody else's."""

import sys

import pytest
import trio

from bridge import cdp
from bridge.app.door import open_door
from bridge.browser.browser import Browser
from bridge.mcp.options import ServeOptions
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from bridge.timeouts import Timeouts, deadline
from launcher.options import LaunchOptions
from tests.support.browsers import open_browser_at, until, until_true
from tests.support.conditions import halt
from tests.support.corpus_site import ALLOWED, MARKER, Page, open_corpus_site
from tests.support.patrol import open_patrol
from tests.support.plugged import short_folder
from tests.support.policy_corpus import CHANNELS, CLICKS, EARLY
from tests.support.policy_yard import NAMES, Yard, open_yard
from tests.support.served import Served

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

pytestmark = [pytest.mark.chromium, pytest.mark.timeout(120)]

_CTRL, _SHIFT = 2, 8
_WIDE = "style='display:block;width:400px;height:400px'"
# What a person may do in tabs of their own; each goes to a host of its own that we may not visit.
THEIRS = {
    "opens": (f"<button {_WIDE} onclick=\"window.open('URL')\">x</button>", 0),
    "links": (f"<a {_WIDE} href='URL'>x</a>", 0),
    "blank": (f"<a {_WIDE} target=_blank href='URL'>x</a>", 0),
    "modified": (f"<a {_WIDE} href='URL'>x</a>", _CTRL),
    "windows": (f"<a {_WIDE} href='URL'>x</a>", _SHIFT),
    "frames": (f"<button {_WIDE} onclick=\"document.write('<iframe src=URL></iframe>')\">x", 0),
}
OURS = tuple(
    trick
    for trick in (*CLICKS, *CHANNELS, *EARLY)
    if trick.name in ("window open", "ctrl click", "noopener")
)


async def visit(theirs: Browser, yard: Yard, host: str) -> None:
    """Another client opens a tab and goes to a host that our policy denies."""
    tab = await theirs.new_tab(f"http://{host}.evil.test:{yard.site.port}/")
    assert MARKER in str(await tab.evaluate("document.documentElement.outerHTML"))
    await tab.close()


async def reach(yard: Yard, host: str) -> None:
    """Return once this host was asked for something."""
    await until(lambda: host in yard.leaking_hosts(), f"{host} is reached")


async def wander(theirs: Browser, yard: Yard) -> set[str]:
    """Everything another client can do, in turn; the hosts that ought to have been reached."""
    port = yard.site.port
    hosts = set()
    for name, (html, modifiers) in THEIRS.items():
        url = f"http://their-{name}.evil.test:{port}/"
        yard.site.serve({f"/their-{name}": Page(html.replace("URL", url))})
        tab = await theirs.new_tab(f"{yard.site.origin}/their-{name}")
        await yard.click(tab, modifiers)
        await reach(yard, f"their-{name}.evil.test")
        await visit(theirs, yard, f"their-new-{name}")
        await tab.close()
        hosts |= {f"their-{name}.evil.test", f"their-new-{name}.evil.test"}
    return hosts


@pytest.mark.slow
async def test_others_are_let_through() -> None:
    """While our pages try to open what they may not, another client reaches all it wants to."""
    with short_folder() as folder:
        async with (
            open_yard("attached", folder) as yard,
            open_browser_at(yard.endpoint, exclusive=False) as theirs,
            trio.open_nursery() as nursery,
        ):
            gate = yard.gate
            assert gate is not None

            async def try_on() -> None:
                while True:
                    for trick in OURS:
                        await yard.play(trick)
                        await yard.sweep()

            async with gate.acting():
                nursery.start_soon(try_on)
                reached = await wander(theirs, yard)
                before = gate.refusals.total
                await until(lambda: gate.refusals.total > before, "ours were refused")
            nursery.cancel_scope.cancel()
        assert yard.leaking_hosts() == reached


@pytest.mark.slow
async def test_a_stopped_process() -> None:
    """A process of ours that stands still outside of an act holds up nobody's navigation."""
    with short_folder() as folder:
        async with (
            open_yard("attached", folder) as yard,
            open_browser_at(yard.endpoint, exclusive=False) as theirs,
        ):
            yard.site.serve({"/plain": Page("<p>here")})
            with open_patrol(yard.endpoint, f"{yard.site.origin}/plain") as patrol:
                assert patrol.stdout is not None
                assert await trio.to_thread.run_sync(patrol.stdout.readline) == "acting\n"
                assert await trio.to_thread.run_sync(patrol.stdout.readline) == "over\n"
                await halt(patrol.pid)
                with deadline(Timeouts(), "new_tab", "two tabs beside a stopped process"):
                    await visit(theirs, yard, "one")
                    tab = await theirs.new_tab(f"{yard.site.origin}/plain")
                    opened = await tab.session.execute(
                        cdp.runtime.evaluate("!!window.open('/plain')", user_gesture=True)
                    )
                    assert opened.result.value is True


async def test_through_the_door() -> None:
    """What a click of a client opens is refused before it asks, or is a tab of the client's."""
    with short_folder() as folder:
        async with open_corpus_site() as site:
            denied = f"http://x.evil.test:{site.port}/"
            site.serve(
                {
                    "/out": Page(f"<a {_WIDE} target=_blank href='{denied}'>x</a>"),
                    "/in": Page(f"<a {_WIDE} href='/there'>x</a>"),
                    "/there": Page("<title>There</title>"),
                }
            )
            launch = LaunchOptions(headless=True, data_dir=folder, chrome_args=(NAMES,))
            allowed = PolicyOptions(allow_domain=(f"{ALLOWED}:{site.port}",), enable_mutations=True)
            policy = Policy.from_options(allowed)
            async with open_door(launch, ServeOptions(), policy, Timeouts()) as door:
                served = Served(door)
                await served.does("navigate", url=f"{site.origin}/out")
                await served.does("click", selector="a")
                await served.does("navigate", url=f"{site.origin}/in")
                await served.does("click", selector="a", modifiers=["Control"])

                async def all_ours() -> bool:
                    return "tabs: 3 of yours" in await served.does("status")

                await until_true(all_ours, "both that were opened are the client's")
            assert site.leaks() == []


async def test_pictures_of_a_tab_taken_over() -> None:
    """A tab of somebody else that shows a denied frame is pictured once it is loaded without it."""
    with short_folder() as folder:
        async with (
            open_yard("attached", folder) as yard,
            open_browser_at(yard.endpoint, exclusive=False) as theirs,
        ):
            denied = f"http://framed.evil.test:{yard.site.port}/"
            yard.site.serve({"/around": Page(f"<p>here</p><iframe src='{denied}'></iframe>")})
            tab = await theirs.new_tab(f"{yard.site.origin}/around")
            await reach(yard, "framed.evil.test")
            options = PolicyOptions(allow_domain=(f"{ALLOWED}:{yard.site.port}",))
            launch = LaunchOptions(cdp_endpoint=yard.endpoint, data_dir=folder)
            policy = Policy.from_options(options)
            async with open_door(launch, ServeOptions(), policy, Timeouts()) as door:
                served = Served(door)
                await served.does("tab_select", tabId=tab.id)
                assert "a frame of http://framed.evil.test" in await served.refused("screenshot")
                await served.does("reload")
                assert "png" in await served.does("screenshot")


async def test_nothing_is_fetched_for_pages_that_are_gone() -> None:
    """A browser that is launched under a policy has nothing that asks once no page is left."""
    with short_folder() as folder:
        async with open_corpus_site() as site:
            launch = LaunchOptions(headless=True, data_dir=folder, chrome_args=(NAMES,))
            options = PolicyOptions(
                allow_domain=(f"{ALLOWED}:{site.port}",), unsafe_enable_eval=True
            )
            policy = Policy.from_options(options)
            site.serve({"/here": Page("<p>here</p>")})
            async with open_door(launch, ServeOptions(), policy, Timeouts()) as door:
                served = Served(door)
                await served.does("navigate", url=f"{site.origin}/here")
                later = "['fetchLater', 'BackgroundFetchManager'].filter(each => each in window)"
                told = await served.does("eval", expression=f"{later}.length + ' of them'")
                assert "0 of them" in told


_BYE = (
    "<script>onpagehide = () => { for (const url of ['DENIED', '/bye']) {"
    " navigator.sendBeacon(url, 'x'); fetch(url, {keepalive: true, mode: 'no-cors'}) } }</script>"
)


@pytest.mark.parametrize("by", ["tab_close", "the end"])
async def test_what_a_page_asks_for_while_its_tab_closes(by: str) -> None:
    """A page that goes reaches what is allowed once more, and nothing else."""
    with short_folder() as folder:
        async with open_yard("attached", folder) as yard:
            denied = f"http://bye.evil.test:{yard.site.port}/"
            yard.site.serve({"/here": Page(_BYE.replace("DENIED", denied)), "/bye": Page("x")})
            options = PolicyOptions(
                allow_domain=(f"{ALLOWED}:{yard.site.port}",), enable_mutations=True
            )
            launch = LaunchOptions(cdp_endpoint=yard.endpoint, data_dir=folder)
            policy = Policy.from_options(options)
            async with open_door(launch, ServeOptions(), policy, Timeouts()) as door:
                served = Served(door)
                await served.does("navigate", url=f"{yard.site.origin}/here")
                if by == "tab_close":
                    await served.does("tab_close")
            await yard.site.wait_path("/bye")
            async with open_browser_at(yard.endpoint, exclusive=False) as theirs:
                await visit(theirs, yard, "later")
            assert yard.leaking_hosts() <= {"later.evil.test"}
