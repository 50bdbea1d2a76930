"""A transport that loses its link and comes back: the contract for the extension's.

It answers what was in flight with the reason OUTCOME_UNKNOWN and goes on under the same connection.
"""

from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from bridge import cdp
from bridge.errors import LinkError
from bridge.session.connection import Connection, open_connection
from bridge.session.session import Session
from bridge.timeouts import Timeouts
from bridge.transport.extension import ExtensionTransport
from bridge.transport.link import OUTCOME_UNKNOWN, Ready
from tests.support.calling import Calling, call_in
from tests.support.conditions import limit
from tests.support.fake_chrome import Asked, FakeChrome

EVALUATE = cdp.runtime.evaluate("1")
VALUE = {"result": {"type": "undefined"}}


def lose_link(chrome: FakeChrome, in_flight: list[Asked]) -> None:
    """What the transport does for its upper side when the link breaks and returns."""
    for command in in_flight:
        chrome.refuse(command, -32000, "link lost", {"reason": OUTCOME_UNKNOWN})


async def test_reconnecting(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """Calls in flight are told that their outcome is unknown; later ones and events go on."""
    async with trio.open_nursery() as nursery:
        callings = [call_in(nursery, partial(page.execute, EVALUATE)) for _ in range(3)]
        await wait_all_tasks_blocked()
        answered, *in_flight = chrome.asked_nowait()
        chrome.answer(answered, VALUE)
        lose_link(chrome, in_flight)
        await wait_all_tasks_blocked()
        told = [calling for calling in callings if await was_told(calling)]
        assert len(told) == 2

        with page.events(cdp.page.LoadEventFired) as loads:
            later = call_in(nursery, partial(page.execute, EVALUATE))
            chrome.answer(await chrome.asked(), VALUE)
            await later.result()
            chrome.event("Page.loadEventFired", {"timestamp": 1}, "P")
            assert (await loads.receive()).timestamp == 1
    assert connection.end is None
    assert connection.statistics().pending == 0


async def was_told(calling: Calling[cdp.runtime.EvaluateResult]) -> bool:
    """Whether the call failed for the link; the only other way to end is its own result."""
    try:
        await calling.result()
    except AssertionError:
        error = await calling.error()
        assert error.code == "EXTENSION_DISCONNECTED"
        assert error.facts == {"method": "Runtime.evaluate", "outcome": "unknown"}
        assert not error.retryable
        return True
    return False


async def test_all_or_nothing(chrome: FakeChrome, page: Session) -> None:
    """A series that was half answered when the link broke fails as a whole, and aloud."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute_all, EVALUATE, EVALUATE))
        first, second = await chrome.asked(), await chrome.asked()
        chrome.answer(first, VALUE)
        lose_link(chrome, [second])
        assert (await calling.error()).code == "EXTENSION_DISCONNECTED"


class Leaving(FakeChrome):
    """A browser that goes: after so many commands, none can be sent any more."""

    def __init__(self, commands: int) -> None:
        super().__init__()
        self.left = commands

    async def send(self, message: bytes) -> None:
        self.left -= 1
        if self.left < 0:
            raise LinkError("EXTENSION_DISCONNECTED", "it sleeps", retryable=True)
        await super().send(message)


@pytest.mark.parametrize(("sent", "retryable"), [(0, True), (1, False)])
async def test_half_sent(sent: int, retryable: bool) -> None:
    """What could not be sent may be tried again, unless something before it was."""
    async with open_connection(Leaving(sent)) as connection:
        with pytest.raises(LinkError) as caught:
            await connection.root.execute_all(cdp.browser.get_version(), cdp.browser.get_version())
        assert caught.value.retryable is retryable
        assert connection.statistics().pending == 0


async def test_link_ends(chrome: FakeChrome, connection: Connection, page: Session) -> None:
    """A link that does not come back ends the connection with its own error, as a browser does."""
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(page.execute, EVALUATE))
        await chrome.asked()
        chrome.end_with(LinkError("EXTENSION_DISCONNECTED", "it has not come back"))
        assert (await calling.error()).code == "EXTENSION_DISCONNECTED"
    assert connection.end is not None
    assert connection.end.code == "EXTENSION_DISCONNECTED"


class Full:
    """A socket of the extension's that has no room, now and for ever."""

    congested = True

    async def send(self, message: bytes) -> None:
        await trio.sleep_forever()

    def abandon(self) -> None:
        pass


async def test_back_and_full(autojump_clock: MockClock) -> None:
    """A call that waits for the link, and then for room in it, waits no longer than it may."""
    transport = ExtensionTransport(Timeouts())
    async with open_connection(transport) as connection, trio.open_nursery() as nursery:
        began = trio.current_time()
        assert transport.congested
        calling = call_in(nursery, partial(connection.root.execute, cdp.target.get_targets()))
        await trio.sleep(Timeouts().relink / 2)
        transport.adopt(Full(), [], Ready())
        with limit(2 * Timeouts().command):
            assert (await calling.error()).code in ("BROWSER_HUNG", "TIMEOUT")
        assert trio.current_time() - began <= Timeouts().command
        assert connection.statistics().pending == 0
    assert not transport.congested  # nothing waits there any more
