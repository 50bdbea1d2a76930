"""Frames of real pages, in one process and in several."""

import random
from contextlib import suppress
from functools import partial

import pytest

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.browser.tab import Tab
from bridge.errors import BridgeError, PageError
from bridge.page.frames import Frame
from fixtures.site import Site
from tests.support.browsers import Connect, until, until_true
from tests.support.trees import shape, wait_answers, wait_same_as_fresh

pytestmark = [pytest.mark.chromium, pytest.mark.contract]

_ADD = """((url) => { const frame = document.createElement('iframe');
frame.src = url; document.body.append(frame); })"""


async def add(tab: Tab, url: str) -> None:
    await tab.evaluate(f"{_ADD}({url!r})")


async def test_all_kinds(browser: Browser, connect: Connect, site: Site) -> None:
    """Same site, other site, nested, inline and sandboxed frames are all there and answer."""
    tab = await browser.new_tab(site.url("/frames"))
    page = site.url("/frames")
    expected = sorted(
        [
            (page, ""),
            (site.url("/iframe-text?label=same"), page),
            (site.other("/iframe-text?label=cross"), page),
            (site.other("/frames-nested"), page),
            (site.url("/iframe-text?label=inner"), site.other("/frames-nested")),
            ("about:srcdoc", page),
            (site.url("/iframe-text?label=sandboxed"), page),
        ]
    )
    await until(lambda: shape(tab) == expected, f"the tree is complete, now {shape(tab)}")
    await wait_answers(tab)
    remote = {frame.url for frame in tab.frames if frame.remote}
    assert {site.other("/iframe-text?label=cross"), site.other("/frames-nested")} <= remote
    assert site.url("/iframe-text?label=inner") in remote
    await wait_same_as_fresh(tab, connect)


async def test_names(browser: Browser, site: Site) -> None:
    """A frame has the name its element was given, in another process too."""
    tab = await browser.new_tab(site.url("/form"))
    for name, url in (("near", site.url("/")), ("far", site.other("/"))):
        await tab.evaluate(
            f"""(() => {{ const frame = document.createElement('iframe');
            frame.name = {name!r}; frame.src = {url!r}; document.body.append(frame); }})()"""
        )
    named = {site.url("/form"): "", site.url("/"): "near", site.other("/"): "far"}
    await until(lambda: {f.url: f.name for f in tab.frames} == named, "both are named")


async def test_there_and_back(browser: Browser, connect: Connect, site: Site) -> None:
    """A frame that goes to another site and back stays one frame, with the right process."""
    tab = await browser.new_tab(site.url("/form"))
    await add(tab, site.url("/iframe-text?label=0"))
    for turn in range(1, 5):
        url = (site.other if turn % 2 else site.url)(f"/frames-nested?turn={turn}")
        await tab.evaluate(f"document.querySelector('iframe').src = {url!r}; 0")
        await until(lambda url=url: len(tab.frames) == 3 and _at(tab, url), f"it is at {url}")  # type: ignore[misc]
        assert _at(tab, url).remote is bool(turn % 2)
        await wait_answers(tab)
    await wait_same_as_fresh(tab, connect)


def _at(tab: Tab, url: str) -> Frame:
    for frame in tab.frames:
        if frame.url == url:
            return frame
    return None  # type: ignore[return-value]


async def test_removal(browser: Browser, site: Site) -> None:
    """A frame that is taken out of the page is out of the tree, with all below it."""
    tab = await browser.new_tab(site.url("/frames"))
    await until(lambda: len(tab.frames) == 7, "all frames are there")
    await tab.evaluate("document.getElementById('nested').remove()")
    await until(lambda: len(tab.frames) == 5, "the nested ones are gone")
    await tab.evaluate("nest = document.getElementById('cross'); nest.remove()")
    await until(lambda: len(tab.frames) == 4, "the foreign one is gone")
    await tab.evaluate("document.body.append(nest)")
    await until(lambda: len(tab.frames) == 5, "it is back")
    await wait_answers(tab)
    await tab.navigate(site.url("/form"))
    assert shape(tab) == [(site.url("/form"), "")]
    assert browser.connection.session(tab.session.key) is tab.session
    await until(lambda: not _foreign(tab), "the sessions of the frames are over")


def _foreign(tab: Tab) -> list[object]:
    return [child for child in tab.session.children if child.end is None]


async def test_page_kept_alive(browser: Browser, connect: Connect, site: Site) -> None:
    """A page that Chrome kept alive comes back with its frames, foreign ones inside others too."""
    tab = await browser.new_tab(site.url("/form"))
    await add(tab, site.url("/frames-nested"))
    await add(tab, site.other("/frames-nested"))
    await until(lambda: [f.url.partition(":")[0] for f in tab.frames] == ["http"] * 5, "they are")
    for frame in tab.frames:  # Chrome keeps no page alive that still loads
        loaded = partial(tab.scripts.isolated, "document.readyState === 'complete'", frame)
        await until_true(loaded, f"{frame.url} is loaded")
    before = shape(tab)
    await tab.evaluate("kept = true")
    await tab.navigate(site.other("/form"))
    await tab.evaluate("setTimeout(() => history.back()); 0")
    await until(lambda: shape(tab) == before, "it is back")
    assert await tab.evaluate("kept") is True
    await wait_answers(tab)
    await wait_same_as_fresh(tab, connect)


async def test_thirty_frames(browser: Browser, connect: Connect, site: Site) -> None:
    """Thirty frames added at once, half of them foreign, are all there and answer."""
    tab = await browser.new_tab(site.url("/form"))
    for number in range(30):
        await add(tab, (site.other if number % 2 else site.url)(f"/iframe-text?label={number}"))
    await until(lambda: len(tab.frames) == 31, "all are there")
    await wait_answers(tab)
    await wait_same_as_fresh(tab, connect)


async def test_frame_in_a_hurry(browser: Browser, connect: Connect, site: Site) -> None:
    """A frame sent here and there faster than it can load is where the tree says in the end.

    Which of the last addresses that is, is Chrome's to decide: it drops one that is asked for while
    the one before is being committed.
    """
    tab = await browser.new_tab(site.url("/form"))
    await add(tab, site.url("/"))
    for number in range(40):
        url = (site.url if number % 2 else site.other)(f"/frames-nested?turn={number}")
        await tab.evaluate(f"document.querySelector('iframe').src = {url!r}; 0")
        for frame in list(tab.frames)[: number % 4]:
            with suppress(PageError):  # it may be gone, and says just that
                await tab.scripts.isolated("1", frame)
    await until(lambda: len(tab.frames) == 3, "it rests")
    await wait_answers(tab)
    await wait_same_as_fresh(tab, connect)


@pytest.mark.parametrize("seed", [1, 2])
async def test_any_order(browser: Browser, connect: Connect, site: Site, seed: int) -> None:
    """After sixty random changes, nested ones included, the tree is what a fresh look sees."""
    tab = await browser.new_tab(site.url("/form"))
    dice = random.Random(seed)
    for number in range(60):
        frame = dice.choice(list(tab.frames))
        url = dice.choice([site.url, site.other])(f"/iframe-text?label={number}")
        change = dice.choice(
            [
                f"{_ADD}({url!r})",
                f"{_ADD}({url!r})",
                "document.querySelector('iframe')?.remove()",
                f"(document.querySelector('iframe') ?? {{}}).src = {url!r}",
                f"if (parent !== window) location.href = {url!r}",
            ]
        )
        try:
            await frame.session.execute(cdp.page.get_frame_tree())
            await tab.scripts.isolated(change + "; 0", frame)
        except BridgeError:
            continue  # the frame went while it was chosen
    await wait_answers(tab)
    await wait_same_as_fresh(tab, connect)


async def test_dialog_in_a_foreign_frame(browser: Browser, site: Site) -> None:
    """A dialog that a frame of another site opens is the page's dialog too."""
    tab = await browser.new_tab(site.url("/form"))
    await add(tab, site.other("/dialogs?onload=0"))
    await until(lambda: tab.dialogs.current is not None, "the dialog is open")
    with pytest.raises(BridgeError, match="alert"):
        await tab.evaluate("1")
    await tab.dialogs.answer(accept=True)
    assert await tab.evaluate("1 + 1") == 2


async def test_worlds_of_frames(browser: Browser, site: Site) -> None:
    """Our world of a frame is out of its page's reach, and new with each document."""
    tab = await browser.new_tab(site.url("/frames"))
    await until(lambda: len(tab.frames) == 7, "all frames are there")
    await wait_answers(tab)
    for frame in list(tab.frames):
        assert await tab.scripts.isolated("globalThis.secret = 7", frame) == 7
        assert await tab.scripts.isolated("secret", frame) == 7
    assert await tab.evaluate("typeof secret") == "undefined"
    await tab.reload()
    assert await tab.scripts.isolated("typeof secret") == "undefined"


@pytest.mark.parametrize("kind", ["dedicated", "shared"])
async def test_workers_run(browser: Browser, site: Site, kind: str) -> None:
    """Workers that Chrome pauses for us are let go."""
    tab = await browser.new_tab(site.url("/workers"))
    await tab.evaluate(f"document.getElementById('{kind}').click()")
    said = f"document.getElementById('{kind}-says').textContent !== 'silent'"
    await until_true(lambda: tab.evaluate(said), "the worker has spoken")


async def test_nested_workers_run(browser: Browser, site: Site) -> None:
    """Workers that workers start are let go as well."""
    tab = await browser.new_tab(site.url("/form"))
    said = """new Promise((resolve) => {
        const inner = URL.createObjectURL(new Blob(["postMessage('inner')"]));
        const outer = `new Worker("${inner}").onmessage = (event) => postMessage(event.data)`;
        worker = new Worker(URL.createObjectURL(new Blob([outer])));
        worker.onmessage = (event) => resolve(event.data); })"""
    assert await tab.evaluate(said) == "inner"


async def test_service_worker(browser: Browser, site: Site) -> None:
    """A page is served by its service worker, and loads again with it in place."""
    tab = await browser.new_tab(site.url("/workers"))
    await tab.evaluate("document.getElementById('service').click()")
    ready = "document.getElementById('service-says').textContent === 'ready'"
    await until_true(lambda: tab.evaluate(ready), "it is ready")
    await tab.reload()
    assert await tab.evaluate("fetch('/from-service-worker').then((r) => r.text())") == (
        "made by the service worker"
    )
    second = await browser.new_tab(site.url("/workers"))
    assert await second.evaluate("navigator.serviceWorker.controller !== null")
    await tab.evaluate(
        "navigator.serviceWorker.getRegistrations()"
        ".then((all) => Promise.all(all.map((r) => r.unregister()))).then(() => 0)"
    )
