"""Calls that nobody will answer any more fail at once, the right ones, with the right reason."""

import gc
import weakref
from collections.abc import Callable, Iterator
from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from bridge import cdp
from bridge.cdp.base import Command, Object
from bridge.errors import BridgeError, ChromeError, PageError
from bridge.session.connection import Connection, open_connection
from bridge.session.session import Session
from tests.support.calling import Calling, call_in
from tests.support.fake_chrome import FakeChrome

NAVIGATE = cdp.page.navigate("https://example.com/")
EVALUATE = cdp.runtime.evaluate("1")
VALUE = {"result": {"type": "undefined"}}
FAMILY = ("root", "parent", "child", "sibling")


@pytest.fixture
async def family(chrome: FakeChrome, connection: Connection) -> dict[str, Session]:
    """The browser, a page with a child, and another page."""
    chrome.attached("parent")
    chrome.attached("child", parent="parent")
    chrome.attached("sibling")
    await wait_all_tasks_blocked()
    sessions = {name: connection.session(name) for name in FAMILY[1:]}
    return {"root": connection.root, **{k: s for k, s in sessions.items() if s is not None}}


Pending = dict[str, Calling[cdp.runtime.EvaluateResult]]


async def call_everywhere(nursery: trio.Nursery, family: dict[str, Session]) -> Pending:
    """One call under way in each session."""
    pending = {
        name: call_in(nursery, partial(session.execute, EVALUATE))
        for name, session in family.items()
    }
    await wait_all_tasks_blocked()
    return pending


def ended(pending: Pending) -> list[str]:
    return [name for name, calling in pending.items() if calling.ended]


async def told_unknown(calling: Calling[cdp.runtime.EvaluateResult], code: str) -> BridgeError:
    """The error of a call that was under way."""
    error = await calling.error()
    assert error.code == code
    assert error.facts == {"method": "Runtime.evaluate", "outcome": "unknown"}
    assert not error.retryable
    return error


@pytest.mark.parametrize(
    ("reason", "code"),
    [("", "TARGET_GONE"), ("target_closed", "TARGET_GONE"), ("canceled_by_user", "DETACHED")],
)
async def test_detach(
    chrome: FakeChrome,
    connection: Connection,
    family: dict[str, Session],
    autojump_clock: MockClock,
    reason: str,
    code: str,
) -> None:
    """A detached session fails its calls and its children's, by the reason Chrome gave."""
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        pending = await call_everywhere(nursery, family)
        if reason:
            chrome.event("Inspector.detached", {"reason": reason}, "parent")
        chrome.detached("parent")
        await wait_all_tasks_blocked()
        assert ended(pending) == ["parent", "child"]
        assert trio.current_time() == begun
        for name in ("parent", "child"):
            await told_unknown(pending[name], code)
        for command in chrome.asked_nowait():
            chrome.answer(command, VALUE)
        for name in ("root", "sibling"):
            await pending[name].result()
    assert connection.session("parent") is connection.session("child") is None
    assert connection.statistics().sessions == 2
    assert list(connection.root.children) == [family["sibling"]]


async def test_detach_of_child(chrome: FakeChrome, family: dict[str, Session]) -> None:
    """A child that is detached leaves its parent alone."""
    async with trio.open_nursery() as nursery:
        pending = await call_everywhere(nursery, family)
        chrome.detached("child", parent="parent")
        await wait_all_tasks_blocked()
        assert ended(pending) == ["child"]
        assert list(family["parent"].children) == []
        nursery.cancel_scope.cancel()


async def test_detached_refuses(
    chrome: FakeChrome, connection: Connection, family: dict[str, Session]
) -> None:
    """A session that is over refuses new calls at once, without sending or leaving anything."""
    chrome.detached("parent")
    await wait_all_tasks_blocked()
    for name in ("parent", "child"):
        with pytest.raises(ChromeError) as caught:
            await family[name].execute(EVALUATE)
        assert (caught.value.code, caught.value.facts) == ("TARGET_GONE", {})
    assert chrome.asked_nowait() == []
    assert connection.statistics().pending == 0


async def test_attach_below_the_end(
    chrome: FakeChrome, connection: Connection, family: dict[str, Session]
) -> None:
    """A session begun below one that is over is over too: calls and waits do not hang in it."""
    chrome.detached("parent")
    await wait_all_tasks_blocked()
    late = family["parent"].attach("late")
    with late.events(cdp.page.LoadEventFired) as loads:
        for act in (partial(late.execute, EVALUATE), loads.receive):
            with pytest.raises(ChromeError) as caught:
                await act()
            assert caught.value.code == "TARGET_GONE"
    assert connection.session("late") is None
    assert chrome.asked_nowait() == []


async def test_detach_of_nobody(chrome: FakeChrome, family: dict[str, Session]) -> None:
    """The end of a session we never had, or have seen end, means nothing."""
    chrome.detached("unknown")
    chrome.detached("sibling")
    chrome.detached("sibling")
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(family["parent"].execute, EVALUATE))
        chrome.answer(await chrome.asked(), VALUE)
        await calling.result()


def crash(chrome: FakeChrome, session: str = "parent") -> None:
    chrome.event("Inspector.targetCrashed", session=session)


async def test_crash(
    chrome: FakeChrome, family: dict[str, Session], autojump_clock: MockClock
) -> None:
    """A crash fails what is under way in that session, at once, and nothing else."""
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        pending = await call_everywhere(nursery, family)
        crash(chrome)
        await wait_all_tasks_blocked()
        assert ended(pending) == ["parent"]
        assert trio.current_time() == begun
        await told_unknown(pending["parent"], "PAGE_CRASHED")
        nursery.cancel_scope.cancel()


async def test_crashed_refuses(chrome: FakeChrome, family: dict[str, Session]) -> None:
    """A crashed session refuses at once what its dead renderer would never answer."""
    crash(chrome)
    await wait_all_tasks_blocked()
    page = family["parent"]
    for act in (
        partial(page.execute, EVALUATE),
        partial(page.execute_all, NAVIGATE, EVALUATE),
    ):
        with pytest.raises(PageError) as caught:
            await act()
        assert (caught.value.code, caught.value.facts) == ("PAGE_CRASHED", {})
    assert chrome.asked_nowait() == []


@pytest.mark.parametrize(
    "command", [NAVIGATE, cdp.page.reload(), cdp.page.navigate_to_history_entry(1)]
)
async def test_crashed_recovers(
    chrome: FakeChrome, family: dict[str, Session], command: Command[Object]
) -> None:
    """Whatever navigates is let through to a crashed session, and makes it whole."""
    crash(chrome)
    await wait_all_tasks_blocked()
    page = family["parent"]
    async with trio.open_nursery() as nursery:
        navigating = call_in(nursery, partial(page.execute, command))
        asked = await chrome.asked(command.method)
        chrome.event("Inspector.targetReloadedAfterCrash", session="parent")
        chrome.answer(asked, {"frameId": "F"})
        await navigating.result()
        calling = call_in(nursery, partial(page.execute, EVALUATE))
        chrome.answer(await chrome.asked("Runtime.evaluate"), VALUE)
        await calling.result()


async def test_crashed_and_closed(chrome: FakeChrome, family: dict[str, Session]) -> None:
    """A tab that crashed and was closed is gone: there is nothing to navigate any more."""
    crash(chrome)
    chrome.detached("parent")
    await wait_all_tasks_blocked()
    for command in (EVALUATE, NAVIGATE):
        with pytest.raises(ChromeError) as caught:
            await family["parent"].execute(command)
        assert caught.value.code == "TARGET_GONE"


async def test_end_of_browser(
    chrome: FakeChrome,
    connection: Connection,
    family: dict[str, Session],
    autojump_clock: MockClock,
) -> None:
    """The end of the browser fails everything under way, at once."""
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        pending = await call_everywhere(nursery, family)
        chrome.end("it closed its pipe")
        errors = [await told_unknown(pending[name], "BROWSER_GONE") for name in FAMILY]
        assert trio.current_time() == begun
    assert len({id(error) for error in errors}) == len(FAMILY)
    assert connection.end is not None
    assert "it closed its pipe" in connection.end.message
    assert connection.ended.is_set()
    assert connection.statistics().pending == 0


async def test_after_end(
    chrome: FakeChrome, connection: Connection, family: dict[str, Session]
) -> None:
    """After the end every session refuses with the reason, and every subscription tells it."""
    with family["sibling"].events(cdp.page.LoadEventFired) as loads:
        chrome.end("it closed its pipe")
        await connection.ended.wait()
        with pytest.raises(ChromeError, match="it closed its pipe"):
            await loads.receive()
    for session in family.values():
        with pytest.raises(ChromeError, match="it closed its pipe") as caught:
            await session.execute(EVALUATE)
        assert (caught.value.code, caught.value.facts) == ("BROWSER_GONE", {})


async def test_last_words(chrome: FakeChrome, family: dict[str, Session]) -> None:
    """A reply that came before the end is delivered."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(family["parent"].execute, EVALUATE))
        chrome.answer(await chrome.asked(), VALUE)
        chrome.end()
        await calling.result()


async def test_our_close(chrome: FakeChrome, autojump_clock: MockClock) -> None:
    """A call of somebody outside the block fails when the block ends, at once."""
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        async with open_connection(chrome) as connection:
            calling = call_in(nursery, partial(connection.root.execute, EVALUATE))
            await wait_all_tasks_blocked()
        await told_unknown(calling, "BROWSER_GONE")
        assert trio.current_time() == begun
    with pytest.raises(ChromeError):
        await connection.root.execute(EVALUATE)


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda chrome: chrome.detached("parent"), id="detach"),
        pytest.param(crash, id="crash"),
        pytest.param(lambda chrome: chrome.end(), id="browser"),
    ],
)
async def test_blocked_sender(
    chrome: FakeChrome,
    connection: Connection,
    family: dict[str, Session],
    end: Callable[[FakeChrome], None],
    autojump_clock: MockClock,
) -> None:
    """Calls that end while they wait for room to be sent fail at once, and are never sent."""
    begun = trio.current_time()
    chrome.stop_reading()
    async with trio.open_nursery() as nursery:
        act = partial(family["parent"].execute_all, EVALUATE, EVALUATE)
        calling = call_in(nursery, act)
        await wait_all_tasks_blocked()
        end(chrome)
        assert (await calling.error()).code in ("TARGET_GONE", "PAGE_CRASHED", "BROWSER_GONE")
    assert trio.current_time() == begun
    assert connection.statistics().pending == 0
    chrome.read_again()
    await wait_all_tasks_blocked()
    assert chrome.asked_nowait() == []


async def test_detached_while_hearing(chrome: FakeChrome, family: dict[str, Session]) -> None:
    """A wait in a session that ends fails with the reason, after what was heard before."""
    with family["child"].events(cdp.page.LoadEventFired) as loads:
        chrome.event("Page.loadEventFired", {"timestamp": 1}, "child")
        chrome.detached("parent")
        await wait_all_tasks_blocked()
        assert (await loads.receive()).timestamp == 1
        with pytest.raises(ChromeError) as caught:
            await loads.receive()
    assert caught.value.code == "TARGET_GONE"


class Held:
    """Something to be forgotten."""

    def take(self, event: object) -> None:
        return


@pytest.fixture
def no_collector() -> Iterator[None]:
    """What forms a ring stays."""
    gc.disable()
    yield
    gc.enable()


async def test_followers_are_let_go(
    chrome: FakeChrome, family: dict[str, Session], no_collector: None
) -> None:
    """A session that is over holds nobody who has followed it."""
    follower = Held()
    family["child"].mirror(cdp.page.LoadEventFired, follower.take)
    family["child"].tap(cdp.page.FrameDetached, follower.take)
    forgotten = weakref.ref(follower)
    del follower
    assert forgotten() is not None
    chrome.detached("child", parent="parent")
    await wait_all_tasks_blocked()
    assert forgotten() is None


async def test_failures_are_let_go(
    chrome: FakeChrome, family: dict[str, Session], no_collector: None
) -> None:
    """A call that failed leaves nothing of whoever made it."""
    forgotten: list[weakref.ref[Held]] = []

    async def fail() -> None:
        held = Held()
        forgotten.append(weakref.ref(held))
        with pytest.raises(ChromeError):
            await family["child"].execute(EVALUATE)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(fail)
        await wait_all_tasks_blocked()
        chrome.detached("child", parent="parent")
    assert [each() for each in forgotten] == [None]
