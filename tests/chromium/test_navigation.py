"""Going to addresses with a real browser: what is waited for, and what ends the wait."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
import trio

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.errors import BridgeError, DeadlineExceeded, PageError
from fixtures.site import Site
from tests.support.browsers import PATIENCE, Connect, until
from tests.support.readings import document
from tests.support.trees import shape, wait_answers, wait_same_as_fresh

pytestmark = [  # once: what is behind a session does not know how its browser is shared
    pytest.mark.chromium,
    pytest.mark.contract,
    pytest.mark.shared,
]

_IMPATIENT = replace(PATIENCE, navigation=0.5)


def page(body: str) -> str:
    """An address that is a page."""
    return document(f"<title>first</title>{body}")


async def test_where_it_ends(browser: Browser, site: Site) -> None:
    """A navigation returns the final address, its title and status."""
    tab = await browser.new_tab()
    for path, ends_at, title, status in (
        ("/form", "/form", "Form", 200),
        ("/redirect?to=/form&n=5", "/form", "Form", 200),
        ("/status?code=404", "/status?code=404", "Status 404", 404),
        ("/status?code=500", "/status?code=500", "Status 500", 500),
        ("/slow?ms=100&chunk", "/slow?ms=100&chunk", "Slow page", 200),
        ("/truncated", "/truncated", "", 200),
        ("/csp", "/csp", "Strict policy", 200),
    ):
        arrival = await tab.navigate(site.url(path))
        assert (arrival.url, arrival.title, arrival.status) == (site.url(ends_at), title, status)
        assert tab.url == site.url(ends_at)
    assert (await tab.navigate(page("x"))).title == "first"
    assert (await tab.navigate("about:blank")).status == 0


@pytest.mark.differs("Files of the machine (`file:`) are not opened.")
async def test_file(browser: Browser, tmp_path: Path) -> None:
    """A file is a page."""
    file = tmp_path / "a.html"
    file.write_text("<title>From a file</title>")
    assert (await (await browser.new_tab()).navigate(file.as_uri())).title == "From a file"


async def test_milestones(browser: Browser, site: Site) -> None:
    """Waiting for less than everything returns while the rest is still on its way."""
    tab = await browser.new_tab()
    slow = site.url("/slow?ms=5000&chunk")
    assert (await tab.navigate(slow, until="commit")).url == slow
    assert await tab.evaluate("document.readyState") == "loading"
    waiting = site.url("/source?html=" + quote("<title>first</title><img src=/never>"))
    assert (await tab.navigate(waiting, until="domcontentloaded")).title == "first"
    assert await tab.evaluate("document.readyState") == "interactive"


async def test_same_document(browser: Browser, site: Site) -> None:
    """A fragment or a pushed state changes the address without loading anything."""
    tab = await browser.new_tab(site.url("/form"))
    await tab.evaluate("mark = 1")
    arrival = await tab.navigate(site.url("/form#there"))
    assert arrival.url == tab.url == site.url("/form#there")
    assert await tab.evaluate("mark") == 1
    await tab.evaluate("history.pushState({}, '', '/pushed')")
    await until(lambda: tab.url == site.url("/pushed"), "the address has changed")
    assert (await tab.navigation.here()).url == site.url("/pushed")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("{site}/download", "it is a download"),
        ("{site}/status?code=204", "no page at this address"),
        ("{site}/close", "ERR_EMPTY_RESPONSE"),
        ("{site}/redirect-loop", "ERR_TOO_MANY_REDIRECTS"),
        ("http://127.0.0.1:2/", "ERR_"),
        ("http://nowhere.invalid/", "ERR_NAME_NOT_RESOLVED"),
        ("http://", "not an address"),
        ("not a url", "not an address"),
        ("", "not an address"),
    ],
)
async def test_no_such_place(browser: Browser, site: Site, address: str, why: str) -> None:
    """What cannot be opened fails with its reason, and the tab goes on working."""
    tab = await browser.new_tab(site.url("/form"))
    with pytest.raises(PageError) as failed:
        await tab.navigate(address.format(site=site.origin))
    assert failed.value.code == "NAVIGATION_FAILED"
    assert why in str(failed.value.facts["reason"])
    assert await tab.evaluate("1 + 1") == 2
    assert (await tab.navigate(site.url("/"))).status == 200


@pytest.mark.differs("Addresses but those of `http:` and `https:` are refused by the extension.")
@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("javascript:void(0)", "it is a script"),
        ("gopher://example", "no page at this address"),
    ],
)
async def test_no_place_of_the_web(browser: Browser, address: str, why: str) -> None:
    """What no page is opened for is told as its reason."""
    tab = await browser.new_tab()
    with pytest.raises(PageError) as failed:
        await tab.navigate(address)
    assert why in str(failed.value.facts["reason"])


@pytest.mark.parametrize("path", ["/never", "/endless"])
async def test_never_ready(browser: Browser, connect: Connect, site: Site, path: str) -> None:
    """A page that never comes is a TIMEOUT of `navigation`; then nothing loads behind our back."""
    async with connect(timeouts=_IMPATIENT) as impatient:
        tab = await impatient.new_tab()
        with pytest.raises(DeadlineExceeded) as late:
            await tab.navigate(site.url(path))
        assert late.value.facts["timeout"] == "navigation"
        assert await tab.evaluate("document.readyState") == "complete"
    async with connect() as patient:
        again = await patient.new_tab(site.url("/form"))
        assert again.url == site.url("/form")


async def test_stuck_page_is_left(browser: Browser, connect: Connect) -> None:
    """A page that loops for ever costs one deadline; the next navigation works."""
    loop = page("<script>onload = () => setTimeout(() => { for (;;); }, 0)</script>")
    async with connect(timeouts=replace(_IMPATIENT, navigation=1.5)) as impatient:
        tab = await impatient.new_tab()
        with suppress(BridgeError):  # it may arrive just before the loop begins
            await tab.navigate(loop)
        with suppress(BridgeError):
            await tab.evaluate("1")
        assert (await tab.navigate(page("x"))).title == "first"


@pytest.mark.parametrize(
    "how",
    [
        "<script>location = '{}'</script>",
        "<script>location.replace('{}')</script>",
        "<meta http-equiv=refresh content='0;url={}'>",
        "<script>onload = () => {{ location = '{}' }}</script>",
    ],
)
async def test_sent_on_while_loading(browser: Browser, site: Site, how: str) -> None:
    """A page that sends us on while it loads is followed to where it ends."""
    tab = await browser.new_tab()
    arrival = await tab.navigate(page(how.format(site.url("/slow?ms=150"))))
    assert (arrival.url, arrival.title) == (site.url("/slow?ms=150"), "Slow page")


@pytest.mark.parametrize(
    "when",
    ["alert(1)", "onload = () => alert(1)", "onload = () => setTimeout(() => alert(1), 0)"],
)
async def test_dialog_while_loading(browser: Browser, when: str) -> None:
    """A page that opens a dialog while it loads ends the wait at once; answered, it goes on."""
    tab = await browser.new_tab()
    with suppress(PageError):  # the last one may come just after the end
        await tab.navigate(page(f"<script>{when}</script>"))
    await until(lambda: tab.dialogs.current is not None, "the dialog is open")
    with pytest.raises(PageError, match="alert"):
        await tab.evaluate("1")
    await tab.dialogs.answer(accept=True)
    assert await tab.evaluate("document.title") == "first"


async def test_asked_before_leaving(browser: Browser, site: Site) -> None:
    """A page that asks before it is left ends the wait; staying stays, leaving leaves."""
    tab = await browser.new_tab(site.url("/dialogs?guard"))
    await tab.evaluate("1")  # counts as a touch
    for accept in (False, True):
        with pytest.raises(PageError) as asked:
            await tab.navigate(site.url("/form"))
        assert (asked.value.code, asked.value.facts["type"]) == ("DIALOG_OPEN", "beforeunload")
        await tab.dialogs.answer(accept=accept)
        if not accept:
            assert await tab.evaluate("document.title") == "Dialogs"
    await until(lambda: tab.url == site.url("/form"), "it has left")


async def test_navigating_over_a_dialog(browser: Browser, site: Site) -> None:
    """An open alert does not keep us from going elsewhere."""
    tab = await browser.new_tab(site.url("/form"))
    with pytest.raises(PageError, match="alert"):
        await tab.evaluate("alert(1)")
    assert (await tab.navigate(site.url("/"))).url == site.url("/")
    assert tab.dialogs.current is None


async def test_two_at_once(browser: Browser, site: Site) -> None:
    """Of two navigations of one tab the later one wins and the other says that it was replaced."""
    tab = await browser.new_tab()
    came: list[str] = []

    async def first() -> None:
        with pytest.raises(PageError, match="another navigation"):
            await tab.navigate(site.url("/slow?ms=3000"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(first)
        await site.wait_request("/slow")
        came.append((await tab.navigate(site.url("/form"))).title)
    assert came == ["Form"]


@pytest.mark.parametrize("over", ["/form", "/frames"])
async def test_back_to_a_kept_page(
    browser: Browser, connect: Connect, site: Site, over: str
) -> None:
    """After going back to a page that Chrome kept alive, tree and worlds are those of that page."""
    tab = await browser.new_tab(site.url("/frames"))
    await until(lambda: len(tab.frames) == 7, "all frames are there")
    await wait_answers(tab)
    await tab.evaluate("mark = 1")
    before = shape(tab)
    await tab.navigate(site.other(over))
    history = await tab.session.execute(cdp.page.get_navigation_history())
    previous = history.entries[history.current_index - 1]
    await tab.session.execute(cdp.page.navigate_to_history_entry(previous.id))
    await until(lambda: tab.url == site.url("/frames"), "we are back")
    assert await tab.evaluate("mark") == 1
    await until(lambda: shape(tab) == before, "the frames are back")
    await wait_answers(tab)
    await wait_same_as_fresh(tab, connect)


async def test_reload(browser: Browser, site: Site) -> None:
    """Reloading loads the page anew."""
    tab = await browser.new_tab(site.url("/form"))
    await tab.evaluate("mark = 1")
    assert (await tab.reload()).title == "Form"
    assert await tab.evaluate("typeof mark") == "undefined"
    assert site.requests[-1].path == "/form" or len(site.requests) >= 2


async def test_reload_without_the_cache(browser: Browser, site: Site) -> None:
    """A reload can ask past every cache, as who works on a site wants it."""
    tab = await browser.new_tab(site.url("/form"))
    for afresh, asked in ((False, "max-age=0"), (True, "no-cache")):
        await tab.reload(afresh=afresh)
        [last] = [each for each in site.requests if each.path == "/form"][-1:]
        assert dict(last.headers)["cache-control"] == asked


async def test_through_the_history(browser: Browser, site: Site) -> None:
    """Back and forward arrive wherever they lead: a kept page, one loaded anew, a fragment."""
    tab = await browser.new_tab(site.url("/form"))
    await tab.navigate(site.url("/form#end"))
    await tab.navigate(site.other("/frames"))
    await tab.navigate("about:blank")
    seen = []
    for steps in (-1, -1, -1, 1, 1, 1):
        entry = await tab.navigation.entry(steps)
        arrival = await tab.navigation.travel(entry)
        seen.append(arrival.url)
        assert tab.url == arrival.url
    there = [site.other("/frames"), site.url("/form#end"), site.url("/form")]
    assert seen == [*there, site.url("/form#end"), site.other("/frames"), "about:blank"]


async def test_rest(browser: Browser, site: Site, connect: Connect) -> None:
    """A quiet network is awaited for a while, and told if it did not come."""
    tab = await browser.new_tab()
    assert not (await tab.navigate(site.url("/form"), until="networkidle")).restless
    async with connect(timeouts=replace(PATIENCE, idle=0.2)) as hurried:  # Chrome wants 0.5 s
        tab = await hurried.new_tab()
        assert (await tab.navigate(site.url("/form"), until="networkidle")).restless
        assert not (await tab.navigate(site.url("/"), until="load")).restless


async def test_history_without_the_cache(browser: Browser, site: Site) -> None:
    """A page that cannot be kept alive is loaded again, and awaited like any other."""
    tab = await browser.new_tab(site.url("/form"))
    await tab.evaluate("window.addEventListener('unload', () => 0)")
    await tab.evaluate("new BroadcastChannel('held').onmessage = () => 0; 0")
    await tab.navigate(site.url("/"))
    for until_when in ("load", "domcontentloaded", "commit", "networkidle"):
        back = await tab.navigation.travel(await tab.navigation.entry(-1), until=until_when)
        assert (back.url, back.title) == (site.url("/form"), "Form")
        await tab.navigation.travel(await tab.navigation.entry(1))


async def test_end_of_the_history(browser: Browser, site: Site) -> None:
    """Where there is nothing further, that is said at once."""
    tab = await browser.new_tab(site.url("/form"))
    with pytest.raises(PageError, match="no page ahead"):
        await tab.navigation.entry(1)
