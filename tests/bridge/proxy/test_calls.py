"""Calls under way: whose answer, and what stays of one that is never answered."""

import pytest
import trio
import trio.testing

from bridge.errors import ChromeError
from bridge.proxy.calls import Calls
from bridge.proxy.words import Message, raw
from bridge.timeouts import Timeouts
from tests.support.played_link import PlayedLink


class Caller:
    """Keeps what it is answered."""

    def __init__(self) -> None:
        self.heard: list[tuple[Message, Message]] = []

    def answered(self, call: Message, answer: Message) -> None:
        self.heard.append((call, answer))


async def test_forgotten() -> None:
    """Of a caller that has gone nothing is kept; an answer that comes for it is nobody's."""
    link, caller, other = PlayedLink(), Caller(), Caller()
    link.silent = {"Page.enable"}
    calls = Calls(link, Timeouts())
    for each in (caller, other):
        await calls.pass_on(each, Message(id=7, method="Page.enable", params=raw({})), None)
    calls.forget(caller)
    assert len(calls) == 1
    for sent in link.asked:
        calls.settle(Message(id=sent["id"], result=raw({})))
    assert (len(caller.heard), len(other.heard), len(calls)) == (0, 1, 0)
    assert not other.heard[0][0].params


async def test_not_sent() -> None:
    """A call that could not be sent is not under way."""
    link = PlayedLink()
    link.asleep = True
    calls = Calls(link, Timeouts())
    with pytest.raises(Exception, match="asleep"):
        await calls.pass_on(Caller(), Message(id=7, method="Page.enable"), None)
    assert len(calls) == 0


async def test_end(autojump_clock: trio.testing.MockClock) -> None:
    """When nobody reads any more, who waits is told at once, and so is who asks."""
    link = PlayedLink()
    link.silent = {"Browser.getVersion"}
    calls = Calls(link, Timeouts())

    async def ask() -> None:
        with pytest.raises(ChromeError, match="not connected"):
            await calls.ask("Browser.getVersion")

    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        calls.end()
    await ask()
    assert trio.current_time() == began
