"""Windows of their own, and private ones."""

import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import trio

from bridge import cdp
from bridge.browser.tab import Tab
from bridge.policy.options import PolicyOptions
from fixtures.site import Site
from tests.support.browsers import until, until_true
from tests.support.logged import OpenLogged, open_page
from tests.support.plugged import short_folder
from tests.support.policy_corpus import CHANNELS, CLICKS
from tests.support.policy_yard import open_yard
from tests.support.served import Served, open_served

if sys.platform == "win32":
    pytest.skip("POSIX signals", allow_module_level=True)

pytestmark = pytest.mark.chromium

_STORE = "document.cookie = 'who=me; max-age=600'; localStorage.who = 'me'; 0"
_STORED = "[document.cookie, localStorage.who ?? '']"


async def _window_of(tab: Tab) -> tuple[int, int | None, int | None]:
    command = cdp.browser.get_window_for_target(target_id=tab.target_id)
    window = await tab.session.connection.root.execute(command)
    return window.window_id, window.bounds.width, window.bounds.height


@pytest.mark.contract
async def test_window(logged: OpenLogged, site: Site) -> None:
    """A window has all of its addresses, each in a tab, and the first is the current one."""
    async with logged() as door:
        first = await open_page(door, site.url("/form"))
        urls = [site.url("/form"), site.url("/table?rows=3"), site.url("/meta")]
        told = await door.text("create_window", url=urls, width=700, height=500)
        assert told.startswith("New window: ")
        tabs = [tab for tab in door.lifecycle.now.tabs if tab is not first and "http" in tab.url]
        assert [tab.url for tab in tabs] == urls
        assert door.desk.current is tabs[0]
        again = await open_page(door, site.url("/form"))
        assert again is tabs[0]


async def test_size_of_a_window(logged: OpenLogged, site: Site) -> None:
    """A window has the size that was wanted, and the tabs of one call are in one."""
    async with logged() as door:
        first = await open_page(door, site.url("/form"))
        await door.text("create_window", url=[site.url("/"), site.url("/meta")], width=700)
        tabs = [tab for tab in door.lifecycle.now.tabs if tab is not first]
        (one, width, _), (other, _, _) = [await _window_of(tab) for tab in tabs]
        assert (one, width) == (other, 700)
        assert one != (await _window_of(first))[0]


@pytest.mark.contract
async def test_nothing_is_left_of_a_failure(logged: OpenLogged, site: Site) -> None:
    """Where one of the addresses cannot be opened, none stays open."""
    async with logged() as door:
        first = await open_page(door, site.url("/form"))
        told = await door.refusal("create_window", url=[site.url("/"), site.url("/reset")])
        assert told.startswith("NAVIGATION_FAILED")
        assert "No window was kept" in told
        await until(lambda: door.lifecycle.now.tabs == [first], "the others are closed")
        assert door.desk.current is first


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """Everything of a server, with all allowed."""
    options = PolicyOptions(
        unsafe_all_domains=True,
        enable_mutations=True,
        unsafe_enable_eval=True,
        enable_downloads=True,
    )
    with short_folder() as folder:
        async with open_served(folder, options) as opened:
            yield opened


async def test_private_window(served: Served, site: Site) -> None:
    """What is stored in a private window is there alone, and gone with its last tab."""
    usual = _id(await served.does("tab_new", url=site.url("/form")))
    private = _id(await served.does("create_window", url=site.url("/form"), incognito=True))
    await served.does("eval", expression=_STORE, tabId=private)
    assert '["who=me", "me"]' in await served.does("eval", expression=_STORED, tabId=private)
    assert '["", ""]' in await served.does("eval", expression=_STORED, tabId=usual)
    assert "who" in await served.does("cookies", tabId=private)
    assert "who" in await served.does("cookies", tabId=private, domain="127.0.0.1")
    assert "No cookies" in await served.does("cookies", tabId=usual, domain="127.0.0.1")
    await served.does("eval", expression=f"open('{site.url('/meta')}') && 1", tabId=private)
    (popup,) = {*re.findall(r"\bt[0-9a-f]{8}", await served.does("tabs_list"))} - {usual, private}
    told = await served.refused("navigate", url="chrome://settings/", tabId=private)
    assert told.startswith("POLICY_DENIED")  # Chrome takes itself down there
    lines = (await served.does("tabs_list")).splitlines()
    assert {_id(line) for line in lines if "[private" in line} == {private, popup}
    await served.does("tab_close", tabId=private)
    assert "who=me" in await served.does("eval", expression=_STORED, tabId=popup)
    await served.does("tab_close", tabId=popup)
    again = _id(await served.does("create_window", url=site.url("/form"), incognito=True))
    assert '["", ""]' in await served.does("eval", expression=_STORED, tabId=again)


async def test_downloads_of_a_private_window(served: Served, site: Site) -> None:
    """Files are kept as from any other, and asked for with the window's own cookies."""
    tab = _id(await served.does("create_window", url=site.url("/form"), incognito=True))
    await served.does("eval", expression=_STORE, tabId=tab)
    before = len(site.requests)
    url = site.url("/download?name=here.txt&size=20")
    assert "20 bytes" in await served.does("download_file", url=url, tabId=tab)
    asked = [each for each in site.requests[before:] if each.path == "/download"]
    assert [dict(each.headers).get("cookie", "") for each in asked] == ["who=me"]
    link = "document.body.innerHTML = '<a href=\"/download?name=b.txt&size=30\" download>B</a>'; 0"
    await served.does("eval", expression=link, tabId=tab)
    told = await served.does("download_file", selector="a", tabId=tab)
    assert "30 bytes" in told
    assert (await trio.Path(told.split('"')[1]).stat()).st_size == 30


async def test_downloads_that_are_off(site: Site) -> None:
    """Where a server keeps no downloads, none of a private window lands anywhere."""
    options = PolicyOptions(unsafe_all_domains=True, enable_mutations=True)
    with short_folder() as folder:
        async with open_served(folder, options) as served:
            await served.does("create_window", url=site.url("/downloads"), incognito=True)
            await served.does("click", selector="#slow")
            await until_true(
                lambda: _is_in(served, '"state": "refused"', "downloads"), "it was refused"
            )
            assert not list(folder.rglob("*slow*"))


async def test_a_lost_private_window_stays_lost(served: Served, site: Site) -> None:
    """After the browser's death its page is not loaded among the person's own."""
    usual = _id(await served.does("tab_new", url=site.url("/form")))
    private = _id(await served.does("create_window", url=site.url("/meta"), incognito=True))
    before = len(site.requests)
    browsers = filter(_is_main, psutil.Process().children(recursive=True))
    os.kill(max(browsers, key=psutil.Process.create_time).pid, signal.SIGKILL)
    told = await served.refused("snapshot")
    if told.startswith("BROWSER_GONE"):  # the call was quicker than the news
        told = await served.refused("snapshot")
    assert told.startswith("Note: the browser was lost")
    assert f"{private} is gone with its private window" in told
    assert re.search(rf"{usual} is now t\w+, loaded again", told)
    assert "STALE_TAB" in told
    assert "/meta" not in [request.path for request in site.requests[before:]]


async def test_policy_in_private() -> None:
    """In private windows pages reach no denied host either, by clicks and side channels."""
    with short_folder() as folder:
        async with open_yard("launched", folder) as yard:
            yard.context_id = await yard.browser.contexts.make()
            await yard.play_all((*CHANNELS, *CLICKS[:3]))
            assert yard.site.leaks() == []
            assert yard.gate is not None
            assert yard.gate.refusals.total >= 5
            assert "here" in await yard.go("http://allowed.test:PORT/plain")
        assert yard.looked_up() == []


def _is_main(process: psutil.Process) -> bool:
    """Whether it is a browser's first process."""
    try:
        command = process.cmdline()
    except psutil.Error:
        return False
    switches = [each.partition("=")[0] for each in command]
    return "--user-data-dir" in switches and "--type" not in switches


async def _is_in(served: Served, words: str, tool: str) -> bool:
    return words in await served.does(tool)


def _id(told: str) -> str:
    found = re.search(r"\bt[0-9a-f]{8}\b", told)
    assert found is not None, told
    return found[0]
