"""A page whose process dies: who notices, and how the same tab comes back."""

import pytest
import trio

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.browser.prelude import PRELUDE
from bridge.browser.tab import Tab
from bridge.errors import PageError
from bridge.page.frames import Frame
from bridge.page.target import Target
from fixtures.site import Site
from tests.support.backends import Crash
from tests.support.browsers import until, until_true

pytestmark = [pytest.mark.chromium, pytest.mark.contract]


async def test_crash_in_a_call(browser: Browser, crash: Crash, site: Site) -> None:
    """A call under way in a page that crashes fails with PAGE_CRASHED; other tabs go on."""
    tab, other = await browser.new_tab(site.url("/crash")), await browser.new_tab(site.other("/"))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(crash, tab.frames.main)
        with pytest.raises(PageError) as pending:
            await tab.evaluate("new Promise(() => {})")
    assert (pending.value.code, tab.crashed) == ("PAGE_CRASHED", True)
    with pytest.raises(PageError, match="crashed"):
        await tab.evaluate("1")
    with pytest.raises(PageError, match="crashed"):
        await tab.scripts.isolated("1")
    assert await other.evaluate("1 + 1") == 2


@pytest.mark.parametrize("how", ["reload", "navigate"])
async def test_revival(browser: Browser, crash: Crash, site: Site, how: str) -> None:
    """The same tab comes back after a crash, with its frames, worlds and events."""
    tab = await browser.new_tab(site.url("/frames"))
    await tab.scripts.isolated("1")
    await crash(tab.frames.main)
    arrival = await (tab.reload() if how == "reload" else tab.navigate(site.url("/frames")))
    assert (arrival.url, arrival.title, tab.crashed) == (site.url("/frames"), "Frames", False)
    await until(lambda: len(tab.frames) == 7, "the frames are back")
    for frame in list(tab.frames):
        await until_true(lambda frame=frame: _answers(tab, frame), f"{frame.url} answers")  # type: ignore[misc]
    with tab.session.events(cdp.runtime.ConsoleAPICalled) as lines:
        await tab.session.execute(cdp.runtime.enable())
        await tab.evaluate("console.log('here again')")
        await lines.receive()
    assert (await tab.navigate(site.url("/form"))).title == "Form"
    assert len(tab.frames) == 1


@pytest.mark.differs("No client can crash a page.")
async def test_crash_while_a_dialog_is_open(browser: Browser, crash: Crash, site: Site) -> None:
    """A dialog goes with the page that crashed; nobody waits for it afterwards."""
    tab = await browser.new_tab(site.url("/crash"))
    with pytest.raises(PageError, match="alert"):
        await tab.evaluate("alert(1)")
    await crash(tab.frames.main)
    assert (await tab.reload()).title == "Crash"
    assert await tab.evaluate("1 + 1") == 2


async def test_crash_while_loading(browser: Browser, crash: Crash, site: Site) -> None:
    """A crash ends the wait for a page at once."""
    tab = await browser.new_tab(site.url("/form"))

    async def crash_it() -> None:
        await site.wait_request("/endless")
        await until(lambda: tab.url.endswith("/endless"), "the page has begun")
        await crash(tab.frames.main)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(crash_it)
        with pytest.raises(PageError) as ended:
            await tab.navigate(site.url("/endless"))
    assert ended.value.code == "PAGE_CRASHED"


async def test_crash_after_a_click(browser: Browser, crash: Crash, site: Site) -> None:
    """A crash ends the wait for what a click has fired, and is told."""
    browser.add_prelude(*PRELUDE)
    tab = await browser.new_tab(site.url("/stage"))
    await tab.evaluate("document.body.innerHTML = \"<button onclick=fetch('/never')>Go</button>\"")

    async def crash_it() -> None:
        await site.wait_request("/never")
        await crash(tab.frames.main)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(crash_it)
        with pytest.raises(PageError) as ended:
            await tab.actions.click(Target(tab.frames.main, {"selector": "button"}, "Go"))
    assert ended.value.code == "PAGE_CRASHED"
    assert ended.value.facts["delivered"]


async def test_crash_of_a_foreign_frame(browser: Browser, crash: Crash, site: Site) -> None:
    """A frame of another site that crashes takes neither the page nor its other frames along."""
    tab = await browser.new_tab(site.url("/frames"))
    await until(lambda: len(tab.frames) == 7, "all frames are there")
    [frame] = [f for f in tab.frames if f.url.endswith("label=cross")]
    await until(lambda: frame.remote, "it has a process of its own")
    await crash(frame)
    with pytest.raises(PageError, match="crashed"):
        await tab.scripts.isolated("1", frame)
    assert not tab.crashed
    assert await tab.evaluate("document.title") == "Frames"
    await tab.reload()
    await until(lambda: len(tab.frames) == 7, "the frames are back")


async def _answers(tab: Tab, frame: Frame) -> bool:
    return await tab.scripts.isolated("location.href", frame) == frame.url
