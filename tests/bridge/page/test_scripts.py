"""What Chrome says of a script, in words of the page: with a browser played by hand."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from bridge.browser.tab import Tab
from bridge.errors import BridgeError, ChromeError, DeadlineExceeded, PageError
from bridge.page import scripts
from bridge.page.frames import Frame
from bridge.page.quoting import quoted
from bridge.timeouts import Timeouts
from tests.support.fake_chrome import Asked
from tests.support.scripted_chrome import ScriptedChrome, open_scripted, settle, target_info

A, F = "A" * 32, "F" * 32
_FEW = Timeouts(evaluate=2.0, probe=1.0)


async def run(answer: Any, call: str = "evaluate") -> tuple[object, ScriptedChrome]:
    """What one script comes to when Chrome answers like this, and all that was asked."""
    async with open_scripted(timeouts=_FEW) as (chrome, browser):
        chrome.say_page(A, "https://a.example/")
        await settle()
        tab = await browser.take_over("taaaaaaaa")
        chrome.answers["Page.createIsolatedWorld"] = lambda _: {"executionContextId": 7}
        chrome.answers["Runtime.terminateExecution"] = lambda _: {}
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_reply, chrome, answer)
            result = await _outcome(tab, call)
            nursery.cancel_scope.cancel()
    return result, chrome


async def _reply(chrome: ScriptedChrome, answer: Any) -> None:
    async for asked in chrome.asked:
        _say(chrome, asked, answer)


def _say(chrome: ScriptedChrome, asked: Asked, answer: Any) -> None:
    match answer:
        case (int(code), str(message)):
            chrome.fake.refuse(asked, code, message)
        case dict():
            chrome.fake.answer(asked, answer)


async def _outcome(tab: Tab, call: str) -> object:
    try:
        return await (tab.evaluate("x") if call == "evaluate" else tab.scripts.isolated("x"))
    except BridgeError as error:
        return error


@pytest.mark.parametrize("call", ["evaluate", "isolated"])
@pytest.mark.parametrize(
    "message", ["Inspected target navigated or closed", "Execution context was destroyed."]
)
async def test_page_went_away(call: str, message: str) -> None:
    """A document that goes takes its script along: said once, and not tried again."""
    error, chrome = await run((-32000, message), call)
    assert isinstance(error, PageError)
    assert (error.code, error.facts) == ("EVAL_THREW", {"navigated": True})
    assert chrome.methods(f"S-{A}").count("Runtime.evaluate") == 1


async def test_world_went_away() -> None:
    """A world that is gone before anything ran is made anew, once."""
    error, chrome = await run((-32000, "Cannot find context with specified id"), "isolated")
    assert isinstance(error, PageError)
    assert chrome.methods(f"S-{A}").count("Runtime.evaluate") == 2
    assert chrome.methods(f"S-{A}").count("Page.createIsolatedWorld") == 2


async def test_process_is_not_ready() -> None:
    """A frame that came to a new process a moment ago is as good as gone, for this once."""
    error, _ = await run((-32000, "Agent needs to be enabled first"), "isolated")
    assert isinstance(error, PageError)
    assert (error.code, error.facts) == ("SELECTOR_NOT_FOUND", {"navigated": True})


@asynccontextmanager
async def open_foreign() -> AsyncIterator[tuple[ScriptedChrome, Tab, Frame]]:
    """A tab with a frame in a process of its own, whose world is being made."""
    async with open_scripted(timeouts=_FEW) as (chrome, browser):
        chrome.say_page(A, "https://a.example/")
        await settle()
        tab = await browser.take_over("taaaaaaaa")
        chrome.fake.event("Page.frameAttached", {"frameId": F, "parentFrameId": A}, f"S-{A}")
        info = target_info(F, type="iframe", parentFrameId=A)
        told = {"sessionId": f"S-{F}", "targetInfo": info, "waitingForDebugger": False}
        chrome.fake.event("Target.attachedToTarget", told, f"S-{A}")
        await settle()
        yield chrome, tab, tab.frames.get(F)


async def _outcome_below(tab: Tab, frame: Frame, result: list[object]) -> None:
    try:
        result.append(await tab.scripts.isolated("x", frame))
    except BridgeError as error:
        result.append(error.code)


@pytest.mark.parametrize(
    ("session", "code"), [(f"S-{F}", "SELECTOR_NOT_FOUND"), (f"S-{A}", "TARGET_GONE")]
)
async def test_frame_or_tab_went_away(session: str, code: str) -> None:
    """The end of a frame's process is the page's affair, that of the tab is not."""
    result: list[object] = []
    async with open_foreign() as (chrome, tab, frame), trio.open_nursery() as nursery:
        nursery.start_soon(_outcome_below, tab, frame, result)
        await chrome.asked.receive()
        chrome.fake.detached(session)
    assert result == [code]


async def test_frame_moves_between_world_and_script() -> None:
    """A script runs in the process its world was made in, or in a new world of the new process."""
    result: list[object] = []
    async with open_foreign() as (chrome, tab, frame), trio.open_nursery() as nursery:
        nursery.start_soon(_outcome_below, tab, frame, result)
        made = await chrome.asked.receive()
        chrome.fake.event("Page.frameAttached", {"frameId": F, "parentFrameId": A}, f"S-{A}")
        chrome.fake.answer(made, {"executionContextId": 7})
        ran = await chrome.asked.receive()
        assert (ran.method, ran.session) == ("Runtime.evaluate", f"S-{F}")
        chrome.fake.refuse(ran, -32000, "Cannot find context with specified id")
        again = await chrome.asked.receive()
        assert (again.method, again.session) == ("Page.createIsolatedWorld", f"S-{A}")
        chrome.fake.answer(again, {"executionContextId": 7})
        ran = await chrome.asked.receive()
        assert (ran.method, ran.session) == ("Runtime.evaluate", f"S-{A}")
        chrome.fake.answer(ran, {"result": {"type": "number", "value": 5}})
    assert result == [5]


async def test_chromes_own_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer of Chrome when its own timeout struck is our TIMEOUT."""
    monkeypatch.setattr(scripts, "_NEARLY", 0.0)
    error, _ = await run((-32603, "Internal error"))
    assert isinstance(error, DeadlineExceeded)
    assert error.facts["timeout"] == "evaluate"


async def test_value_that_throws() -> None:
    """The same answer long before that is of a value that cannot be taken."""
    error, _ = await run((-32603, "Internal error"))
    assert isinstance(error, PageError)
    assert "a part of it throws when it is read" in error.message


async def test_silence(autojump_clock: MockClock) -> None:
    """A script without an answer is a TIMEOUT, and what still runs in the page is ended."""
    error, chrome = await run(None)
    assert isinstance(error, DeadlineExceeded)
    assert chrome.methods(f"S-{A}")[-1] == "Runtime.terminateExecution"


async def test_anything_else_of_chrome() -> None:
    """A refusal that is not the page's fault stays what it is."""
    error, _ = await run((-32602, "Invalid parameters"))
    assert isinstance(error, ChromeError)
    assert error.code == "CDP_ERROR"


@pytest.mark.parametrize(
    ("thrown", "said"),
    [
        ({"type": "object", "subtype": "null", "value": None}, "null"),
        ({"type": "undefined"}, "undefined"),
        ({"type": "number", "unserializableValue": "NaN"}, "NaN"),
        ({"type": "string", "value": "two\nlines"}, "two"),
        ({"type": "string", "value": "\n"}, ""),
        ({"type": "boolean", "value": False}, "false"),
        ({"type": "object", "description": "Error: x\n  at y"}, "Error: x"),
        (None, "Uncaught"),
    ],
)
async def test_thrown(thrown: dict[str, Any] | None, said: str) -> None:
    """Whatever was thrown is shown as a console would."""
    details: dict[str, Any] = {
        "exceptionId": 1,
        "text": "Uncaught",
        "lineNumber": 3,
        "columnNumber": 4,
    }
    if thrown is not None:
        details["exception"] = thrown
    error, _ = await run({"result": {"type": "object"}, "exceptionDetails": details})
    assert isinstance(error, PageError)
    assert str(error) == f"the script threw: {quoted(said)}"
    assert (error.facts["line"], error.facts["column"]) == (3, 4)
