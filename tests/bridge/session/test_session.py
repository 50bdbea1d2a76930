"""Sessions: commands in order, events to whoever listens, children before their events."""

import logging
from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from bridge import cdp
from bridge.errors import ChromeError, DeadlineExceeded, LinkError
from bridge.session import events as events_module
from bridge.session import session as session_module
from bridge.session.connection import Connection
from bridge.session.events import Loss, RawEvent, decode
from bridge.session.session import Session
from bridge.session.wire import Event
from tests.support.calling import call_in
from tests.support.fake_chrome import FakeChrome

Load = cdp.page.LoadEventFired
Content = cdp.page.DomContentEventFired
NAVIGATE = cdp.page.navigate("https://example.com/")


def load(chrome: FakeChrome, timestamp: float, session: str = "P") -> None:
    chrome.event("Page.loadEventFired", {"timestamp": timestamp}, session)


async def test_execute_all(chrome: FakeChrome, page: Session) -> None:
    """All commands are sent in order before any answer, and the results come in that order."""
    commands = [cdp.page.enable(), NAVIGATE, cdp.runtime.run_if_waiting_for_debugger()]
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute_all, *commands))
        await wait_all_tasks_blocked()
        asked = chrome.asked_nowait()
        assert [command.method for command in asked] == [command.method for command in commands]
        chrome.answer(asked[2])
        chrome.answer(asked[1], {"frameId": "F"})
        await wait_all_tasks_blocked()
        assert not calling.ended
        chrome.answer(asked[0])
        results = await calling.result()
    assert results[1].frame_id == "F"


async def test_execute_all_failure(
    chrome: FakeChrome, connection: Connection, page: Session
) -> None:
    """The first failure in order is raised, once all have been answered."""
    commands = [cdp.page.enable(), cdp.dom.enable(), cdp.log.enable()]
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute_all, *commands))
        await wait_all_tasks_blocked()
        first, second, third = chrome.asked_nowait()
        chrome.refuse(third, 1, "third")
        chrome.refuse(second, 1, "second")
        await wait_all_tasks_blocked()
        assert not calling.ended
        chrome.answer(first)
        error = await calling.error()
    assert error.message.endswith("second")
    assert connection.statistics().pending == 0


async def test_execute_all_of_nothing(chrome: FakeChrome, page: Session) -> None:
    """No commands, no results."""
    assert await page.execute_all() == []


async def test_subscribe_then_act(chrome: FakeChrome, page: Session) -> None:
    """What is caused inside the block is heard, also when it comes before the reply."""
    async with trio.open_nursery() as nursery:
        with page.events(Load) as loads:
            calling = call_in(nursery, partial(page.execute, NAVIGATE))
            asked = await chrome.asked()
            load(chrome, 1)
            chrome.answer(asked, {"frameId": "F"})
            load(chrome, 2)
            await calling.result()
            assert [(await loads.receive()).timestamp for _ in range(2)] == [1, 2]


async def test_block_ends(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """After the block nothing is kept any more."""
    with page.events(Load, Content):
        pass
    before = connection.statistics().unheard
    load(chrome, 1)
    await wait_all_tasks_blocked()
    assert connection.statistics().unheard == before + 1


async def test_several_kinds(chrome: FakeChrome, page: Session) -> None:
    """One subscription hears several kinds in the order of Chrome, and only its own session's."""
    with page.events(Load, Content) as heard:
        load(chrome, 1)
        load(chrome, 2, session="")
        chrome.event("Page.domContentEventFired", {"timestamp": 3}, "P")
        load(chrome, 4)
        found = [await heard.receive() for _ in range(3)]
    time = cdp.network.MonotonicTime
    assert found == [Load(timestamp=time(1)), Content(timestamp=time(3)), Load(timestamp=time(4))]


async def test_two_subscriptions(chrome: FakeChrome, page: Session) -> None:
    """Two subscriptions to one kind each hear everything; one that ends leaves the other alone."""
    with page.events(Load) as first:
        with page.events(Load) as second:
            load(chrome, 1)
            assert (await first.receive()).timestamp == (await second.receive()).timestamp
        load(chrome, 2)
        assert (await first.receive()).timestamp == 2


async def test_limits(chrome: FakeChrome, page: Session) -> None:
    """The limit and what happens above it are chosen by the subscriber."""
    with page.events(Load, keep=2) as log, page.events(Load, keep=2, loss=Loss.FAIL) as strict:
        for number in range(5):
            load(chrome, number)
        assert (await log.receive()).timestamp == 3
        assert log.lost == 3
        for expected in range(3):
            assert (await strict.receive()).timestamp == expected
        with pytest.raises(LinkError):
            await strict.receive()


async def test_unheard_is_not_decoded(
    chrome: FakeChrome, connection: Connection, page: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events nobody listens to are counted, not decoded."""
    decoded: list[str] = []

    def spy(event: Event) -> object:
        decoded.append(event.method)
        return decode(event)

    monkeypatch.setattr(events_module, "decode", spy)
    monkeypatch.setattr(session_module, "decode", spy)
    before = connection.statistics().unheard
    for number in range(100):
        load(chrome, number)
    chrome.attached("Q")
    await wait_all_tasks_blocked()
    assert connection.statistics().unheard - before == 101
    assert decoded == ["Target.attachedToTarget"]


class _Unheard(cdp.base.Event, frozen=True):
    """An event of a Chrome that is newer than the bindings."""

    METHOD = "Page.inventedTomorrow"


async def test_unknown_event(chrome: FakeChrome, page: Session) -> None:
    """An event the bindings do not know can be heard, raw."""
    with page.events(_Unheard) as heard:
        chrome.event("Page.inventedTomorrow", {"a": "cut \ud800"}, "P")
        event: object = await heard.receive()
    assert isinstance(event, RawEvent)
    assert (event.method, bytes(event.params)) == ("Page.inventedTomorrow", b'{"a":"cut \\ufffd"}')


async def test_wait_for(chrome: FakeChrome, page: Session) -> None:
    """`wait_for` returns the first event the predicate accepts."""
    async with trio.open_nursery() as nursery:
        waiting = call_in(nursery, partial(page.wait_for, Load, lambda event: event.timestamp > 1))
        await wait_all_tasks_blocked()
        load(chrome, 1)
        chrome.event("Page.loadEventFired", {"timestamp": "unreadable"}, "P")
        load(chrome, 2)
        load(chrome, 3)
        assert (await waiting.result()).timestamp == 2


async def test_wait_for_any(chrome: FakeChrome, page: Session) -> None:
    """Without a predicate any such event ends the wait."""
    async with trio.open_nursery() as nursery:
        waiting = call_in(nursery, partial(page.wait_for, Load))
        await wait_all_tasks_blocked()
        load(chrome, 1)
        assert (await waiting.result()).timestamp == 1


async def test_wait_for_deadline(
    chrome: FakeChrome, connection: Connection, page: Session, autojump_clock: MockClock
) -> None:
    """A wait that is not fulfilled ends by its field, naming the event, and listens no more."""
    with pytest.raises(DeadlineExceeded, match=r"waiting for Page\.loadEventFired") as caught:
        await page.wait_for(Load, timeout="navigation")
    assert caught.value.facts["timeout"] == "navigation"
    assert trio.current_time() >= connection.timeouts.navigation
    before = connection.statistics().unheard
    load(chrome, 1)
    await wait_all_tasks_blocked()
    assert connection.statistics().unheard == before + 1


async def test_mirror(chrome: FakeChrome, page: Session) -> None:
    """A mirror has seen every earlier event when a later reply is delivered."""
    seen: list[float] = []
    page.mirror(Load, lambda event: seen.append(event.timestamp))
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, NAVIGATE))
        asked = await chrome.asked()
        load(chrome, 1)
        load(chrome, 2)
        chrome.answer(asked, {"frameId": "F"})
        await calling.result()
        assert seen == [1, 2]


async def test_broken_mirror(
    chrome: FakeChrome,
    connection: Connection,
    page: Session,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A mirror that raises is logged; the pump, other mirrors and subscriptions go on."""
    seen: list[float] = []

    def broken(event: Load) -> None:
        raise LookupError("mirror broke")

    page.mirror(Load, broken)
    page.mirror(Load, lambda event: seen.append(event.timestamp))
    with page.events(Load) as heard:
        load(chrome, 1)
        load(chrome, 2)
        assert (await heard.receive()).timestamp == 1
        assert (await heard.receive()).timestamp == 2
    assert seen == [1, 2]
    assert connection.end is None
    assert caplog.text.count("LookupError: mirror broke") == 2


async def test_mirror_of_unreadable(
    chrome: FakeChrome, page: Session, caplog: pytest.LogCaptureFixture
) -> None:
    """An event that cannot be read, be it no UTF-8, reaches no mirror, and that is said."""
    seen: list[str] = []
    page.mirror(cdp.page.FrameStartedLoading, lambda event: seen.append(event.frame_id))
    method = "Page.frameStartedLoading"
    chrome.event(method, {"frameId": 5}, "P")
    chrome.say(b'{"method":"%b","params":{"frameId":"\xff"},"sessionId":"P"}' % method.encode())
    chrome.event(method, {"frameId": "F"}, "P")
    await wait_all_tasks_blocked()
    assert seen == ["F"]
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2


async def test_tap(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """A tap gets every event as it came, readable or not, and counts as somebody who hears."""
    taken: list[bytes] = []
    page.tap(Load, lambda event: taken.append(bytes(event.params)))
    before = connection.statistics().unheard
    chrome.event("Page.loadEventFired", {"timestamp": "never"}, "P")
    await wait_all_tasks_blocked()
    assert taken == [b'{"timestamp":"never"}']
    assert connection.statistics().unheard == before


async def test_broken_tap(
    chrome: FakeChrome, page: Session, caplog: pytest.LogCaptureFixture
) -> None:
    """A tap that raises is logged, and the next one hears the same event."""
    taken: list[str] = []

    def broken(event: object) -> None:
        raise LookupError("tap broke")

    page.tap(Load, broken)
    page.tap(Load, lambda event: taken.append(event.method))
    load(chrome, 1)
    await wait_all_tasks_blocked()
    assert taken == ["Page.loadEventFired"]
    assert "LookupError: tap broke" in caplog.text


async def test_child_before_its_events(chrome: FakeChrome, connection: Connection) -> None:
    """A session exists before the first event that Chrome sends in it, at any depth."""
    seen: list[str] = []

    def follow(event: cdp.target.AttachedToTarget) -> None:
        child = connection.session(event.session_id)
        assert child is not None
        seen.append(event.session_id)
        child.mirror(Load, lambda load: seen.append(f"{load.timestamp}"))
        child.mirror(cdp.target.AttachedToTarget, follow)

    connection.root.mirror(cdp.target.AttachedToTarget, follow)
    chrome.attached("A")
    load(chrome, 1, session="A")
    chrome.attached("B", parent="A")
    load(chrome, 2, session="B")
    await wait_all_tasks_blocked()
    assert seen == ["A", "1.0", "B", "2.0"]
    assert connection.statistics().noise == 0
    a, b = connection.session("A"), connection.session("B")
    assert a is not None
    assert b is not None
    assert (a.parent, b.parent) == (connection.root, a)
    assert list(a.children) == [b]


async def test_attach(chrome: FakeChrome, connection: Connection) -> None:
    """Attaching by hand gives the session the event has begun already, or begins it."""
    command = cdp.target.attach_to_target(cdp.target.TargetID("T"), flatten=True)
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(connection.root.execute, command))
        asked = await chrome.asked()
        chrome.attached("A")
        load(chrome, 1, session="A")
        chrome.answer(asked, {"sessionId": "A"})
        session = connection.root.attach((await calling.result()).session_id)
    assert session is connection.session("A")
    late = connection.root.attach("B")
    with late.events(Load) as heard:
        load(chrome, 2, session="B")
        chrome.attached("B")
        assert (await heard.receive()).timestamp == 2
    assert connection.session("B") is late


async def test_events_of_ended_session(chrome: FakeChrome, page: Session) -> None:
    """Subscribing to a session that is over tells so at the first read."""
    chrome.detached("P")
    await wait_all_tasks_blocked()
    with page.events(Load) as heard, pytest.raises(ChromeError) as caught:
        await heard.receive()
    assert caught.value.code == "TARGET_GONE"
