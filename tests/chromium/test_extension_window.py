"""What only a window has: *Cancel* on Chrome's bar about debugging, and the developer tools.

Every act of the person is a key on the keyboard of a screen of our own. The bar stands in all tabs,
so the person presses its buttons before a page of theirs that is shared with nobody; whether a page
has the focus, and how much room it has, tells where the keys go and whether the bar is there.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

import pytest
import trio

from bridge import cdp
from bridge.browser.browser import Browser
from bridge.cdp.base import Event
from bridge.session.connection import Connection
from fixtures.site import Site
from tests.chromium.test_extension_faults import Desktop, shows
from tests.chromium.test_extension_pages import click, open_page, see, visit
from tests.support.browsers import PATIENCE, until, until_true
from tests.support.door import open_door
from tests.support.linked import (
    end_worker,
    in_extension,
    open_linked,
    open_outside,
    tidy,
    value_in,
)
from tests.support.windowed import Window

pytestmark = [pytest.mark.chromium, pytest.mark.extension]

_PAUSED = "POLICY_DENIED: the person at the browser has paused the extension"
_RESUME = 'chrome.runtime.sendMessage({ do: "resume" })'
_BADGE = "chrome.action.getBadgeText({})"
_WORKED_ON = """chrome.debugger.getTargets().then((all) =>
  all.filter(({ attached, url }) => attached && url.startsWith("http")).map(({ url }) => url))"""


_SLIDES = 1.0  # seconds in which the bar has come all the way
_LOOKS = 20  # for the focus, before the key is pressed again, as the bar may not be there yet
_HASTY = replace(PATIENCE, new_tab=1.0)


class _Detached(Event, frozen=True):
    METHOD = "Bridge.detached"


class _Paused(Event, frozen=True):
    METHOD = "Bridge.paused"


@pytest.fixture
async def desktop(window: Window, site: Site) -> AsyncIterator[Desktop]:
    """A window with a form in it that the client works on."""
    async with open_outside(window.everyday) as outside:
        async with open_linked(window.everyday) as browser, open_door(browser) as door:
            await door.text("navigate", url=site.url("/form"))
            yield Desktop(outside, door, site)
        await in_extension(outside, _RESUME)
    await tidy(window.everyday)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at the keyboard, before a page of their own."""

    window: Window
    outside: Connection
    page: cdp.target.TargetID

    async def has_focus(self) -> bool:
        return await value_in(self.outside, self.page, "document.hasFocus()") is True

    async def room(self) -> int:
        """The height of the page."""
        height = await value_in(self.outside, self.page, "innerHeight")
        assert isinstance(height, int)
        return height

    async def lasting_room(self) -> int:
        """The same when the bar has come, or gone, all the way."""
        seen, since = -1, trio.current_time()
        while trio.current_time() - since < _SLIDES:
            if (room := await self.room()) != seen:
                seen, since = room, trio.current_time()
            await trio.sleep(0.05)
        return seen

    async def come_back(self) -> None:
        """To their page: which tab Chrome shows when another is closed is its own affair."""
        await self.outside.root.execute(cdp.target.activate_target(self.page))

    async def go_to_bar(self) -> None:
        """The focus to the bar's button."""

        async def is_there() -> bool:
            await self.window.press("alt+shift+a")  # once more does no harm
            for _ in range(_LOOKS):
                if not await self.has_focus():
                    return True
            return False

        await until_true(self.has_focus, "the person is at the page")
        await until_true(is_there, "the bar has the focus")


async def sit_down(window: Window, desktop: Desktop) -> Person:
    """The person opens a page."""
    page = await visit(desktop.outside, desktop.site.url("/scroll"))
    return Person(window, desktop.outside, page)


def told(browser: Browser) -> list[str]:
    """Gets what the extension says to this client of its own accord."""
    heard: list[str] = []
    for kind in (cdp.target.DetachedFromTarget, _Detached, _Paused):
        browser.connection.root.tap(kind, lambda event: heard.append(event.method))
    return heard


async def test_cancelled(window: Window, desktop: Desktop) -> None:
    """Cancel ends all work of all programs, until the person resumes it."""
    form = desktop.tab
    await desktop.door.text("tab_new", url=desktop.site.url("/moving"))
    await desktop.door.text("tab_select", tabId=form.id)
    async with open_linked(window.everyday) as another:
        theirs = await another.new_tab(desktop.site.url("/"))
        person = await sit_down(window, desktop)
        heard = told(another)
        await person.go_to_bar()
        barred = await person.lasting_room()
        failed = await desktop.broken_by(lambda _: window.press("Return"), "")
        assert failed.code == "DETACHED"
        assert "the person has paused the extension" in failed.message
        await until(lambda: "Bridge.paused" in heard, "the other program is told")
        assert heard == ["Target.detachedFromTarget", "Bridge.detached", "Bridge.paused"]
        assert theirs.session.end is not None
        assert "paused" in theirs.session.end.message
        await assert_paused(desktop)
        async with open_page(desktop.outside, "popup.html") as popup:
            await see(popup, "Paused: your tabs are left alone.")
            await click(popup, "Resume")
            await see(popup, "2 programs, 3 shared tabs")
        await person.come_back()
        await until_true(lambda: has_more(person, barred), "the bar is gone")
        room = await person.room()
        await desktop.works_again()
        await until_true(lambda: has_less(person, room), "the bar, which was gone, is there again")
        assert await in_extension(desktop.outside, _WORKED_ON) == [desktop.site.url("/form")]


async def assert_paused(desktop: Desktop) -> None:
    """Nothing is attached, and whatever needs a page says why not."""
    assert await in_extension(desktop.outside, _WORKED_ON) == []
    assert await in_extension(desktop.outside, _BADGE) == "‖"
    for name, arguments in (
        ("eval", {"expression": "1"}),
        ("navigate", {"url": desktop.site.url("/form")}),
        ("tab_new", {}),
    ):
        assert (await desktop.door.refusal(name, **arguments)).startswith(_PAUSED)
    assert await in_extension(desktop.outside, _WORKED_ON) == []


async def has_more(person: Person, room: int) -> bool:
    return await person.room() > room


async def has_less(person: Person, room: int) -> bool:
    return await person.room() < room


async def test_closed(window: Window, desktop: Desktop) -> None:
    """The × of the bar does what Cancel does."""
    person = await sit_down(window, desktop)
    await person.go_to_bar()
    await window.press("Tab", "Return")
    await until_true(lambda: refused(desktop), "it is paused")
    await assert_paused(desktop)


async def test_dialog_stays(window: Window, desktop: Desktop) -> None:
    """A dialog that is open when work is cancelled is the person's, and later calls say so."""
    async with (
        open_linked(window.everyday, timeouts=_HASTY) as browser,
        open_door(browser, timeouts=_HASTY) as door,
    ):
        theirs = Desktop(desktop.outside, door, desktop.site)
        await door.text("navigate", url=desktop.site.url("/form"))
        await door.call("eval", expression="void setTimeout(alert, 0, 'Hello')")
        await until_true(lambda: shows(theirs, "DIALOG_OPEN"), "the dialog is there")
        person = await sit_down(window, desktop)
        await person.go_to_bar()
        await window.press("Return")
        await until_true(lambda: refused(theirs), "it is paused")
        await in_extension(desktop.outside, _RESUME)
        told = await theirs.title()
        assert told.startswith("TIMEOUT: attaching to")
        assert "a dialog from before we came, which only a person can answer" in told
        await desktop.outside.root.execute(cdp.target.activate_target(theirs.tab.target_id))
        await until_true(lambda: answered(window, theirs), "the person has answered")


async def answered(window: Window, desktop: Desktop) -> bool:
    await window.press("Return")
    return await shows(desktop, '"Form"')


async def test_cancelled_without_worker(window: Window, desktop: Desktop) -> None:
    """Cancel is heard by a worker that Chrome has just ended as well."""
    person = await sit_down(window, desktop)
    await person.go_to_bar()
    await end_worker(desktop.outside)
    await window.press("Return")
    await until_true(lambda: refused(desktop), "it is paused")
    await assert_paused(desktop)
    await in_extension(desktop.outside, _RESUME)
    await desktop.works_again()


async def refused(desktop: Desktop) -> bool:
    return await shows(desktop, _PAUSED)


async def test_devtools(window: Window, desktop: Desktop) -> None:
    """Developer tools that a person opens and closes on the tab disturb no call."""
    tab = desktop.tab
    await desktop.outside.root.execute(cdp.target.activate_target(tab.target_id))
    titles: list[str] = []

    async def ask() -> None:
        while True:
            titles.append(await desktop.title())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await toggle_devtools(window, desktop, opened=True)
        await desktop.door.text("click", selector="[name=news]")
        await desktop.door.text("screenshot")
        assert '- checkbox "Send me news"' in await desktop.door.text("snapshot")
        await toggle_devtools(window, desktop, opened=False)
        nursery.cancel_scope.cancel()
    assert [title for title in titles if '"Form"' not in title or "Note" in title] == []
    await desktop.door.text("navigate", url=desktop.site.url("/form"))
    assert desktop.tab is tab
    assert tab.session.end is None


async def toggle_devtools(window: Window, desktop: Desktop, *, opened: bool) -> None:
    """The person presses F12; returns once it has happened."""

    async def holds() -> bool:
        targets = (await desktop.outside.root.execute(cdp.target.get_targets())).target_infos
        return any(info.url.startswith("devtools:") for info in targets) is opened

    await window.press("F12")
    await until_true(holds, "the developer tools are there" if opened else "they are gone")


async def test_devtools_first(window: Window, desktop: Desktop) -> None:
    """A tab with its developer tools open can be shared and worked on, and outlasts them."""
    person = await sit_down(window, desktop)
    await toggle_devtools(window, desktop, opened=True)
    async with open_page(desktop.outside, "popup.html") as popup:
        await click(popup, "Share this tab with a test")
        await see(popup, "2 shared tabs")
    shared = f"t{person.page[:8].lower()}"
    await until_true(lambda: lists(desktop, shared), "the client is told of the tab")
    await desktop.door.text("tab_select", tabId=shared)
    assert '"Scrolling"' in await desktop.title()
    assert desktop.tab.target_id == person.page
    await desktop.door.text("navigate", url=desktop.site.url("/form"))
    await toggle_devtools(window, desktop, opened=False)
    title = await desktop.title()
    assert '"Form"' in title
    assert "Note" not in title


async def lists(desktop: Desktop, tab_id: str) -> bool:
    return tab_id in await desktop.door.text("tabs_list")
