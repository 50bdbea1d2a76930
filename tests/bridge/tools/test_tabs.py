"""Tools for tabs, with a browser played by hand; the real one is in `tests/chromium`."""

from collections.abc import AsyncIterator

import pytest

from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from tests.bridge.tools.test_desk import A, B, C, creates
from tests.support.door import OpenDoor, open_door
from tests.support.scripted_chrome import (
    ScriptedChrome,
    frame_of,
    open_scripted,
    settle,
    target_info,
)


@pytest.fixture
async def chrome() -> AsyncIterator[ScriptedChrome]:
    """A browser that opens three pages, if asked to, and says what is open."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A, B, C)
        chrome.answers["Target.getTargets"] = lambda _: {"targetInfos": []}
        chrome.browser = browser  # type: ignore[attr-defined]
        yield chrome


@pytest.fixture
async def door(chrome: ScriptedChrome) -> AsyncIterator[OpenDoor]:
    """Everything allowed."""
    async with open_door(chrome.browser) as opened:  # type: ignore[attr-defined]
        yield opened


async def test_list(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """Tabs come with id, address, title as it is now, and whose they are."""
    await door.desk.tab()
    chrome.say_page(B, "https://b.example/")
    await settle()
    infos = [target_info(B, "https://b.example/", title='A "title"')]
    chrome.answers["Target.getTargets"] = lambda _: {"targetInfos": infos}
    assert (await door.text("tabs_list")).splitlines() == [
        "0 taaaaaaaa about:blank [current]",
        '1 tbbbbbbbb https://b.example/ "A \\"title\\"" [not yours]',
    ]


async def test_dialog(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """A tab that waits for an answer is told as one: from outside it looks like any other."""
    tab = await door.desk.tab()
    asked = {"url": "", "frameId": A, "message": "?", "type": "alert", "hasBrowserHandler": False}
    chrome.fake.event("Page.javascriptDialogOpening", asked, f"S-{tab.target_id}")
    await settle()
    assert (await door.text("tabs_list")).endswith("[current, a dialog is open]")


async def test_labels_by_host(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """The list names each tab of ours by its host, and no two alike; a name is not an id."""
    await door.text("toolsets", enable=["page"])
    for target in (A, B, C):
        await door.text("tab_new", active=False)
        await _shows(chrome, "https://shop.example/cart", target)
    await door.text("tab_label", tabId="tbbbbbbbb", label="mine")
    lines = (await door.text("tabs_list")).splitlines()
    assert [line.partition('label "')[2].partition('"')[0] for line in lines] == [
        "shop.example",
        "mine",
        "shop.example-2",
    ]
    assert (await door.text("tab_close", tabId="shop.example-2")).startswith("Closed tcccccccc.")
    assert (await door.refusal("tab_select", tabId="shop.example-2")).startswith("STALE_TAB")
    await _shows(chrome, "https://other.example/")
    assert '[label "other.example", current]' in await door.text("tabs_list")
    assert (await door.refusal("tab_select", tabId="shop.example")).startswith("TAB_NOT_FOUND")


async def test_a_host_that_has_gone(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """A tab that is meant by its host is not used once it shows another one, listed or not."""
    tab = await door.desk.tab()
    await _shows(chrome, "https://bank.example/")
    await door.text("tabs_list")
    assert tab.id in await door.text("tab_select", tabId="bank.example")
    await _shows(chrome, "https://evil.example/")
    told = await door.refusal("tab_select", tabId="bank.example")
    assert told.startswith("TAB_NOT_FOUND: the tab that was listed as bank.example shows another")
    assert tab.id in await door.text("tab_select", tabId=tab.id)


async def _shows(chrome: ScriptedChrome, url: str, target: str = A) -> None:
    told = {"frame": frame_of(target, url, "L9"), "type": "Navigation"}
    chrome.fake.event("Page.frameNavigated", told, f"S-{target}")
    chrome.say_page(target, url)
    await settle()


@pytest.mark.parametrize("host", ["tdeadbeef", f"{'a' * 41}.example"])
async def test_hosts_that_make_no_label(door: OpenDoor, chrome: ScriptedChrome, host: str) -> None:
    """A host that looks like a tab's id, or is very long, is no name."""
    await door.text("tab_new")
    chrome.say_page(A, f"https://{host}/")
    await settle()
    assert "label" not in await door.text("tabs_list")
    assert door.desk.labels == {}


async def test_list_shows_only_what_may_be_read(chrome: ScriptedChrome) -> None:
    """Of a page that may not be read neither address nor title comes out."""
    chrome.say_page(B, "https://secret.example/", title="secret")
    await settle()
    async with open_door(chrome.browser, PolicyOptions()) as door:  # type: ignore[attr-defined]
        assert "secret" not in await door.text("tabs_list")


async def test_nothing_open(door: OpenDoor) -> None:
    """Without tabs the next step is named."""
    assert await door.text("tabs_list") == "There are no tabs; navigate opens one."


async def test_take_over(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """Selecting somebody else's tab takes it over; one that is gone is said to be."""
    chrome.say_page(B, "https://b.example/")
    await settle()
    await door.text("tab_select", tabId="tbbbbbbbb")
    assert door.desk.current is not None
    assert door.desk.current.target_id == B
    assert (await door.refusal("tab_select", tabId="tcccccccc")).startswith("STALE_TAB")


async def test_front(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """A tab comes before a person's eyes only when that is asked for, and that is said."""
    tab = await door.desk.tab()
    before = chrome.methods()
    assert "front" not in await door.text("tab_select", tabId=tab.id)
    assert "Target.activateTarget" not in chrome.methods()[len(before) :]
    chrome.answers["Target.activateTarget"] = lambda _: {}
    told = await door.text("tab_select", tabId=tab.id, front=True)
    assert told.endswith(" It was brought to the front.")
    assert "Target.activateTarget" in chrome.methods()


async def test_take_over_needs_leave(chrome: ScriptedChrome) -> None:
    """A tab whose page may not be read cannot be taken over."""
    chrome.say_page(B, "https://secret.example/")
    await settle()
    async with open_door(chrome.browser, PolicyOptions()) as door:  # type: ignore[attr-defined]
        told = await door.refusal("tab_select", tabId="tbbbbbbbb")
    assert told.startswith("POLICY_DENIED")
    assert "Target.attachToTarget" not in chrome.methods()


async def test_new_uses_a_blank_one(door: OpenDoor) -> None:
    """A blank current tab is used rather than left lying, and that is said."""
    assert await door.text("tab_new") == "New tab: taaaaaaaa about:blank."
    assert await door.text("tab_new") == "The blank tab was used: taaaaaaaa about:blank."


async def test_new_beside(door: OpenDoor) -> None:
    """A tab can be opened without becoming the current one."""
    await door.text("tab_new")
    assert await door.text("tab_new", active=False) == "New tab: tbbbbbbbb about:blank."
    assert door.desk.current is not None
    assert door.desk.current.target_id == A


async def test_release(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """A tab that is given up stays open, for whoever is there, and can be taken over again."""
    await door.text("toolsets", enable=["page"])
    chrome.answers["Target.detachFromTarget"] = lambda _: {}
    await door.text("tab_new")
    chrome.say_page(A, "https://a.example/")
    await door.text("tab_new", active=False)
    told = await door.text("tab_release", tabId="taaaaaaaa")
    assert told == (
        "taaaaaaaa stays open, and is not yours any more. Current tab: tbbbbbbbb about:blank."
    )
    assert "Target.closeTarget" not in chrome.methods()
    assert (await door.refusal("snapshot", tabId="taaaaaaaa")).startswith("TAB_NOT_FOUND")
    assert "taaaaaaaa https://a.example/ [not yours]" in await door.text("tabs_list")


@pytest.mark.parametrize(
    ("options", "lists"),
    [
        (PolicyOptions(allow_domain=("a.example",), enable_downloads=True), ""),
        (PolicyOptions(unsafe_all_domains=True, enable_downloads=True), 'never = ["b.example"]'),
        (PolicyOptions(unsafe_all_domains=True), ""),
    ],
    ids=["hosts", "never", "downloads"],
)
async def test_release_under_limits(
    chrome: ScriptedChrome, options: PolicyOptions, lists: str
) -> None:
    """Where hosts or downloads are limited no tab is given up: its page would be free of that."""
    async with open_door(
        chrome.browser,  # type: ignore[attr-defined]
        options,
        toolsets=("all",),
    ) as door:
        door.guard.policy = Policy.from_options(options, file=lists)
        await door.text("tab_new")
        assert (await door.refusal("tab_release", tabId="taaaaaaaa")).startswith("POLICY_DENIED")
    assert "Target.detachFromTarget" not in chrome.methods()


async def test_window(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """A window is asked for with its size, unseen; tabs for it go where it is in front."""
    await door.text("toolsets", enable=["page"])
    told = await door.text("create_window", width=640, height=480)
    assert told == "New window: taaaaaaaa about:blank."
    (asked,) = [each for each in chrome.seen if each.method == "Target.createTarget"]
    assert (asked.params["newWindow"], asked.params["width"], asked.params["height"]) == (
        True,
        640,
        480,
    )
    assert asked.params["background"] is True
    assert door.desk.current is not None
    assert door.desk.current.target_id == A


async def test_windows_that_are_refused(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """A hundred tabs are not opened at once; an address that is none opens nothing."""
    await door.text("toolsets", enable=["page"])
    for urls in (["https://a.example/"] * 11, ["https://a.example/", "nonsense"]):
        assert (await door.refusal("create_window", url=urls)).startswith("BAD_ARGS: url: ")
    assert "Target.createTarget" not in chrome.methods()


async def test_private_window(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """A private window has a context of its own, which goes with its last tab."""
    await door.text("toolsets", enable=["page"])
    chrome.answers["Target.createBrowserContext"] = lambda _: {"browserContextId": "X"}
    chrome.answers["Target.disposeBrowserContext"] = lambda _: {}
    assert (await door.text("create_window", incognito=True)).startswith("New private window: ")
    (asked,) = [each for each in chrome.seen if each.method == "Target.createTarget"]
    assert asked.params["browserContextId"] == "X"
    chrome.say_page(A, browserContextId="X")
    await settle()
    assert "goes with this server" in await door.refusal("tab_release", tabId="taaaaaaaa")
    assert (await door.text("tab_new")).startswith("New tab: tbbbbbbbb")  # a blank one is there
    await door.text("tab_select", tabId="taaaaaaaa")
    await door.text("tab_close")
    assert chrome.methods().count("Target.disposeBrowserContext") == 1


async def test_private_window_that_fails(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """Nothing of it is left behind when one of its addresses cannot be opened."""
    await door.text("toolsets", enable=["page"])
    chrome.answers["Target.createBrowserContext"] = lambda _: {"browserContextId": "X"}
    chrome.answers["Target.disposeBrowserContext"] = lambda _: {}
    chrome.answers["Page.navigate"] = lambda asked: {
        "frameId": A,
        "errorText": "net::ERR_NAME_NOT_RESOLVED",
    }
    told = await door.refusal("create_window", incognito=True, url=["https://nowhere.example/"])
    assert told.startswith("NAVIGATION_FAILED")
    assert "No window was kept" in told
    assert chrome.methods().count("Target.disposeBrowserContext") == 1
    assert await door.text("tabs_list") == "There are no tabs; navigate opens one."


async def test_close(door: OpenDoor) -> None:
    """Closing the current tab makes another one current; without any, that is said."""
    await door.text("tab_new")
    await door.text("tab_new", active=False)
    assert await door.text("tab_close") == "Closed taaaaaaaa. Current tab: tbbbbbbbb about:blank."
    assert await door.text("tab_close", tabId="tbbbbbbbb") == "Closed tbbbbbbbb."
    assert (await door.refusal("tab_close")).startswith("TAB_NOT_FOUND")


async def test_label(door: OpenDoor) -> None:
    """A label does for the id of its tab, is listed, and means one tab at a time."""
    await door.text("toolsets", enable=["page"])
    await door.desk.tab()
    assert await door.text("tab_label", label="shop") == 'taaaaaaaa is called "shop".'
    assert await door.text("tab_new", active=False) == "New tab: tbbbbbbbb about:blank."
    assert await door.text("tab_label", tabId="tbbbbbbbb", label="mail") != ""
    assert "tbbbbbbbb" in await door.text("tab_select", tabId="mail")
    listed = (await door.text("tabs_list")).splitlines()
    assert listed[1] == '1 tbbbbbbbb about:blank [label "mail", current]'
    await door.text("tab_label", label="shop")
    assert door.desk.labels == {"shop": "tbbbbbbbb"}
    await door.text("tab_label", label="")
    assert door.desk.labels == {}
    assert (await door.refusal("tab_select", tabId="shop")).startswith("TAB_NOT_FOUND")


@pytest.mark.parametrize("label", ["x" * 41, "a\nb", " a", "t0123abcd"])
async def test_label_refused(door: OpenDoor, label: str) -> None:
    """What is long, broken, padded or an id is no label."""
    await door.text("toolsets", enable=["page"])
    assert (await door.refusal("tab_label", label=label)).startswith("BAD_ARGS: the label")
