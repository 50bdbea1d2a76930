"""The gate before pop-ups in a shared browser, one that is played by hand."""

from typing import Any

import pytest
import trio
from trio.testing import MockClock

from bridge.errors import UsageError
from bridge.gate.fetch import Gate
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Policy
from tests.bridge.gate.test_fetch import POLICY, open_guarded, pause, verdicts
from tests.support.scripted_chrome import ScriptedChrome, settle

A, B, C = "A" * 32, "B" * 32, "C" * 32
GOOD, EVIL = "http://a.good.test/", "http://evil.test/"


async def own(chrome: ScriptedChrome, browser: Any) -> None:
    """Have a tab of ours that shows an allowed page."""
    chrome.answers["Fetch.disable"] = lambda asked: {}
    chrome.say_page(A, GOOD)
    await settle()
    await browser.take_over(browser.list_tabs()[0].id)


def standing(chrome: ScriptedChrome) -> bool:
    """Whether the gate was last put up on the browser's own session."""
    last = [name for name in chrome.methods() if name in ("Fetch.enable", "Fetch.disable")]
    return last[-1:] == ["Fetch.enable"]


async def test_only_while_it_matters(autojump_clock: MockClock) -> None:
    """The browser's own session is listened to from before an act until a page may open nothing."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        assert not standing(chrome)
        async with gate.acting():
            assert standing(chrome)
            enabled = next(a for a in chrome.seen if a.method == "Fetch.enable" and not a.session)
            assert enabled.params["patterns"] == [{"urlPattern": "*", "resourceType": "Document"}]
        await trio.sleep(5.5)
        assert standing(chrome)
        async with gate.acting():
            pass
        await trio.sleep(5.5)
        assert standing(chrome)
        await trio.sleep(1)
        assert not standing(chrome)


async def test_an_act_that_failed(autojump_clock: MockClock) -> None:
    """After an act that failed the gate stands longer: the page may take the click late."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        with pytest.raises(UsageError):
            async with gate.acting():
                raise UsageError("BAD_ARGS", "no")
        await trio.sleep(30)
        assert standing(chrome)
        await trio.sleep(10)
        assert not standing(chrome)


async def test_after_one_that_did_not_come_to_it(autojump_clock: MockClock) -> None:
    """An act that ended before the gate stood does not keep it from standing for the next one."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        with trio.CancelScope() as taken_back:
            taken_back.cancel()
            async with gate.acting():
                pytest.fail("it was taken back")
        assert not standing(chrome)
        async with gate.acting():
            assert standing(chrome)
        await trio.sleep(40)
        assert not standing(chrome)


async def test_an_act_while_the_gate_is_taken_down(autojump_clock: MockClock) -> None:
    """It stands again before that act, after whatever was sent to take it down."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        async with gate.acting():
            pass
        chrome.hold.add("Fetch.disable")
        await trio.sleep(6.5)
        assert not standing(chrome)
        async with trio.open_nursery() as nursery:

            @nursery.start_soon
            async def act() -> None:
                async with gate.acting():
                    assert standing(chrome)

            await settle()
            assert not standing(chrome)
            chrome.fake.answer(chrome.held.pop())
        assert standing(chrome)


async def test_many_acts(autojump_clock: MockClock) -> None:
    """However many acts are just over, one task waits for the end of the last one's time."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        before = trio.lowlevel.current_statistics().tasks_living
        for _ in range(20):
            async with gate.acting():
                pass
            await trio.sleep(0.1)
        assert trio.lowlevel.current_statistics().tasks_living == before + 1
        await trio.sleep(5.7)
        assert standing(chrome)
        await trio.sleep(0.4)
        assert not standing(chrome)
        assert trio.lowlevel.current_statistics().tasks_living == before


async def test_an_act_that_lasts(autojump_clock: MockClock) -> None:
    """Another act's time that runs out meanwhile does not end the gate of one that goes on."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        async with gate.acting():
            async with gate.acting():
                pass
            await trio.sleep(20)
            assert standing(chrome)
        await trio.sleep(5.5)
        assert standing(chrome)
        await trio.sleep(1)
        assert not standing(chrome)


async def test_a_popup() -> None:
    """A pop-up's first request waits for its session's gate; a denied one fails at once."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        chrome.hold.add("Target.attachToTarget")
        async with gate.acting():
            chrome.say_page(B, "", openerId=A)
            chrome.say_page(C, "", openerId=A)
            pause(chrome, GOOD, frame=B)
            pause(chrome, EVIL, frame=C)
            await settle()
            assert verdicts(chrome) == [("failRequest", EVIL)]
            for asked in chrome.held:
                chrome.fake.answer(asked, {"sessionId": f"S-{asked.params['targetId']}"})
            await settle()
            assert verdicts(chrome) == [("continueRequest", GOOD), ("failRequest", EVIL)]
            order = [(a.session, a.method) for a in chrome.seen]
            passed = order.index(("", "Fetch.continueRequest"))
            assert order.index((f"S-{B}", "Fetch.enable")) < passed
            assert order.index((f"S-{B}", "Network.emulateNetworkConditionsByRule")) < passed


async def test_a_popup_that_cannot_be_guarded() -> None:
    """A pop-up whose session never comes asks for nothing."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        chrome.hold.add("Target.attachToTarget")
        async with gate.acting():
            chrome.say_page(B, "", openerId=A)
            pause(chrome, GOOD, frame=B)
            await settle()
            chrome.fake.refuse(chrome.held[0], -32000, "No target with given id found")
            await settle()
            assert verdicts(chrome) == [("failRequest", GOOD)]


async def test_a_slow_redirect(autojump_clock: MockClock) -> None:
    """The gate stays until a pop-up's first page is answered, however late it is sent elsewhere."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        async with gate.acting():
            chrome.say_page(B, "", openerId=A)
            pause(chrome, GOOD, frame=B)
        await trio.sleep(60)
        assert standing(chrome)
        pause(chrome, EVIL, frame=B)
        await trio.sleep(1)
        assert ("failRequest", EVIL) in verdicts(chrome)
        assert not standing(chrome)


async def test_what_is_not_ours() -> None:
    """What other people open or visit meanwhile goes on at once, wherever it leads."""
    gate = Gate(lambda: POLICY)
    async with open_guarded(gate, exclusive=False) as (chrome, browser):
        await own(chrome, browser)
        async with gate.acting():
            chrome.say_page(B, "")
            pause(chrome, EVIL, frame=B)
            pause(chrome, f"{EVIL}frame", frame=C)
            await settle()
            passed = [("continueRequest", EVIL), ("continueRequest", f"{EVIL}frame")]
            assert verdicts(chrome) == passed
        assert gate.refusals.total == 0


async def test_alone() -> None:
    """Alone in the browser an act changes nothing, nor where every host is allowed."""
    free = Policy.from_options(PolicyOptions(unsafe_all_domains=True))
    for policy, exclusive in ((POLICY, True), (free, False)):
        gate = Gate(lambda policy=policy: policy)  # type: ignore[misc]
        async with open_guarded(gate, exclusive=exclusive) as (chrome, _):
            before = len(chrome.seen)
            async with gate.acting():
                assert len(chrome.seen) == before
