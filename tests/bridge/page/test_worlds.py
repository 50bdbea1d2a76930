"""Calls into our library, with a browser played by hand."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from bridge.browser.tab import Tab
from bridge.errors import DeadlineExceeded, PageError, UsageError
from bridge.page.worlds import Handle
from bridge.timeouts import Timeouts
from tests.support.fake_chrome import Asked
from tests.support.scripted_chrome import ScriptedChrome, frame_of, open_scripted, settle

A = "A" * 32
SESSION = f"S-{A}"


class Page:
    """A tab whose library calls the test answers."""

    def __init__(self, chrome: ScriptedChrome, tab: Tab) -> None:
        self.chrome = chrome
        self.tab = tab
        self.calls: list[list[Any]] = []
        self.answer: Any = [5, "value"]
        chrome.answers["Page.createIsolatedWorld"] = lambda _: {"executionContextId": 7}
        chrome.answers["Runtime.evaluate"] = lambda _: _object("library")
        chrome.answers["Runtime.callFunctionOn"] = self._called
        chrome.answers["Runtime.terminateExecution"] = lambda _: {}

    def _called(self, asked: Asked) -> dict[str, Any]:
        arguments: Any = asked.params.get("arguments", [])
        self.calls.append([argument.get("value", argument) for argument in arguments])
        if not asked.params["returnByValue"]:
            return _object("element")
        return {"result": {"type": "object", "value": self.answer}}

    async def navigate(self, loader: str) -> None:
        """Another document comes."""
        frame = frame_of(A, f"https://a.example/{loader}", loader)
        told = {"frame": frame, "type": "Navigation"}
        self.chrome.fake.event("Page.frameNavigated", told, SESSION)
        await settle()


def _object(name: str) -> dict[str, Any]:
    return {"result": {"type": "object", "objectId": name}}


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    """One tab."""
    async with open_scripted(timeouts=Timeouts(read=2.0)) as (chrome, browser):
        chrome.say_page(A, "https://a.example/")
        await settle()
        yield Page(chrome, await browser.take_over("taaaaaaaa"))


async def test_once_per_document(page: Page) -> None:
    """A document gets the library at its first call, and one round trip for each from then on."""
    worlds, main = page.tab.worlds, page.tab.frames.main
    assert await worlds.call(main, "look", "a", {"b": 1}) == "value"
    assert await worlds.call(main, "look") == "value"
    assert page.chrome.methods(SESSION).count("Runtime.evaluate") == 1
    await page.navigate("L2")
    await worlds.call(main, "look")
    assert page.chrome.methods(SESSION).count("Runtime.evaluate") == 2


async def test_two_at_once(page: Page) -> None:
    """Two who come at the same time share one library, and nobody who waits is rehearsed for."""
    worlds, main = page.tab.worlds, page.tab.frames.main
    page.chrome.hold.add("Runtime.evaluate")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(worlds.warm, main)
        await settle()
        nursery.start_soon(worlds.call, main, "look")
        await settle()
        [asked] = page.chrome.held
        page.chrome.fake.answer(asked, _object("library"))
    assert [call[0] for call in page.calls] == ["look"]


async def test_first_one_gives_up(page: Page) -> None:
    """Whoever waited for the library that another was bringing brings it in the other's place."""
    worlds, main = page.tab.worlds, page.tab.frames.main
    page.chrome.hold.add("Runtime.evaluate")
    first = trio.CancelScope()

    async def give_up() -> None:
        with first:
            await worlds.call(main, "one")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(give_up)
        await settle()
        nursery.start_soon(worlds.call, main, "two")
        await settle()
        first.cancel()
        await settle()
        page.chrome.fake.answer(page.chrome.held[-1], _object("library"))
    assert len(page.chrome.held) == 2
    assert [call[0] for call in page.calls] == ["two"]


async def test_document_whose_name_comes_late(page: Page) -> None:
    """What was made before Chrome had said which document it is in stays: refs live in there."""
    worlds, main = page.tab.worlds, page.tab.frames.main
    known, main.loader = main.loader, ""
    await worlds.call(main, "look")
    main.loader = known
    await worlds.call(main, "look")
    assert page.chrome.methods(SESSION).count("Runtime.evaluate") == 1
    await page.navigate("L2")
    await worlds.call(main, "look")
    assert page.chrome.methods(SESSION).count("Runtime.evaluate") == 2


async def test_numbers_go_on(page: Page) -> None:
    """The next document is told which refs were given out before it, so none comes twice."""
    worlds, main = page.tab.worlds, page.tab.frames.main
    await worlds.call(main, "look", "x")
    await page.navigate("L2")
    page.answer = [3, None]  # an answer that was on its way for long
    await worlds.call(main, "look")
    await worlds.call(main, "look")
    assert page.calls == [["look", 1, "", "x"], ["look", 5, ""], ["look", 5, ""]]


async def test_numbers_of_another_tab(page: Page) -> None:
    """Another tab goes on where this one stopped, for its frames as well."""
    page.chrome.say_page("B" * 32)
    await settle()
    browser = page.tab._browser
    other = await browser.take_over("tbbbbbbbb")
    await page.tab.worlds.call(page.tab.frames.main, "look")
    page.answer = [9, None]
    await other.worlds.call(other.frames.main, "look")
    await page.tab.worlds.call(page.tab.frames.main, "look")
    assert [call[1] for call in page.calls] == [1, 5, 9]
    for session, frame, parent in ((SESSION, "C", A), (f"S-{'B' * 32}", "D", "B" * 32)):
        told = {"frameId": frame, "parentFrameId": parent}
        page.chrome.fake.event("Page.frameAttached", told, session)
    await settle()
    assert page.tab.worlds.prefix(page.tab.frames.get("C")) == "f1"
    assert other.worlds.prefix(other.frames.get("D")) == "f2"
    assert other.worlds.frame("f1") is None
    assert other.worlds.elsewhere(1, 1) == other.worlds.elsewhere(0, 4) == "taaaaaaaa"
    assert other.worlds.elsewhere(2, 1) == other.worlds.elsewhere(0, 5) == ""


async def test_failures_are_ours(page: Page) -> None:
    """What the library refuses has its code and facts."""
    page.answer = [5, None, "REF_EXPIRED", "it is gone", {"near": "e3"}]
    with pytest.raises(UsageError) as refused:
        await page.tab.worlds.call(page.tab.frames.main, "look")
    assert (refused.value.code, refused.value.facts) == ("REF_EXPIRED", {"near": "e3"})


async def test_handles(page: Page) -> None:
    """An object that stays in the page can be an argument of the next call."""
    worlds, main = page.tab.worlds, page.tab.frames.main
    held = await worlds.hold(main, "element", {"ref": 1})
    assert held == Handle("element")  # type: ignore[arg-type]
    await worlds.call(main, "look", held)
    assert page.calls[-1] == ["look", 1, "", {"objectId": "element"}]


async def test_document_went_before(page: Page) -> None:
    """What never ran is called on the next document, once."""
    worlds, main = page.tab.worlds, page.tab.frames.main
    await worlds.call(main, "look")
    refusals = iter(["Cannot find context with specified id"])
    answer = page.chrome.answers["Runtime.callFunctionOn"]

    def refuse_first(asked: Asked) -> Any:
        message = next(refusals, None)
        if message is not None:
            return page.chrome.fake.refuse(asked, -32000, message)
        return answer(asked)

    page.chrome.answers["Runtime.callFunctionOn"] = refuse_first
    assert await worlds.call(main, "look") == "value"
    refusals = iter(["Cannot find context", "Cannot find context"])
    with pytest.raises(PageError) as gone:
        await worlds.call(main, "look")
    assert gone.value.facts["navigated"]


async def test_busy_page(page: Page, autojump_clock: MockClock) -> None:
    """A call that a script of the page holds up ends in time, and the script with it."""
    page.chrome.hold.add("Runtime.callFunctionOn")
    with pytest.raises(DeadlineExceeded) as late:
        await page.tab.worlds.call(page.tab.frames.main, "look")
    assert late.value.facts["timeout"] == "read"
    assert page.chrome.methods(SESSION)[-1] == "Runtime.terminateExecution"


async def test_busy_page_that_another_waits_for(page: Page, autojump_clock: MockClock) -> None:
    """Whoever waits for the library that another is bringing waits no longer than alone."""
    worlds, main = page.tab.worlds, page.tab.frames.main
    page.chrome.hold.add("Runtime.evaluate")

    async def bring() -> None:
        with pytest.raises(DeadlineExceeded):
            await worlds.warm(main)

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bring)
        await wait_all_tasks_blocked()
        with pytest.raises(DeadlineExceeded):
            await worlds.call(main, "look")
    assert trio.current_time() - began < 2.5
    assert page.chrome.methods(SESSION)[-1] == "Runtime.terminateExecution"


async def test_frames_by_number(page: Page) -> None:
    """Refs of the main frame have no prefix; a frame keeps its own as long as it is there."""
    worlds, frames = page.tab.worlds, page.tab.frames
    for name in ("B", "C"):
        told = {"frameId": name, "parentFrameId": A}
        page.chrome.fake.event("Page.frameAttached", told, SESSION)
    await settle()
    first, second = frames.get("B"), frames.get("C")
    assert [worlds.prefix(f) for f in (frames.main, second, first, second)] == [
        "",
        "f1",
        "f2",
        "f1",
    ]
    assert worlds.frame("f1") is second
    assert worlds.frame("") is frames.main
    page.chrome.fake.event("Page.frameDetached", {"frameId": "C", "reason": "remove"}, SESSION)
    await settle()
    assert worlds.frame("f1") is None
    assert worlds.frame("f9") is None


async def test_frames_that_come_back(page: Page) -> None:
    """A frame that comes back has its number still, unless a great many have come since."""
    worlds, frames = page.tab.worlds, page.tab.frames

    async def come_and_go(*names: str) -> list[str]:
        for name in names:
            told = {"frameId": name, "parentFrameId": A}
            page.chrome.fake.event("Page.frameAttached", told, SESSION)
        await settle()
        prefixes = [worlds.prefix(frames.get(name)) for name in names]
        for name in names:
            told = {"frameId": name, "reason": "remove"}
            page.chrome.fake.event("Page.frameDetached", told, SESSION)
        await settle()
        return prefixes

    assert await come_and_go("B") == ["f1"]
    await come_and_go(*(f"C{number}" for number in range(900)))
    assert await come_and_go("B") == ["f1"]
    await come_and_go(*(f"D{number}" for number in range(900)))
    assert await come_and_go("E") == ["f1802"]
    assert await come_and_go("D899", "B") == ["f1801", "f1803"]
