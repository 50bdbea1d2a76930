"""What a person does with the extension, in its own pages, and what a server sees of it."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest

from bridge import cdp
from bridge.errors import BridgeError
from bridge.session.connection import Connection, open_connection
from bridge.session.session import Session
from bridge.timeouts import deadline
from bridge.transport.link import ORIGIN, Sites
from fixtures.site import Site
from tests.support.browsers import PATIENCE, until_true
from tests.support.linked import (
    Everyday,
    in_extension,
    open_link,
    open_linked,
    open_outside,
    tidy,
)

pytestmark = [pytest.mark.chromium, pytest.mark.extension]

Ask = Callable[[str], Awaitable[object]]

_UNDO = """Promise.all([
  ...[{ do: "resume" }, { do: "setNever", list: [] }, { do: "setLabel", label: "" }]
    .map((each) => chrome.runtime.sendMessage(each)),
  chrome.storage.session.remove("introduced"),
])"""
# What stands in a page once all of it is there.
_DRAWN = {
    "popup.html": "Only tabs in a group",
    "options.html": "Programs on this computer are found by themselves.",
    "pair.html": "No program is asking for this browser.",
}
_GROUPS = "chrome.tabGroups.query({}).then((all) => all.map(({ title }) => title))"


@pytest.fixture
async def outside(everyday: Everyday) -> AsyncIterator[Connection]:
    """The person's browser; what a test has set in the extension is taken back after it."""
    async with open_outside(everyday) as connection:
        yield connection
        await in_extension(connection, _UNDO)
    await tidy(everyday)


@asynccontextmanager
async def open_view(outside: Connection, target_id: cdp.target.TargetID) -> AsyncIterator[Ask]:
    """The value of a script in this page."""
    root = outside.root
    answer = await root.execute(cdp.target.attach_to_target(target_id, flatten=True))
    session = root.attach(answer.session_id)

    async def ask(script: str) -> object:
        evaluate = cdp.runtime.evaluate(
            script, await_promise=True, return_by_value=True, user_gesture=True
        )
        told = await session.execute(evaluate)
        assert told.exception_details is None, told.exception_details
        return told.result.value

    yield ask
    await root.execute(cdp.target.detach_from_target(session_id=answer.session_id))


@asynccontextmanager
async def open_page(outside: Connection, name: str) -> AsyncIterator[Ask]:
    """A page of the extension's, behind the tab the person looks at; drawn and ready."""
    create = cdp.target.create_target(f"{ORIGIN}/{name}", background=True)
    target_id = (await outside.root.execute(create)).target_id
    async with open_view(outside, target_id) as ask:
        await see(ask, _DRAWN[name])
        yield ask
    await outside.root.execute(cdp.target.close_target(target_id))


async def see(ask: Ask, words: str) -> None:
    """Return once a person can read this in the page."""
    script = f"Boolean(document.body?.innerText.includes({json.dumps(words)}))"
    await until_true(lambda: ask(script), f"the page says {words!r}")


async def click(ask: Ask, name: str) -> None:
    """Press the button that is called so, to a person or to a screen reader."""
    find = f"""(() => {{
      const name = (each) => each.getAttribute("aria-label") ?? each.textContent;
      const fits = (each) => name(each) === {json.dumps(name)} && each.checkVisibility();
      const found = [...document.querySelectorAll("button:enabled")].find(fits);
      found?.click();
      return Boolean(found);
    }})()"""
    await until_true(lambda: ask(find), f"there is a button {name!r}")


async def fill(ask: Ask, selector: str, text: str) -> None:
    await ask(f"document.querySelector({json.dumps(selector)}).value = {json.dumps(text)}; 1")


async def visit(outside: Connection, url: str) -> cdp.target.TargetID:
    """The person opens a tab and looks at it."""
    return (await outside.root.execute(cdp.target.create_target(url))).target_id


async def seen_by(server: Session) -> list[str]:
    """Addresses of the tabs a server is told of."""
    targets = (await server.execute(cdp.target.get_targets())).target_infos
    return [info.url for info in targets]


async def wait_seen(server: Session, url: str) -> None:
    """Return once this is all a server is told of; a page on its way has no address yet."""

    async def holds() -> bool:
        return await seen_by(server) == [url]

    await until_true(holds, f"the server sees {url} alone")


async def test_share_and_release(everyday: Everyday, outside: Connection, site: Site) -> None:
    """A shared tab is in a group with the program's name and on its list; a released one is not."""
    url = site.url("/form")
    async with (
        open_link(everyday) as (_, transport),
        open_connection(transport, PATIENCE) as server,
    ):
        assert await seen_by(server.root) == []
        await visit(outside, url)
        async with open_page(outside, "popup.html") as popup:
            await click(popup, "Share this tab with a test")
            await see(popup, "1 program, 1 shared tab")
            await wait_seen(server.root, url)
            assert await in_extension(outside, _GROUPS) == ["a test"]
            title = await popup("document.querySelector('.tab p').textContent")
            await click(popup, f"Release {title}")
            await see(popup, "No tab is shared with it.")
        assert await seen_by(server.root) == []
        assert await in_extension(outside, _GROUPS) == []


async def test_long_title(everyday: Everyday, outside: Connection, site: Site) -> None:
    """A title of a page is text, and however long it is, the buttons stay in sight."""
    title = "<b id=bold>قائمة 🎉 " + "long " * 60
    async with open_linked(everyday) as browser, open_page(outside, "popup.html") as popup:
        tab = await browser.new_tab(site.url("/form"))
        await tab.evaluate(f"document.title = {json.dumps(title)}; 1")
        await see(popup, "<b id=bold>")
        assert await popup("document.getElementById('bold')") is None
        edge = "Math.max(...[...document.querySelectorAll('button')].map((each) => RIGHT))"
        right = await popup(edge.replace("RIGHT", "each.getBoundingClientRect().right"))
        assert right == await popup(
            "document.querySelector('#pause').getBoundingClientRect().right"
        )
        assert await popup("document.body.scrollWidth") == 340


async def test_request(everyday: Everyday, outside: Connection, site: Site) -> None:
    """A program that asks may be told no; it gets the tab the person shares, and none before."""
    url = site.url("/form")
    async with (
        open_link(everyday) as (_, transport),
        open_connection(transport, PATIENCE) as server,
    ):
        await visit(outside, url)
        said = {"reason": "I need the form.", "url": url}
        request = {"id": 1 << 30, "method": "Bridge.requestTab", "params": said}
        asks = json.dumps(request, separators=(",", ":")).encode()
        await transport.send(asks)
        async with open_page(outside, "popup.html") as popup:
            await see(popup, "a test asks you to share a tab")
            await click(popup, "Not now")
            await see(popup, "Share this tab with a test")
            assert not await popup("document.getElementById('asked').checkVisibility()")
            await transport.send(asks)
            await see(popup, "“I need the form.”")
            assert await seen_by(server.root) == []
            await click(popup, "Share this tab")
            await see(popup, "1 program, 1 shared tab")
            assert not await popup("document.getElementById('asked').checkVisibility()")
        await wait_seen(server.root, url)


_FOCUS = """(document.querySelector("#NAME")?.focus(),
  document.activeElement.matches("#NAME"))"""
_ON_PAUSE = "document.activeElement.id === 'pause'"


async def test_focus(everyday: Everyday, outside: Connection, site: Site) -> None:
    """Who works by keys is never without a place: where a button goes, the next one is Pause."""
    async with (
        open_link(everyday) as (_, transport),
        open_connection(transport, PATIENCE),
    ):
        await visit(outside, site.url("/form"))
        await transport.send(b'{"id":1073741824,"method":"Bridge.requestTab","params":{}}')
        async with open_page(outside, "popup.html") as popup:
            for element, name in (
                ("decline", "Not now"),
                ("share", "Share this tab with a test"),
                ("clients button", "Release Form"),
            ):
                await until_true(partial(popup, _FOCUS.replace("NAME", element)), element)
                await click(popup, name)
                await until_true(partial(popup, _ON_PAUSE), f"it has gone on from {element}")


async def test_badge(everyday: Everyday, outside: Connection) -> None:
    """The sign on the button says how it stands: nobody, connected, paused."""

    async def shows(sign: str) -> None:
        script = "chrome.action.getBadgeText({})"

        async def holds() -> bool:
            return await in_extension(outside, script) == sign

        await until_true(holds, f"the badge is {sign!r}")

    await shows("○")
    async with open_linked(everyday) as browser:
        await shows("0")
        await browser.new_tab()
        await shows("1")
        await in_extension(outside, "chrome.runtime.sendMessage({ do: 'pause' })")
        await shows("‖")
        await in_extension(outside, "chrome.runtime.sendMessage({ do: 'resume' })")
        await shows("1")
    await shows("○")


async def test_every_control_has_a_name(outside: Connection) -> None:
    """Whatever can have the focus in a page is called something, and a label is no placeholder."""
    nameless = """[...document.querySelectorAll("button, input, textarea, select, a")].filter(
      (each) => !(each.getAttribute("aria-label") || each.textContent.trim() || each.labels?.length)
    ).map((each) => each.id)"""
    for name in _DRAWN:
        async with open_page(outside, name) as page:
            assert await page(nameless) == [], name
            assert await page("Boolean(document.querySelector('[role=status]'))"), name


async def test_pause(everyday: Everyday, outside: Connection, site: Site) -> None:
    """While the person has paused, every call is refused at once and says so; then all goes on."""
    async with open_linked(everyday) as browser, open_page(outside, "popup.html") as popup:
        tab = await browser.new_tab(site.url("/form"))
        await click(popup, "Pause")
        await see(popup, "Paused")
        with deadline(PATIENCE, "probe", "being refused"):
            with pytest.raises(BridgeError, match="the person has paused"):
                await tab.evaluate("1")
            with pytest.raises(BridgeError, match=r"person.* has paused the extension"):
                await browser.new_tab(site.url("/form"))
        await click(popup, "Resume")
        await see(popup, "1 program")
        again = await browser.new_tab(site.url("/form"))
        assert await again.evaluate("1 + 1") == 2


async def test_own_list_wins(everyday: Everyday, outside: Connection, site: Site) -> None:
    """A site the person has forbidden is refused in the browser, whatever the server allows."""
    async with open_page(outside, "options.html") as options:
        await fill(options, "#never", "127.0.0.1\n")
        await options("document.querySelector('#refusing').requestSubmit(); 1")
        await see(options, "Saved.")
        async with open_linked(everyday, sites=Sites(visited=["*"])) as browser:
            with pytest.raises(BridgeError, match=r"127\.0\.0\.1 is not allowed"):
                await browser.new_tab(site.url("/form"))
            tab = await browser.new_tab()
            with pytest.raises(BridgeError, match=r"127\.0\.0\.1 is not allowed"):
                await tab.navigate(site.url("/form"))
            async with open_page(outside, "popup.html") as popup:
                await popup("document.querySelector('summary').click(); 1")
                await see(popup, "a test: Page.navigate: 127.0.0.1 is not allowed")


async def test_unreadable_list(outside: Connection) -> None:
    """A line that names no site is told, and the list is not taken."""
    async with open_page(outside, "options.html") as options:
        await fill(options, "#never", "bank.test\nnot a site")
        await options("document.querySelector('#refusing').requestSubmit(); 1")
        await see(options, "Not saved: “not a site” is not the name of a site.")
    kept = "chrome.runtime.sendMessage({ ask: 'state' }).then(({ never }) => never)"
    assert await in_extension(outside, kept) == []


async def test_label(everyday: Everyday, outside: Connection) -> None:
    """A browser is found by the name the person gave it."""
    async with open_page(outside, "options.html") as options:
        await fill(options, "#label", "Work")
        await options("document.querySelector('#labelling').requestSubmit(); 1")
        await see(options, "Saved.")
    async with open_link(everyday) as (relay, _):
        assert [each.label for each in relay.links()] == ["Work"]


async def test_reserved_page(everyday: Everyday, outside: Connection) -> None:
    """A page of Chrome's own cannot be shared: the button is off and says why."""
    async with (
        open_link(everyday) as (_, transport),
        open_connection(transport, PATIENCE) as server,
    ):
        await visit(outside, "chrome://version/")
        async with open_page(outside, "popup.html") as popup:
            await see(popup, "This page cannot be shared")
            assert await popup("document.getElementById('share').disabled")
        share = """chrome.runtime.sendMessage({ ask: "state" }).then(async ({ clients }) => {
          const [tab] = await chrome.tabs.query({ url: "chrome://version/*" });
          const { serverId } = clients[0];
          return chrome.runtime.sendMessage({ do: "share", tabId: tab.id, serverId });
        })"""
        told = await in_extension(outside, share)
        text = "chrome: addresses are never shared, only http: and https:"
        assert told == {"error": text}
        assert await seen_by(server.root) == []


async def test_incognito(everyday: Everyday, outside: Connection, site: Site) -> None:
    """The extension knows nothing of an incognito window."""
    url = site.url("/form")
    made = await outside.root.execute(cdp.target.create_browser_context())
    context = made.browser_context_id
    create = cdp.target.create_target(url, browser_context_id=context, new_window=True)
    await outside.root.execute(create)
    async with (
        open_link(everyday) as (_, transport),
        open_connection(transport, PATIENCE) as server,
    ):
        known = "chrome.tabs.query({}).then((all) => all.map(({ url }) => url))"
        found = await in_extension(outside, known)
        assert isinstance(found, list)
        assert url not in found
        assert await seen_by(server.root) == []
    await outside.root.execute(cdp.target.dispose_browser_context(context))
