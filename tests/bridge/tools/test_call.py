"""The door: what is asked before a tool runs, and what comes of failures."""

from collections.abc import AsyncIterator
from functools import partial

import pytest
import trio
import trio.testing
from trio.testing import MockClock

from bridge.errors import DeadlineExceeded, PageError, UsageError
from bridge.policy.options import PolicyOptions
from bridge.policy.rules import Effect
from bridge.tools import registry
from bridge.tools.answer import Question, Suspended
from bridge.tools.context import ToolContext
from bridge.tools.registry import tool
from bridge.tools.reply import Reply
from tests.bridge.tools.test_desk import A, B, C, creates
from tests.support.door import ANYTHING, Client, OpenDoor, open_door
from tests.support.scripted_chrome import ScriptedChrome, frame_of, open_scripted, settle

HERE = "https://example.com/"


@pytest.fixture
async def chrome() -> AsyncIterator[ScriptedChrome]:
    """A browser that opens three pages, if asked to."""
    async with open_scripted() as (chrome, browser):
        creates(chrome, A, B, C)
        chrome.browser = browser  # type: ignore[attr-defined]
        yield chrome


@pytest.fixture
async def door(chrome: ScriptedChrome) -> AsyncIterator[OpenDoor]:
    """Everything allowed."""
    async with open_door(chrome.browser) as opened:  # type: ignore[attr-defined]
        yield opened


@pytest.fixture(autouse=True)
def own_tools(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Tools that only say that they ran."""
    table: dict[str, registry.Tool] = {}
    monkeypatch.setattr(registry, "TOOLS", table)
    monkeypatch.setattr("bridge.tools.toolsets.TOOLS", table)
    ran: dict[str, list[str]] = {"ran": []}
    _declare_on_pages(ran["ran"])
    _declare_others()
    return ran


def _declare_on_pages(ran: list[str]) -> None:
    @tool(effect=Effect.READ)
    async def look(ctx: ToolContext) -> Reply:
        """Look at it."""
        ran.append("look")
        return Reply(page="what it says")

    @tool(effect=Effect.ACT)
    async def act(ctx: ToolContext, text: str = "") -> Reply:
        """Act on it."""
        ran.append(f"act {text} begins")
        await trio.testing.wait_all_tasks_blocked()
        ran.append(f"act {text} ends")
        return Reply(said="Done.")

    @tool(effect=Effect.NAVIGATE, destination="url")
    async def go(ctx: ToolContext, url: str) -> Reply:
        """Go there."""
        ran.append("go")
        return Reply(said="There.")


def _declare_others() -> None:
    @tool(effect=Effect.EVAL)
    async def script(ctx: ToolContext) -> Reply:
        """Run it."""
        return Reply(said="Ran.")

    @tool(effect=Effect.READ, during_dialog=True)
    async def answer(ctx: ToolContext) -> Reply:
        """Answer a dialog."""
        return Reply(said="Answered.")

    @tool(effect=Effect.LOCAL, tab=False)
    async def fail(ctx: ToolContext, how: str) -> Reply:
        """Fail."""
        if how == "page":
            raise PageError("NOT_ACTIONABLE", "it is covered", hint="Move it.")
        if how == "args":
            raise UsageError("BAD_ARGS", "it cannot be that")
        if how == "bug":
            raise ZeroDivisionError("secret words")
        if how.startswith("going"):
            raise DeadlineExceeded(
                "TIMEOUT", f"on its way to {how[6:]}, slowly", facts={"going": how[6:]}
            )
        if how == "slow":
            await trio.sleep_forever()
        await ctx.allow(Effect.READ, HERE)
        return Reply(said="Allowed.")


def show(chrome: ScriptedChrome, url: str, target: str = A) -> None:
    """The tab goes there."""
    frame = frame_of(target, url, f"L{url}")
    params = {"frame": frame, "type": "Navigation"}
    chrome.fake.event("Page.frameNavigated", params, f"S-{target}")


async def test_runs(door: OpenDoor) -> None:
    """A call runs its tool, and the page's words come in a fence."""
    answer = await door.call("look")
    assert answer.text.startswith("<page ")
    assert "what it says" in answer.text
    assert door.notes == [("look", "")]


async def test_arguments_that_do_not_fit(door: OpenDoor) -> None:
    """Who finds arguments wrong only at work says so, and the caller is told what there are."""
    told = await door.refusal("fail", how="args")
    assert told == "BAD_ARGS: it cannot be that\nArguments: how."


@pytest.mark.parametrize("name", ["lok", "browser_look"])
async def test_unknown_tool(door: OpenDoor, name: str) -> None:
    """A tool that does not exist is an answer that names the nearest, also by others' names."""
    told = await door.refusal(name)
    assert told.startswith(f"UNKNOWN_TOOL: there is no tool {name!r}\nDid you mean look?")
    assert door.notes == [(name, "UNKNOWN_TOOL")]


async def test_bad_arguments_touch_nothing(
    door: OpenDoor, chrome: ScriptedChrome, own_tools: dict[str, list[str]]
) -> None:
    """Arguments are read before anything is opened."""
    assert (await door.refusal("act", txt="x")).startswith("BAD_ARGS: there is no argument 'txt'")
    assert (own_tools["ran"], "Target.createTarget" in chrome.methods()) == ([], False)


async def test_denied_before_the_browser(chrome: ScriptedChrome) -> None:
    """An address that may not be visited is refused before a tab is opened for it."""
    async with open_door(chrome.browser, PolicyOptions()) as door:  # type: ignore[attr-defined]
        told = await door.refusal("go", url=HERE)
    assert told.startswith("POLICY_DENIED: going to example.com is not allowed")
    assert "--allow-domain example.com" in told
    assert "Target.createTarget" not in chrome.methods()


async def test_denied_where_the_page_is(
    chrome: ScriptedChrome, own_tools: dict[str, list[str]]
) -> None:
    """What a tool does is judged by the page it would do it to."""
    options = PolicyOptions(read_domain=("example.com",), enable_mutations=True)
    async with open_door(chrome.browser, options) as door:  # type: ignore[attr-defined]
        await door.desk.tab()
        show(chrome, HERE)
        await settle()
        assert "what it says" in await door.text("look")
        told = await door.refusal("act")
        assert "acting on example.com is not allowed, only reading it" in told
        assert own_tools["ran"] == ["look"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.com/a", "https://example.com/a"),
        ("https://evil.example/a", "an address the policy does not show"),
    ],
)
async def test_going_elsewhere(chrome: ScriptedChrome, url: str, shown: str) -> None:
    """Where a page is going is told as far as the policy lets it be told."""
    options = PolicyOptions(allow_domain=("example.com",))
    async with open_door(chrome.browser, options) as door:  # type: ignore[attr-defined]
        told = await door.refusal("fail", how=f"going {url}")
    assert told.splitlines()[0] == f"TIMEOUT: on its way to {shown}, slowly"


async def test_gone_elsewhere_meanwhile(chrome: ScriptedChrome) -> None:
    """Where a page moved to a forbidden address during the call, its words are withheld."""
    options = PolicyOptions(allow_domain=("example.com",), enable_mutations=True)
    async with open_door(chrome.browser, options) as door:  # type: ignore[attr-defined]
        await door.desk.tab()
        show(chrome, HERE)
        await settle()

        async with trio.open_nursery() as nursery:

            async def act() -> None:
                told = await door.refusal("act")
                assert told.startswith("POLICY_DENIED: the page is now at an address")

            nursery.start_soon(act)
            await trio.lowlevel.checkpoint()
            show(chrome, "https://evil.example/")


async def test_one_thing_after_the_other(door: OpenDoor, own_tools: dict[str, list[str]]) -> None:
    """Two acts on one tab take turns, in the order they came."""
    await door.desk.tab()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: door.call("act", text="1"))
        await trio.lowlevel.checkpoint()
        nursery.start_soon(lambda: door.call("act", text="2"))
    begun = [word.split()[2] for word in own_tools["ran"]]
    assert begun == ["begins", "ends", "begins", "ends"]


async def test_tabs_in_parallel(door: OpenDoor, own_tools: dict[str, list[str]]) -> None:
    """Acts on different tabs do not wait for each other."""
    first, second = await door.desk.tab(), await door.lifecycle.now.new_tab()
    async with trio.open_nursery() as nursery:
        for tab in (first, second):
            nursery.start_soon(partial(door.call, "act", tabId=tab.id, text="1"))
    begun = [word.split()[2] for word in own_tools["ran"]]
    assert begun == ["begins", "begins", "ends", "ends"]


async def test_dialog(door: OpenDoor, chrome: ScriptedChrome) -> None:
    """While a dialog is open only tools that are made for it run."""
    await door.desk.tab()
    opening = {
        "url": HERE,
        "frameId": A,
        "message": "Sure?",
        "type": "confirm",
        "hasBrowserHandler": False,
        "defaultPrompt": "",
    }
    chrome.fake.event("Page.javascriptDialogOpening", opening, f"S-{A}")
    await settle()
    told = await door.refusal("act")
    assert told.startswith("DIALOG_OPEN:")
    assert told.endswith('The dialog says: "Sure?"')
    assert await door.text("answer") == "Answered."


async def test_dialog_of_a_page_not_to_be_read(chrome: ScriptedChrome) -> None:
    """What a dialog says is withheld like everything else of its page."""
    options = PolicyOptions(allow_domain=("example.org",), enable_mutations=True)
    async with open_door(chrome.browser, options) as door:  # type: ignore[attr-defined]
        await door.desk.tab()
        show(chrome, HERE)
        opening = {
            "url": HERE,
            "frameId": A,
            "message": "Sure?",
            "type": "alert",
            "hasBrowserHandler": False,
        }
        chrome.fake.event("Page.javascriptDialogOpening", opening, f"S-{A}")
        await settle()
        told = await door.refusal("go", url="https://example.org/")
        assert told.startswith("DIALOG_OPEN:")
        assert "Sure" not in told


async def test_errors_are_answers(door: OpenDoor) -> None:
    """A failure is code, sentence and next step."""
    assert await door.refusal("fail", how="page") == "NOT_ACTIONABLE: it is covered\nMove it."


async def test_bugs_are_answers(door: OpenDoor, caplog: pytest.LogCaptureFixture) -> None:
    """A mistake of ours is an answer as well, without its words, and the next call works."""
    told = await door.refusal("fail", how="bug")
    assert told.startswith("INTERNAL: ZeroDivisionError in fail\n")
    assert "secret words" not in told
    assert await door.text("answer") == "Answered."


async def test_deadline(door: OpenDoor, autojump_clock: MockClock) -> None:
    """A tool that does not end is ended."""
    assert (await door.refusal("fail", how="slow")).startswith("TIMEOUT: fail took longer than 34")


async def test_rate(chrome: ScriptedChrome, autojump_clock: MockClock) -> None:
    """One call more than the owner allows in a minute does nothing, and is told when it may."""
    async with open_door(chrome.browser, ANYTHING, rate=2) as door:  # type: ignore[attr-defined]
        assert await door.text("answer") == "Answered."
        await trio.sleep(17.5)
        assert await door.text("go", url="https://example.org/")
        told = await door.refusal("go", url="https://example.org/")
        assert told == (
            "RATE_LIMITED: as many calls were made as the owner allows: 2 in 60 s (--rate-limit)\n"
            "Nothing was done. Call again in 43 s, or ask the user."
        )
        assert door.notes[-1] == ("go", "RATE_LIMITED")
        await trio.sleep(43)
        assert await door.text("answer") == "Answered."


async def test_rate_of_a_question(chrome: ScriptedChrome) -> None:
    """A call that comes again with what its user has answered counts once."""

    class Later(Client):
        async def ask(self, question: Question) -> str | None:
            if self.choice is None:
                raise Suspended(question)
            return await super().ask(question)

    async with open_door(chrome.browser, PolicyOptions(), rate=1) as door:  # type: ignore[attr-defined]
        with pytest.raises(Suspended):
            await door.call("go", by=Later(can_ask=True), url=HERE)
        answered = Later(can_ask=True, choice="act")
        assert (await door.call("go", by=answered, url=HERE)).text == "There."
        assert (await door.call("go", by=answered, url=HERE)).text.startswith("RATE_LIMITED")


async def test_thinking_is_no_work(chrome: ScriptedChrome, autojump_clock: MockClock) -> None:
    """What a user takes to answer is not counted against the call that has to ask."""

    class Thinking(Client):
        async def ask(self, question: Question) -> str | None:
            await trio.sleep(100)
            return await super().ask(question)

    async with open_door(chrome.browser, PolicyOptions()) as door:  # type: ignore[attr-defined]
        thinking = Thinking(choice="act", can_ask=True)
        assert (await door.call("fail", how="ask", by=thinking)).text == "Allowed."


@pytest.mark.parametrize(("effect", "ended"), [(Effect.EVAL, True), (Effect.READ, False)])
async def test_taken_back(
    door: OpenDoor, chrome: ScriptedChrome, autojump_clock: MockClock, effect: Effect, ended: bool
) -> None:
    """What a call has going in its page ends when it is taken back; a look has nothing going."""

    @tool(effect=effect)
    async def linger(ctx: ToolContext) -> Reply:
        """Take for ever."""
        await trio.sleep_forever()
        raise AssertionError

    await door.desk.tab()
    with trio.move_on_after(1) as taken_back:
        await door.call("linger")
    assert taken_back.cancelled_caught
    assert ("Page.stopLoading" in chrome.methods(f"S-{A}")) == ended
    assert door.notes == [("linger", "CANCELLED")]


async def test_suspended_calls_pass(chrome: ScriptedChrome) -> None:
    """A question that the client has to come back with leaves the door as it is."""

    class Later(Client):
        async def ask(self, question: Question) -> str | None:
            raise Suspended(question)

    async with open_door(chrome.browser, PolicyOptions()) as door:  # type: ignore[attr-defined]
        with pytest.raises(Suspended):
            await door.call("fail", how="ask", by=Later(can_ask=True))


async def test_expected(chrome: ScriptedChrome, door: OpenDoor) -> None:
    """The browser of a call that will need it is started early, where any host may be used."""
    for name in ("fail", "nonsense"):
        door.tools.expect(name)
    assert door.lifecycle.expected == 0
    door.tools.expect("look")
    assert door.lifecycle.expected == 1
    async with open_door(chrome.browser, PolicyOptions()) as closed:  # type: ignore[attr-defined]
        closed.tools.expect("look")
    assert closed.lifecycle.expected == 0


async def test_cards_follow_the_policy(chrome: ScriptedChrome) -> None:
    """What is switched off altogether is not on offer, unless the user can be asked."""
    async with open_door(chrome.browser, PolicyOptions()) as door:  # type: ignore[attr-defined]
        flat = [card.name for card in await door.tools.cards(can_ask=False)]
        asking = [card.name for card in await door.tools.cards(can_ask=True)]
    assert flat == ["look", "go", "answer", "fail"]
    assert asking == ["look", "act", "go", "answer", "fail"]


async def test_notes_come_once(door: OpenDoor) -> None:
    """What has to be said is said with the next answer, also a failed one, and then no more."""
    door.desk.notes.append("Note: something happened.")
    assert (await door.refusal("fail", how="page")).startswith("Note: something happened.\n")
    assert await door.text("answer") == "Answered."
