"""Pages opened by our pages: they become ours, wholly, and nobody else's."""

import psutil
import pytest
import trio

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from fixtures.site import Site
from tests.support.browsers import Connect, open_guest, until, until_true

pytestmark = [pytest.mark.chromium, pytest.mark.contract]

_MARK = cdp.page.add_script_to_evaluate_on_new_document(
    "globalThis.early = document.scripts.length"
)


async def open_page(browser: Browser, url: str) -> tuple[Tab, list[Tab]]:
    """A tab, and a list that fills with what becomes ours after it."""
    tab = await browser.new_tab(url)
    came: list[Tab] = []
    browser.on_tab(came.append)
    return tab, came


async def arrive(came: list[Tab], url: str) -> Tab:
    """The only page that came, once it shows this address."""
    await until(lambda: came and came[0].url == url, f"a page shows {url}; now {came}")
    [popup] = came
    return popup


@pytest.mark.parametrize(
    ("how", "path"),
    [
        ("plain", "/iframe-text?label=plain"),
        ("noopener", "/iframe-text?label=noopener"),
        ("sized", "/iframe-text?label=sized"),
        ("target", "/iframe-text?label=target"),
        ("target-opener", "/iframe-text?label=opener"),
        ("named", "/iframe-text?label=named"),
    ],
)
async def test_popup_becomes_ours(browser: Browser, site: Site, how: str, path: str) -> None:
    """However a page opens another one, that is a tab of ours and works like any."""
    tab, came = await open_page(browser, site.url("/popups"))
    await tab.evaluate(f"document.getElementById('{how}').click()")
    popup = await arrive(came, site.url(path))
    assert browser.tab(popup.id) is popup
    await until_true(lambda: popup.evaluate("document.readyState === 'complete'"), "it is loaded")
    assert (await popup.navigate(site.url("/form"))).title == "Form"


async def test_popup_on_another_site(browser: Browser, site: Site) -> None:
    """A pop-up that goes to another site is ours as well."""
    tab, came = await open_page(browser, site.url("/popups"))
    await tab.evaluate("document.getElementById('foreign').click()")
    await arrive(came, site.other("/iframe-text?label=foreign"))


async def test_written_popup(browser: Browser, site: Site) -> None:
    """A blank pop-up that its opener writes into is ours, with what was written."""
    tab, came = await open_page(browser, site.url("/popups"))
    await tab.evaluate("document.getElementById('written').click()")
    await until(lambda: came, "it came")
    assert await came[0].evaluate("document.title") == "Written"
    assert await came[0].scripts.isolated("document.title") == "Written"


async def test_popup_that_closes_itself(browser: Browser, site: Site) -> None:
    """Pop-ups that are gone at once leave no trace, and the next one is noticed."""
    tab, came = await open_page(browser, site.url("/popups"))
    for _ in range(10):
        await tab.evaluate("open('/iframe-text').close()")
    await tab.evaluate("document.getElementById('closing').click()")
    await tab.evaluate("last = open('/form'); 0")
    await until(lambda: [p for p in came if p.url == site.url("/form")], "the last one came")
    await until(lambda: len(browser.tabs) <= 3, "the others went")
    await until(lambda: browser.connection.statistics().pending == 0, "nothing is left waiting")


async def test_thirty_popups_at_once(browser: Browser, site: Site) -> None:
    """Thirty pop-ups at once are thirty tabs of ours."""
    tab, came = await open_page(browser, site.url("/popups"))
    await tab.evaluate("for (let i = 0; i < 30; i++) open(`/iframe-text?label=${i}`); 0")
    wanted = {site.url(f"/iframe-text?label={i}") for i in range(30)}
    await until(lambda: {popup.url for popup in came} == wanted, "all are there")
    answers = [await popup.evaluate("document.readyState") for popup in came]
    assert len(answers) == 30


async def test_popups_of_popups(browser: Browser, site: Site) -> None:
    """A pop-up that at once opens another one hands it down to us."""
    tab, came = await open_page(browser, site.url("/form"))
    inner = "<script>open('/form')</script>"
    await tab.evaluate(f"open('').document.write({inner!r}); 0")
    await until(lambda: any(p.url == site.url("/form") for p in came), "the inner one came")


async def test_prelude_comes_first(browser: Browser, site: Site) -> None:
    """Alone, what was prepared holds before the first script of any page or foreign frame."""
    browser.add_prelude(_MARK)
    tab, came = await open_page(browser, site.url("/popups"))
    assert await tab.evaluate("early") == 0
    await tab.evaluate("open('/popups'); open('/popups', '_blank', 'noopener'); 0")
    await until(lambda: len(came) == 2 and all(p.url == site.url("/popups") for p in came), "both")
    if browser.exclusive:
        for popup in came:
            assert await popup.evaluate("early") == 0
    for popup in came:
        await popup.reload()
        assert await popup.evaluate("early") == 0
    await tab.navigate(site.url("/frames"))
    await until(lambda: len(tab.frames) == 7, "all frames are there")
    [frame] = [f for f in tab.frames if f.url.endswith("label=cross")]
    early = await frame.session.execute(cdp.runtime.evaluate("early", return_by_value=True))
    assert early.result.value == 0


@pytest.mark.shared
async def test_others_popups_are_not_ours(browser: Browser, connect: Connect, site: Site) -> None:
    """Two processes in one browser adopt their own pop-ups and never each other's."""
    async with connect() as other:
        pages = [await open_page(each, site.url("/popups")) for each in (browser, other)]
        for tab, _ in pages:
            await tab.evaluate("for (let i = 0; i < 5; i++) open('/form'); 0")
        await until(lambda: all(len(came) == 5 for _, came in pages), "each has its five")
        mine, theirs = ({tab.id for tab in each.tabs} for each in (browser, other))
        assert len(mine) == len(theirs) == 6
        assert not mine & theirs


@pytest.mark.shared
async def test_a_client_that_stands_still(browser: Browser, endpoint: str, site: Site) -> None:
    """Another process of ours that is stopped holds up no page, frame, worker or pop-up."""
    with open_guest(endpoint) as guest:
        assert guest.stdout is not None
        assert await trio.to_thread.run_sync(guest.stdout.readline)
        psutil.Process(guest.pid).suspend()
        tab, came = await open_page(browser, site.url("/frames"))
        await until(lambda: len(tab.frames) == 7, "all frames are there")
        assert (await tab.navigate(site.url("/popups"))).title == "Popups"
        await tab.evaluate("document.getElementById('plain').click()")
        await arrive(came, site.url("/iframe-text?label=plain"))


@pytest.mark.shared
async def test_what_a_kept_tab_opens_is_kept(
    browser: Browser, connect: Connect, site: Site
) -> None:
    """What a tab opens that we only took over stays open when we go."""
    mine = await browser.new_tab(site.url("/popups"))
    async with connect() as other:
        tab = await other.take_over(mine.id)
        came: list[Tab] = []
        other.on_tab(came.append)
        await tab.evaluate("document.getElementById('plain').click()")
        await until(lambda: came, "it came")
    known = await browser.connection.root.execute(cdp.target.get_targets())
    assert came[0].target_id in [info.target_id for info in known.target_infos]
