"""Whose turn it is to speak for a browser, on sockets that never said a word."""

import socket
from collections.abc import AsyncIterator

import pytest
import trio
from trio.testing import MockClock

from bridge.errors import BridgeError
from bridge.relay.links import Links
from bridge.timeouts import Timeouts
from bridge.transport.channel import Channel
from bridge.transport.link import EXTENSION_ID, Hello, Ready
from bridge.transport.websocket_server import ServerSocket


def hello(instance: str, *, epoch: str = "e", label: str = "") -> Hello:
    return Hello(
        versions=[1],
        nonce="n",
        extension_id=EXTENSION_ID,
        ext_version="1",
        instance_id=instance,
        epoch=epoch,
        product="p",
        label=label,
    )


class Yard:
    """Links, and sockets for them."""

    def __init__(self) -> None:
        self.noted: list[tuple[str, int]] = []
        self.links = Links(Timeouts(), lambda why, code: self.noted.append((why, code)))
        self._open: list[socket.socket] = []

    def sock(self) -> ServerSocket:
        ours, theirs = socket.socketpair()
        self._open += [ours, theirs]
        return ServerSocket(Channel(ours, ours), b"", Timeouts())

    def close(self) -> None:
        for each in self._open:
            each.close()


@pytest.fixture
async def yard() -> AsyncIterator[Yard]:
    opened = Yard()
    yield opened
    opened.close()


async def test_second_visit(yard: Yard) -> None:
    """The same run of a browser keeps its link; the visit before gives way, and that is noted."""
    link, first = yard.links.begin(yard.sock(), hello("one"))
    yard.links.arrive(link, first, Ready())
    again, second = yard.links.begin(yard.sock(), hello("one"))
    assert again is link
    assert (first.code, first.scope.cancel_called) == (4409, True)
    assert yard.noted == [("the same browser has connected again", 4409)]
    yard.links.arrive(link, second, Ready())
    assert not yard.links.lose(link, first)
    assert link.transport.connected
    assert yard.links.lose(link, second)
    assert not link.transport.connected


async def test_other_run(yard: Yard) -> None:
    """Another run of the browser has another link, and the former's transport is over."""
    link, visit = yard.links.begin(yard.sock(), hello("one"))
    yard.links.arrive(link, visit, Ready())
    other, _ = yard.links.begin(yard.sock(), hello("one", epoch="f"))
    assert other is not link
    assert list(yard.links) == [other]
    with pytest.raises(BridgeError, match="restarted"):
        await link.transport.receive()


async def test_order(yard: Yard) -> None:
    """The newest browser is the one that came last for the first time, not that woke last."""
    one, visit = yard.links.begin(yard.sock(), hello("one"))
    yard.links.arrive(one, visit, Ready())
    two, later = yard.links.begin(yard.sock(), hello("two"))
    yard.links.arrive(two, later, Ready())
    one, visit = yard.links.begin(yard.sock(), hello("one"))
    yard.links.arrive(one, visit, Ready())
    assert await yard.links.wait(None) is two.transport
    yard.links.lose(two, later)
    assert await yard.links.wait(None) is one.transport


async def test_missed(yard: Yard, autojump_clock: MockClock) -> None:
    """A browser that is away is waited for 40 s, then given up."""
    link, visit = yard.links.begin(yard.sock(), hello("one"))
    yard.links.arrive(link, visit, Ready())
    yard.links.lose(link, visit)
    assert [each.info.state for each in yard.links] == ["away"]
    began = trio.current_time()
    await yard.links.miss(link)
    assert trio.current_time() - began == pytest.approx(40)
    assert list(yard.links) == []
    with pytest.raises(BridgeError, match="not come back"):
        await link.transport.receive()


async def test_back_in_time(yard: Yard, autojump_clock: MockClock) -> None:
    """One that comes back in time is missed no more."""
    link, visit = yard.links.begin(yard.sock(), hello("one"))
    yard.links.arrive(link, visit, Ready())
    yard.links.lose(link, visit)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(yard.links.miss, link)
        await trio.sleep(39)
        link, visit = yard.links.begin(yard.sock(), hello("one"))
        yard.links.arrive(link, visit, Ready())
    await trio.sleep(60)
    assert link.transport.connected
    assert list(yard.links) == [link]
