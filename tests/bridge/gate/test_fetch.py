"""The gate over CDP, before a browser that is played by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from trio.testing import MockClock

from bridge.browser.browser import Browser, open_tabs
from bridge.errors import ChromeError
from bridge.gate.fetch import Gate, socket_rules
from bridge.gate.refusals import Refusal
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Level, Policy
from bridge.scope import open_scope
from bridge.session.connection import open_connection
from tests.support.fake_chrome import Asked
from tests.support.scripted_chrome import ScriptedChrome, settle

A = "A" * 32
POLICY = Policy.from_options(PolicyOptions(allow_domain=("*.good.test",)))


@asynccontextmanager
async def open_guarded(
    gate: Gate, *, exclusive: bool
) -> AsyncIterator[tuple[ScriptedChrome, Browser]]:
    """A browser with this gate in it."""
    chrome = ScriptedChrome()
    for method in (
        *("Fetch.enable", "Fetch.continueRequest", "Fetch.failRequest", "Network.enable"),
        "Network.setBypassServiceWorker",
    ):
        chrome.answers[method] = lambda asked: {}
    chrome.answers["Network.emulateNetworkConditionsByRule"] = lambda asked: {"ruleIds": []}
    async with open_scope() as nursery:
        nursery.start_soon(chrome.play)
        async with (
            open_connection(chrome.fake) as connection,
            open_tabs(connection, exclusive=exclusive, prepare=gate.prepare) as browser,
        ):
            yield chrome, browser


def pause(chrome: ScriptedChrome, url: str, *, session: str = "", frame: str = A) -> None:
    """Tell of a request that waits."""
    params = {
        "requestId": url,
        "request": {
            "url": url,
            "method": "GET",
            "headers": {},
            "initialPriority": "High",
            "referrerPolicy": "origin",
        },
        "frameId": frame,
        "resourceType": "Image",
    }
    chrome.fake.event("Fetch.requestPaused", params, session)


def verdicts(chrome: ScriptedChrome, session: str = "") -> list[tuple[str, Any]]:
    """What was answered to waiting requests."""
    answers = ("Fetch.continueRequest", "Fetch.failRequest")
    return sorted(
        (asked.method.removeprefix("Fetch."), asked.params["requestId"])
        for asked in chrome.seen
        if asked.session == session and asked.method in answers
    )


def rules(chrome: ScriptedChrome) -> list[Asked]:
    return [a for a in chrome.seen if a.method == "Network.emulateNetworkConditionsByRule"]


async def test_alone() -> None:
    """Alone, the gate stands before any page is there, on the browser itself."""
    async with open_guarded(Gate(lambda: POLICY, proxied=True), exclusive=True) as (chrome, _):
        chrome.attach_page(A)
        await settle()
        assert "Fetch.enable" in chrome.methods()
        assert "Fetch.enable" not in chrome.methods(f"S-{A}")
        assert rules(chrome) == []
        pause(chrome, "http://a.good.test/")
        pause(chrome, "http://evil.test/")
        pause(chrome, "file:///etc/passwd")
        pause(chrome, "data:,x")
        await settle()
        assert verdicts(chrome) == [
            ("continueRequest", "data:,x"),
            ("continueRequest", "http://a.good.test/"),
            ("failRequest", "file:///etc/passwd"),
            ("failRequest", "http://evil.test/"),
        ]
        refused = next(a for a in chrome.seen if a.method == "Fetch.failRequest")
        assert refused.params["errorReason"] == "BlockedByClient"


async def test_a_browser_that_refuses_the_gate() -> None:
    """A browser in which the gate cannot stand is not used."""
    gate = Gate(lambda: POLICY)
    chrome = ScriptedChrome()

    def refuse(asked: Asked) -> dict[str, Any]:
        chrome.fake.refuse(asked, -32601, "'Fetch.enable' wasn't found")
        return {}

    chrome.answers["Fetch.enable"] = refuse
    async with open_scope() as nursery:
        nursery.start_soon(chrome.play)
        async with open_connection(chrome.fake) as connection:
            with pytest.raises(ChromeError, match=r"Fetch\.enable"):
                async with open_tabs(connection, exclusive=True, prepare=gate.prepare):
                    raise AssertionError("a browser without a gate")


async def test_shared() -> None:
    """In a shared browser the gate stands on each session of ours, before a page runs."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        chrome.say_page(A, "https://a.good.test/")
        await settle()
        assert "Fetch.enable" not in chrome.methods()
        await browser.take_over(browser.list_tabs()[0].id)
        methods = chrome.methods(f"S-{A}")
        assert methods.index("Fetch.enable") < methods.index("Page.getFrameTree")
        pause(chrome, "http://evil.test/", session=f"S-{A}")
        await settle()
        assert verdicts(chrome, f"S-{A}") == [("failRequest", "http://evil.test/")]
        assert len(gate.missing) == 6
        assert any("service worker asks for when no tab" in each for each in gate.missing)


async def test_a_tab_that_closes(autojump_clock: MockClock) -> None:
    """Before its tab is closed, a page is kept from asking for what is not allowed; nobody else."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        chrome.answers["Network.setBlockedURLs"] = lambda asked: {}
        chrome.say_page(A, "https://a.good.test/")
        await settle()
        tab = await browser.take_over(browser.list_tabs()[0].id)
        assert "Network.setBlockedURLs" not in chrome.methods(f"S-{A}")

        def close(asked: Asked) -> dict[str, Any]:
            chrome.fake.event("Target.targetDestroyed", {"targetId": A})
            return {"success": True}

        chrome.answers["Target.closeTarget"] = close
        await tab.close()
        told = [a for a in chrome.seen if a.method == "Network.setBlockedURLs"]
        [patterns] = [a.params["urlPatterns"] for a in told]
        assert patterns == [
            {"urlPattern": "http://{*.}?good.test:*/*", "block": False},
            {"urlPattern": "https://{*.}?good.test:*/*", "block": False},
            {"urlPattern": "http://*:*/*", "block": True},
            {"urlPattern": "https://*:*/*", "block": True},
        ]
        order = [a.method for a in chrome.seen]
        assert order.index("Network.setBlockedURLs") < order.index("Target.closeTarget")


async def test_workers_too() -> None:
    """A worker is given the gate and let go in one breath, also one that refuses it."""
    async with open_guarded(Gate(lambda: POLICY), exclusive=False) as (chrome, browser):
        chrome.say_page(A, "https://a.good.test/")
        await settle()
        await browser.take_over(browser.list_tabs()[0].id)
        worker = {"targetId": "W", "type": "worker", "title": "", "url": "", "attached": True}
        params = {
            "sessionId": "S-W",
            "targetInfo": {**worker, "canAccessOpener": False},
            "waitingForDebugger": True,
        }
        chrome.fake.event("Target.attachedToTarget", params, f"S-{A}")
        await settle()
        assert chrome.methods("S-W") == [
            "Fetch.enable",
            "Network.enable",
            "Network.emulateNetworkConditionsByRule",
            "Runtime.runIfWaitingForDebugger",
        ]


@pytest.mark.parametrize("exclusive", [True, False])
async def test_nothing_to_guard(exclusive: bool) -> None:
    """Where every host is allowed, the gate sends nothing at all."""
    policy = Policy.from_options(PolicyOptions(unsafe_all_domains=True))
    async with open_guarded(Gate(lambda: policy), exclusive=exclusive) as (chrome, browser):
        if exclusive:
            chrome.attach_page(A)
        else:
            chrome.say_page(A, "https://a.test/")
            await settle()
            await browser.take_over(browser.list_tabs()[0].id)
        await settle()
        sent = {asked.method for asked in chrome.seen}
        assert not any(method.startswith(("Fetch.", "Network.")) for method in sent)


async def test_whose_it_was() -> None:
    """A refusal is kept for the tab it happened in, and for a tab that is only coming."""
    gate = Gate(lambda: POLICY, proxied=True)
    async with open_guarded(gate, exclusive=True) as (chrome, _):
        chrome.attach_page(A)
        await settle()
        pause(chrome, "http://evil.test/1")
        pause(chrome, "http://evil.test/2")
        pause(chrome, "http://other.test:81/", frame="B" * 32)
        pause(chrome, "ftp://evil.test/", frame="C" * 32)
        await settle()
        assert gate.refusals.take("C" * 32) == (Refusal("ftp:", "Image", 1),)
        assert gate.refusals.take(A) == (
            Refusal("evil.test", "Image", 2, "--allow-domain evil.test"),
        )
        assert gate.refusals.take("B" * 32) == (
            Refusal("other.test:81", "Image", 1, "--allow-domain other.test:81"),
        )


async def test_a_grant_while_it_runs() -> None:
    """What the user allows meanwhile passes from the next request on, for sockets as well."""
    policy = POLICY
    async with open_guarded(Gate(lambda: policy), exclusive=True) as (chrome, _):
        chrome.attach_page(A)
        await settle()
        assert len(rules(chrome)) == 1
        policy = policy.with_grant("evil.test", Level.READ)
        pause(chrome, "http://evil.test/")
        await settle()
        assert verdicts(chrome) == [("continueRequest", "http://evil.test/")]
        assert "ws://evil.test:*/*" in str(rules(chrome)[-1].params)
        assert len(rules(chrome)) == 2


async def test_a_request_that_is_gone() -> None:
    """A request whose page went first costs nothing."""
    async with open_guarded(Gate(lambda: POLICY), exclusive=True) as (chrome, browser):

        def refuse(asked: Asked) -> dict[str, Any]:
            chrome.fake.refuse(asked, -32602, "Invalid InterceptionId.")
            return {}

        chrome.answers["Fetch.continueRequest"] = refuse
        pause(chrome, "http://a.good.test/")
        await settle()
        assert browser.connection.end is None


def test_rules_for_sockets() -> None:
    """Sockets reach what is allowed, to the port; what is ruled out comes first, all else last."""
    policy = Policy.from_options(
        PolicyOptions(allow_domain=("*.good.test", "a.test:80", "[::1]:9")),
        file='never = ["bad.good.test"]',
    )
    params = socket_rules(policy).params
    assert params is not None
    sent = [(c.url_pattern, c.offline) for c in params.matched_network_conditions]  # type: ignore[attr-defined]
    assert sent == [
        ("ws://bad.good.test:*/*", True),
        ("wss://bad.good.test:*/*", True),
        ("ws://bad.good.test.:*/*", True),
        ("wss://bad.good.test.:*/*", True),
        ("ws://{*.}?good.test:*/*", False),
        ("wss://{*.}?good.test:*/*", False),
        ("ws://a.test/*", False),
        ("wss://a.test:80/*", False),
        ("ws://[\\:\\:1]:9/*", False),
        ("wss://[\\:\\:1]:9/*", False),
        ("http{s}?://*:*/*", False),
        ("", True),
    ]
