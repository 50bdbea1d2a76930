"""Tools that go somewhere, with a browser played by hand; the real one is in `tests/chromium`."""

from collections.abc import AsyncIterator

import pytest

from bridge.page.navigation import Arrival
from bridge.policy.options import PolicyOptions
from tests.bridge.tools.test_desk import A, creates
from tests.support.door import OpenDoor, open_door
from tests.support.scripted_chrome import ScriptedChrome, open_scripted


def entry(number: int, url: str) -> dict[str, object]:
    """An entry of the history as Chrome writes it."""
    told = {"id": number, "url": url, "userTypedURL": url, "title": ""}
    return {**told, "transitionType": "typed"}


@pytest.fixture
async def chrome() -> AsyncIterator[ScriptedChrome]:
    """A tab with three pages in its history, the second one current."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A)
        urls = ("https://evil.example/", "https://example.com/", "https://example.com/next")
        entries = [entry(number, url) for number, url in enumerate(urls)]
        told = {"currentIndex": 1, "entries": entries}
        chrome.answers["Page.getNavigationHistory"] = lambda _: told
        chrome.browser = browser  # type: ignore[attr-defined]
        yield chrome


@pytest.fixture
async def door(chrome: ScriptedChrome) -> AsyncIterator[OpenDoor]:
    """Only example.com allowed."""
    options = PolicyOptions(allow_domain=("example.com",))
    async with open_door(chrome.browser, options) as opened:  # type: ignore[attr-defined]
        yield opened


async def arrive(door: OpenDoor, monkeypatch: pytest.MonkeyPatch, arrival: Arrival) -> list[str]:
    """Where the tab was sent, with this as the end of every journey."""
    tab = await door.desk.tab()
    sent: list[str] = []

    async def go(url: str, *, until: str) -> Arrival:
        sent.append(f"{url} {until}")
        return arrival

    async def travel(entry: object, *, until: str) -> Arrival:
        return await go(entry.url, until=until)  # type: ignore[attr-defined]

    monkeypatch.setattr(tab, "navigate", go)
    monkeypatch.setattr(tab.settling, "travel", travel)
    return sent


async def test_says_where_it_arrived(door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Address and title; the status only where it is worth a word."""
    arrival = Arrival("https://example.com/", 'A "page"', 200)
    sent = await arrive(door, monkeypatch, arrival)
    told = await door.text("navigate", url="https://example.com", waitUntil="commit")
    assert told == 'https://example.com/ "A \\"page\\""'
    assert sent == ["https://example.com commit"]


async def test_says_what_went_wrong(door: OpenDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A status that is no success is named."""
    await arrive(door, monkeypatch, Arrival("https://example.com/", "", 404))
    assert (
        await door.text("navigate", url="https://example.com/") == "https://example.com/ HTTP 404"
    )


async def test_says_that_a_network_did_not_rest(
    door: OpenDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that never came to rest is not passed off as one that did."""
    await arrive(door, monkeypatch, Arrival("https://example.com/", "", 200, restless=True))
    told = await door.text("navigate", url="https://example.com/", waitUntil="networkidle")
    assert told == "https://example.com/ (its network did not come to rest)"


async def test_history_is_asked_for_leave(
    door: OpenDoor, monkeypatch: pytest.MonkeyPatch, chrome: ScriptedChrome
) -> None:
    """Going back to a page that may not be visited is refused like going there."""
    sent = await arrive(door, monkeypatch, Arrival("https://example.com/next", "", 200))
    assert (await door.refusal("back")).startswith("POLICY_DENIED: going to evil.example")
    assert await door.text("forward") == "https://example.com/next"
    assert sent == ["https://example.com/next load"]


async def test_no_further(
    door: OpenDoor, monkeypatch: pytest.MonkeyPatch, chrome: ScriptedChrome
) -> None:
    """At the end of the history there is nowhere to go, and nothing is touched."""
    only = {"currentIndex": 0, "entries": [entry(0, "https://example.com/")]}
    chrome.answers["Page.getNavigationHistory"] = lambda _: only
    sent = await arrive(door, monkeypatch, Arrival("", "", 0))
    assert "no page ahead of this one" in await door.refusal("forward")
    assert "no page behind this one" in await door.refusal("back")
    assert sent == []
