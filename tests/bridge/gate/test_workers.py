"""The gate before shared workers, in a browser that is played by hand."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from bridge.gate.fetch import Gate, socket_sources
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from tests.bridge.gate.test_fetch import POLICY, open_guarded
from tests.bridge.gate.test_popups import A, own
from tests.support.scripted_chrome import ScriptedChrome, frame_of, settle, target_info

SCRIPT = "http://a.good.test/w.js"


def say_worker(chrome: ScriptedChrome, target: str, url: str = SCRIPT) -> None:
    """Tell that a shared worker exists."""
    info = {**target_info(target, url), "type": "shared_worker"}
    chrome.fake.event("Target.targetCreated", {"targetInfo": info})


def ask_for(chrome: ScriptedChrome, url: str, **more: Any) -> None:
    """Tell of a request for a worker's script that waits on the page's session."""
    request = {
        "url": url,
        "method": "GET",
        "headers": {},
        "initialPriority": "High",
        "referrerPolicy": "origin",
    }
    params = {"requestId": url, "request": request, "frameId": A, "resourceType": "Other", **more}
    chrome.fake.event("Fetch.requestPaused", params, f"S-{A}")


async def test_the_script_waits() -> None:
    """A worker's script comes when the worker has the gate, and with its sockets tied."""
    async with open_guarded(Gate(lambda: POLICY), exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        chrome.answers["Fetch.continueResponse"] = lambda asked: {}
        chrome.hold.add("Target.attachToTarget")
        say_worker(chrome, "W")
        await settle()
        assert chrome.held == []
        ask_for(chrome, SCRIPT)
        await settle()
        assert "Fetch.continueRequest" not in chrome.methods(f"S-{A}")
        chrome.fake.answer(chrome.held[0], {"sessionId": "S-W"})
        await settle()
        assert {"Fetch.enable", "Network.emulateNetworkConditionsByRule"} <= {
            *chrome.methods("S-W")
        }
        [passed] = [a for a in chrome.seen if a.method == "Fetch.continueRequest"]
        assert passed.params["interceptResponse"] is True
        ask_for(chrome, SCRIPT, responseStatusCode=200, responseHeaders=[])
        await settle()
        [came] = [a for a in chrome.seen if a.method == "Fetch.continueResponse"]
        headers: Any = came.params["responseHeaders"]
        [header] = headers
        assert header["name"] == "Content-Security-Policy"
        assert "ws://*.good.test:*" in header["value"]


@pytest.mark.parametrize("unanswered", ["Target.attachToTarget", "Fetch.enable"])
@pytest.mark.parametrize("gone", [False, True])
async def test_a_worker_that_cannot_be_taken(
    unanswered: str, gone: bool, autojump_clock: MockClock
) -> None:
    """Where a worker does not get the gate its script is refused, unless it has gone itself."""
    async with open_guarded(Gate(lambda: POLICY), exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        chrome.answers["Target.attachToTarget"] = lambda asked: {"sessionId": "S-W"}
        chrome.hold.add(unanswered)
        say_worker(chrome, "W")
        ask_for(chrome, SCRIPT)
        await settle()
        assert {each.method for each in chrome.held} == {unanswered}
        if gone:
            chrome.fake.event("Target.targetDestroyed", {"targetId": "W"})
        await trio.sleep(browser.connection.timeouts.command + 10)
        let = chrome.methods(f"S-{A}")
        assert ("Fetch.continueRequest" in let) is gone
        assert ("Fetch.failRequest" in let) is not gone


async def test_a_worker_of_others() -> None:
    """A worker no page of ours has asked for is left alone, and counted for status."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        said = len(gate.missing)
        say_worker(chrome, "W", "http://other.test/w.js")
        ask_for(chrome, "http://a.good.test/favicon.ico")
        await settle()
        assert chrome.methods("S-W") == []
        assert gate.missing[said:] == ("shared workers that others have started (1)",)
        chrome.fake.event("Target.targetDestroyed", {"targetId": "W"})
        await settle()
        assert len(gate.missing) == said


async def test_a_worker_that_is_not_fetched() -> None:
    """A worker of a blob is taken where a page of ours shows its origin, one of data anywhere."""
    async with open_guarded(Gate(lambda: POLICY), exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        moved = {"frame": frame_of(A, "http://a.good.test/x", "L2"), "type": "Navigation"}
        chrome.fake.event("Page.frameNavigated", moved, f"S-{A}")
        say_worker(chrome, "W1", "blob:http://a.good.test/0a")
        say_worker(chrome, "W2", "blob:http://other.test/0a")
        say_worker(chrome, "W3", "data:text/javascript,0")
        await settle()
        assert "Fetch.enable" in chrome.methods("S-W1")
        assert chrome.methods("S-W2") == []
        assert "Fetch.enable" in chrome.methods("S-W3")


def test_sources() -> None:
    """Sockets may reach what may be visited, but nothing beside what never may."""
    options = PolicyOptions(allow_domain=("a.test:81", "*.b.test", "c.test"))
    said = socket_sources(Policy.from_options(options))
    for source in ("ws://a.test:81", "wss://b.test:*", "ws://*.b.test:*", "wss://c.test:*"):
        assert source in said.split()
    assert "ws:" not in said.split()
