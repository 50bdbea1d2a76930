"""What a person and a page do to a tab that is worked on: the next call works, or says why not.

Each time a call is under way, and it ends within a second. What needs a window is not here:
*Cancel* on the bar about debugging, and the developer tools (test_extension_window.py).
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import trio

from bridge import cdp
from bridge.browser.tab import Tab
from bridge.errors import BridgeError
from bridge.session.connection import Connection
from fixtures.site import Site
from tests.support.browsers import until, until_true
from tests.support.conditions import limit
from tests.support.door import OpenDoor, open_door
from tests.support.linked import (
    Everyday,
    in_extension,
    open_linked,
    open_outside,
    tidy,
    value_in,
)

pytestmark = [pytest.mark.chromium, pytest.mark.extension]

_TITLE = "document.title"
_LOST = ("DETACHED", "TARGET_GONE")  # whether Chrome tells first of the call or of the tab varies
_FOREIGN = "DETACHED: a frame of another extension is in the page"


@dataclass
class Desktop:
    """A person at the browser, and a client that works in it."""

    outside: Connection
    door: OpenDoor
    site: Site

    @property
    def tab(self) -> Tab:
        """The client's."""
        tab = self.door.desk.current
        assert tab is not None
        return tab

    async def by_hand(self, script: str) -> None:
        """The person does something with the tab, whose number stands for TAB."""
        number = self.tab.session.key.removeprefix("t")
        await in_extension(self.outside, f"{script.replace('TAB', number)}.then(() => 1)")

    async def by_page(self, script: str) -> None:
        """The page does something by itself."""
        await value_in(self.outside, self.tab.target_id, f"void ({script})")

    async def broken_by(self, act: Callable[[str], Awaitable[None]], what: str) -> BridgeError:
        """How a call ends during which this happens."""
        tab, failures = self.tab, []

        async def call() -> None:
            with pytest.raises(BridgeError) as caught:
                await tab.evaluate("new Promise(() => {})")
            failures.append(caught.value)

        calls = tab.session.connection
        async with trio.open_nursery() as nursery:
            nursery.start_soon(call)
            await until(lambda: calls.statistics().pending == 1, "the call is sent")
            await act(what)
            with limit(1.0):
                await until(lambda: failures, "the caller is told")
        assert failures[0].facts["outcome"] == "unknown"
        return failures[0]

    async def title(self) -> str:
        """Text of a call that asks for the page's title."""
        return (await self.door.call("eval", expression=_TITLE)).text

    async def works_again(self) -> None:
        """The call after it takes the tab up again, and says so; the one after that has no news."""
        tab_id = self.tab.id
        told = await self.title()
        assert f"Note: {tab_id} had been taken away" in told
        assert '"Form"' in told
        assert "Note" not in await self.title()
        assert self.tab.id == tab_id


@pytest.fixture
async def desktop(everyday: Everyday, site: Site) -> AsyncIterator[Desktop]:
    """With a form open that the client works on."""
    async with (
        open_outside(everyday) as outside,
        open_linked(everyday) as browser,
        open_door(browser) as door,
    ):
        await door.text("navigate", url=site.url("/form"))
        yield Desktop(outside, door, site)
    await tidy(everyday)


@pytest.mark.parametrize(
    "what",
    ["chrome.tabs.remove(TAB)", "chrome.tabs.discard(TAB)", "chrome.tabs.ungroup([TAB])"],
    ids=["closed", "discarded", "dragged out"],
)
async def test_taken_for_good(desktop: Desktop, what: str) -> None:
    """A tab closed, discarded or dragged out of the group is over; the client is told once."""
    failed = await desktop.broken_by(desktop.by_hand, what)
    assert failed.code in _LOST
    told = await desktop.title()
    assert told.startswith("STALE_TAB")
    assert "closed, or is not shared any more" in told
    assert not (await desktop.door.call("eval", expression="1 + 1")).is_error


_MOVE = """chrome.windows.create({ url: "about:blank" }).then(async ({ id: windowId }) => {
  const [{ id }] = await chrome.tabGroups.query({});
  await chrome.tabGroups.move(id, { windowId, index: -1 });
})"""


async def test_group_to_another_window(desktop: Desktop) -> None:
    """A group that is dragged to another window takes its tabs along, and stays the permission."""
    await in_extension(desktop.outside, f"{_MOVE}.then(() => 1)")
    await until_true(lambda: shows(desktop, '"Form"'), "the page answers")
    told = await desktop.title()
    assert '"Form"' in told
    assert "Note" not in told
    await desktop.by_hand("chrome.tabs.ungroup([TAB])")
    await until_true(lambda: shows(desktop, "STALE_TAB"), "what leaves it is not shared any more")


async def test_reserved_page(desktop: Desktop) -> None:
    """On a page of Chrome's own every call says that it is not shared; afterwards all goes on."""
    go = "chrome.tabs.update(TAB, {{ url: '{}' }})".format
    failed = await desktop.broken_by(desktop.by_hand, go("chrome://version/"))
    assert failed.code in _LOST
    assert (await desktop.title()).startswith("POLICY_DENIED")
    await until_true(lambda: shows(desktop, "chrome: addresses are never shared"), "it says why")
    await desktop.by_hand(go(desktop.site.url("/form")))
    await until_true(lambda: shows(desktop, '"Form"'), "the form is there again")


async def shows(desktop: Desktop, text: str) -> bool:
    return text in await desktop.title()


async def test_frame_to_a_program(desktop: Desktop) -> None:
    """A frame to a mail program throws us off the tab; the next call has it back."""
    failed = await desktop.broken_by(desktop.by_page, frame_to("mailto:ada@a.test"))
    assert failed.code in _LOST
    await desktop.works_again()


def frame_to(url: str) -> str:
    """A script that puts a frame into the page."""
    src = json.dumps(url)
    return (
        f"document.body.append(Object.assign(document.createElement('iframe'), {{ src: {src} }}))"
    )


async def test_frame_of_another_extension(desktop: Desktop, tmp_path: Path) -> None:
    """While a frame of another extension is in the page, calls say so; without it all goes on."""
    page = f"chrome-extension://{await load_another(desktop.outside, tmp_path)}/page.html"
    failed = await desktop.broken_by(desktop.by_page, frame_to(page))
    assert failed.code in _LOST
    await until_true(lambda: shows(desktop, _FOREIGN), "the frame is told of")
    assert (await desktop.title()).startswith(_FOREIGN)
    await desktop.by_page("document.querySelector('iframe').remove()")
    await until_true(lambda: shows(desktop, '"Form"'), "the form can be worked on again")


async def load_another(outside: Connection, folder: Path) -> str:
    """An extension with a page for others to show; its id."""
    accessible = [{"resources": ["page.html"], "matches": ["<all_urls>"]}]
    manifest = {
        "manifest_version": 3,
        "name": "Another",
        "version": "1",
        "web_accessible_resources": accessible,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "page.html").write_text("<p>Passwords</p>")
    return (await outside.root.execute(cdp.extensions.load_unpacked(str(folder)))).id


async def test_pdf(desktop: Desktop) -> None:
    """Chrome's own viewer throws us off as well; the next call has the tab and names the PDF."""
    make = "URL.createObjectURL(new Blob(['%PDF-1.4'], { type: 'application/pdf' }))"
    await desktop.by_page(f"location.href = {make}")
    await until_true(lambda: reads(desktop, "The tab shows a PDF"), "it says that it is a PDF")
    await desktop.door.text("navigate", url=desktop.site.url("/form"))
    assert '"Form"' in await desktop.title()


async def reads(desktop: Desktop, text: str) -> bool:
    return text in (await desktop.door.call("snapshot")).text


async def test_another_debugger(desktop: Desktop) -> None:
    """Another program may debug the tab as we work on it, and neither notices the other."""
    root = desktop.outside.root
    attach = cdp.target.attach_to_target(desktop.tab.target_id, flatten=True)
    session_id = (await root.execute(attach)).session_id
    theirs = root.attach(session_id)
    await theirs.execute_all(cdp.runtime.enable(), cdp.debugger.enable(), cdp.page.enable())
    assert '"Form"' in await desktop.title()
    assert (await theirs.execute(cdp.runtime.evaluate(_TITLE))).result.value == "Form"
    await desktop.door.text("navigate", url=desktop.site.url("/"))
    await root.execute(cdp.target.detach_from_target(session_id=session_id))
    assert desktop.tab.session.end is None
    assert (await desktop.door.call("eval", expression="1 + 1")).is_error is False
