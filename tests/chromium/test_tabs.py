"""Tabs of a real browser: opening, listing, taking over, closing, and what ids mean."""

import re

import pytest
import trio

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.errors import ChromeError, PageError, UsageError
from fixtures.site import Site
from tests.support.browsers import Connect, until, until_true
from tests.support.door import open_door
from tests.support.readings import markup

pytestmark = [pytest.mark.chromium, pytest.mark.contract, pytest.mark.empty]

_LOOKS = "[document.visibilityState, document.hidden, document.hasFocus()]"
_ONCE = """new Promise((done) => {{
  const look = () => document.visibilityState === "{0}" && done("{0}");
  onvisibilitychange = look;
  look();
}})"""


async def test_new_tab_goes_where_it_should(browser: Browser, site: Site) -> None:
    """A new tab is at its address, loaded, and in the list as ours."""
    tab = await browser.new_tab(site.url("/form"))
    assert (tab.url, await tab.evaluate("document.title")) == (site.url("/form"), "Form")
    [info] = [info for info in browser.list_tabs() if info.id == tab.id]
    assert (info.own, info.url) == (True, site.url("/form"))
    assert browser.tab(tab.id) is tab


async def test_background_tabs_leave_the_front_alone(browser: Browser, site: Site) -> None:
    """Opening, navigating and evaluating in the background changes nothing for the tab in front."""
    front = await browser.new_tab(site.url("/form"), background=False)
    await front.bring_to_front()
    before = await front.evaluate(_LOOKS)
    await front.evaluate("log = []; onblur = onvisibilitychange = (e) => log.push(e.type); 0")
    for _ in range(3):
        tab = await browser.new_tab(site.url("/"))
        await tab.navigate(site.url("/form"))
        await tab.evaluate("document.querySelector('input').focus()")
        await tab.close()
    assert await front.evaluate(_LOOKS) == before
    assert await front.evaluate("log") == []


async def test_twenty_tabs_at_once(browser: Browser, site: Site) -> None:
    """Twenty tabs opened at the same time are twenty tabs, each where it was sent."""
    titles: dict[int, object] = {}

    async def open_one(number: int) -> None:
        tab = await browser.new_tab(site.url(f"/iframe-text?label={number}"))
        titles[number] = await tab.evaluate("new URLSearchParams(location.search).get('label')")

    async with trio.open_nursery() as nursery:
        for number in range(20):
            nursery.start_soon(open_one, number)
    assert titles == {number: str(number) for number in range(20)}
    assert len(browser.tabs) == len({tab.id for tab in browser.tabs}) >= 20


async def test_refs_of_another_tab(browser: Browser, site: Site) -> None:
    """A ref of one tab is unknown in another, also in its frames, and said to be of the first."""
    async with open_door(browser) as door:
        refs: dict[str, set[str]] = {}
        for _ in range(2):
            await door.text("tab_new", url=site.url("/frames"), active=True)
            tab = await door.desk.tab(None)
            await door.text("wait_for", textContains="Inline button")
            said = await door.text("snapshot")
            refs[tab.id] = set(re.findall(r"\[ref=(\w+)\]", said))
        (first, of_first), (_, of_second) = refs.items()
        assert of_first
        assert {ref.partition("e")[0] for ref in of_first} != {""}
        assert not of_first & of_second
        for ref in (min(of_first), max(of_first)):
            refused = await door.refusal("click", ref=ref)
            assert f"{ref}: this is a ref of the tab {first}" in refused


async def test_close_waits_until_gone(browser: Browser, site: Site) -> None:
    """When `close` returns, Chrome no longer knows the target, and the id is stale."""
    tab = await browser.new_tab(site.url("/unload?ms=200"))
    await tab.close()
    known = await browser.connection.root.execute(cdp.target.get_targets())
    assert tab.target_id not in [info.target_id for info in known.target_infos]
    with pytest.raises(UsageError, match="was closed") as stale:
        browser.tab(tab.id)
    assert stale.value.code == "STALE_TAB"
    await tab.close()


async def test_guarded_page_closes(browser: Browser, site: Site) -> None:
    """A page that asks before it is left is closed without a question."""
    tab = await browser.new_tab(site.url("/dialogs?guard"))
    await tab.evaluate("1")
    await tab.close()
    assert tab not in browser.tabs


async def test_last_tab(browser: Browser, site: Site) -> None:
    """A browser whose last tab was closed opens the next one."""
    tab = await browser.new_tab()
    targets = await browser.connection.root.execute(cdp.target.get_targets())
    for info in targets.target_infos:
        if info.type == "page" and info.target_id != tab.target_id:
            await browser.connection.root.execute(cdp.target.close_target(info.target_id))
    await tab.close()
    assert (await browser.new_tab(site.url("/form"))).url == site.url("/form")


async def test_closed_by_somebody_else(browser: Browser, connect: Connect) -> None:
    """Calls in a tab that somebody closes fail with TARGET_GONE, under way or later."""
    tab = await browser.new_tab()

    async def close() -> None:
        await tab.evaluate("1")
        async with connect() as other:
            await other.connection.root.execute(cdp.target.close_target(tab.target_id))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(close)
        with pytest.raises(ChromeError) as pending:
            await tab.evaluate("new Promise(() => {})")
    with pytest.raises(ChromeError) as later:
        await tab.evaluate("1")
    assert (pending.value.code, later.value.code) == ("TARGET_GONE", "TARGET_GONE")
    await until(lambda: tab not in browser.tabs, "the tab is off the list")
    with pytest.raises(UsageError, match="was closed"):
        browser.tab(tab.id)


async def test_ids_mean_the_same_everywhere(browser: Browser, connect: Connect, site: Site) -> None:
    """Two processes in one browser call a tab by the same id; only its owner has it."""
    tab = await browser.new_tab(site.url("/form"))
    async with connect() as other:
        [info] = other.list_tabs()
        assert (info.id, info.own, info.title) == (tab.id, False, "Form")
        with pytest.raises(UsageError) as foreign:
            other.tab(tab.id)
        assert foreign.value.code == "TAB_NOT_FOUND"


async def test_taken_over_tabs_stay(browser: Browser, connect: Connect, site: Site) -> None:
    """A tab that was taken over works like an own one, and is left open at the end."""
    tab = await browser.new_tab(site.url("/form"))
    async with connect() as other:
        taken = await other.take_over(tab.id)
        assert await taken.evaluate("document.title") == "Form"
        assert other.tab(tab.id) is taken is await other.take_over(tab.id)
    assert await tab.evaluate("document.title") == "Form"


@pytest.mark.differs("Only the tabs that are shared are seen.")
async def test_own_tabs_go_kept_ones_stay(browser: Browser, connect: Connect, site: Site) -> None:
    """At the end our tabs are closed, except those opened to be kept."""
    async with connect() as other:
        gone = await other.new_tab(site.url("/form"))
        kept = await other.new_tab(site.url("/"), keep=True)
        await until(lambda: len(browser.targets.pages()) >= 2, "the tabs are known")
    await until(lambda: browser.targets.page(gone.target_id) is None, "the own tab is gone")
    assert browser.targets.page(kept.target_id) is not None


@pytest.mark.shared
@pytest.mark.differs("Only the tabs that are shared are seen.")
async def test_many_foreign_tabs(browser: Browser, connect: Connect) -> None:
    """We attach to none of forty tabs of others; their ids are stale once they go."""
    root = browser.connection.root
    creating = [cdp.target.create_target("data:text/html,x", background=True) for _ in range(40)]
    foreign = {made.target_id for made in await root.execute_all(*creating)}
    async with connect() as late:
        assert foreign <= {info.target_id for info in late.targets.pages()}
        assert (late.tabs, late.list_tabs()) == ([], [])
        assert late.connection.statistics().sessions == 1
        known = await root.execute(cdp.target.get_targets())
        assert not [i for i in known.target_infos if i.target_id in foreign and i.attached]
        ids = {late.targets.tab_id(target) for target in foreign}
        await root.execute_all(*map(cdp.target.close_target, foreign))
        await until(
            lambda: foreign.isdisjoint(info.target_id for info in late.targets.pages()),
            "all are gone",
        )
    assert len(ids) == 40
    for gone in ids:
        with pytest.raises(UsageError, match="was closed"):
            late.tab(gone)


@pytest.mark.differs("Chrome's own pages (`chrome:`) are not opened.")
async def test_only_pages_are_listed(browser: Browser, connect: Connect, site: Site) -> None:
    """Frames, workers and Chrome's own pages are in no list of tabs; own blank ones are."""
    page = await browser.new_tab(site.url("/frames"))
    await page.evaluate("worker = new Worker('/worker.js'); 0")
    await page.evaluate("navigator.serviceWorker.register('/service-worker.js').then(() => 0)")
    blank = await browser.new_tab()
    chromes = await browser.new_tab("chrome://version")
    assert {info.id for info in browser.list_tabs()} == {page.id, blank.id, chromes.id}
    async with connect() as other:
        assert [info.id for info in other.list_tabs()] == [page.id]


@pytest.mark.differs("Chrome prepares no page in advance there.")
async def test_prerendered_pages_are_not_tabs(browser: Browser, site: Site) -> None:
    """A page that Chrome prepares in advance is no tab, and going there works."""
    tab = await browser.new_tab(site.url("/"))
    before = len(browser.targets.pages())
    await tab.evaluate(
        """(() => { const rules = document.createElement('script');
        rules.type = 'speculationrules';
        rules.textContent = '{"prerender": [{"urls": ["/form"], "eagerness": "immediate"}]}';
        document.head.append(rules); })()"""
    )
    await site.wait_request("/form")
    assert len(browser.targets.pages()) == before
    await tab.evaluate("location.href = '/form'; 0")

    async def arrived() -> bool:
        try:
            return await tab.evaluate("document.title") == "Form"
        except PageError:
            return False

    await until_true(arrived, "the prepared page is shown")
    assert tab.url == site.url("/form")
    assert await tab.scripts.isolated("document.title") == "Form"
    assert (await tab.navigate(site.url("/"))).status == 200


async def test_failed_opening_leaves_nothing(browser: Browser) -> None:
    """A new tab whose address cannot be opened is closed again."""
    before = len(browser.targets.pages())
    with pytest.raises(PageError) as failed:
        await browser.new_tab("http://nowhere.invalid/")
    assert failed.value.code == "NAVIGATION_FAILED"
    await until(lambda: len(browser.targets.pages()) == before, "the tab is gone")


async def test_cancelled_opening_leaves_nothing(browser: Browser, site: Site) -> None:
    """A new tab whose caller went away is closed again."""
    before = len(browser.targets.pages())
    async with trio.open_nursery() as nursery:
        nursery.start_soon(browser.new_tab, site.url("/never"))
        await site.wait_request("/never")
        nursery.cancel_scope.cancel()
    await until(lambda: len(browser.targets.pages()) == before, "the tab is gone")
    with trio.move_on_after(0):
        await browser.new_tab(site.url("/never"))
    await until(lambda: len(browser.targets.pages()) == before, "the second tab is gone")


async def test_half_open_tab_is_named(browser: Browser, connect: Connect, site: Site) -> None:
    """A new tab that stops at a dialog stays, and the error says which one it is."""
    with pytest.raises(PageError) as stopped:
        await browser.new_tab(markup("<script>alert(1)</script>"))
    assert stopped.value.code == "DIALOG_OPEN"
    tab = browser.tab(str(stopped.value.facts["tab_id"]))
    await tab.dialogs.answer(accept=True)
    assert await tab.evaluate("1 + 1") == 2


@pytest.mark.shared
async def test_cancelled_we_close_our_tabs(browser: Browser, connect: Connect) -> None:
    """Whoever is cancelled still takes leave: a shared browser keeps none of its tabs."""
    opened = set()
    for _ in range(5):
        with trio.CancelScope() as scope:
            async with connect() as other:
                opened.add((await other.new_tab()).id)
                scope.cancel()
                await trio.sleep_forever()
    assert len(opened) == 5
    await until(lambda: opened.isdisjoint(info.id for info in browser.list_tabs()), "all closed")


async def test_front_only_when_asked(browser: Browser, site: Site) -> None:
    """Selecting a tab leaves what a person sees alone; asked to, it shows that tab instead."""
    async with open_door(browser) as door:
        tabs = [await browser.new_tab(site.url("/form"), background=False) for _ in "ab"]
        first, second = tabs
        await second.bring_to_front()
        assert await first.evaluate("document.visibilityState") == "hidden"
        await door.text("tab_select", tabId=first.id)
        assert await first.evaluate("document.visibilityState") == "hidden"
        await door.text("tab_select", tabId=first.id, front=True)
        assert await first.evaluate(_ONCE.format("visible")) == "visible"
        assert await second.evaluate(_ONCE.format("hidden")) == "hidden"
