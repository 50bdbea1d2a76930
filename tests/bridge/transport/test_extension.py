"""One transport over sockets that come and go; the sockets are the test's."""

import json
from functools import partial

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from bridge.errors import BridgeError, LinkError
from bridge.timeouts import Timeouts
from bridge.transport.base import MAX_UNSENT, Transport, browser_gone
from bridge.transport.extension import ExtensionTransport, head_of, left
from bridge.transport.link import MAX_FRAME, Attached, Ready
from tests.support.calling import call_in

READY = Ready()
GAP = {"method": "Bridge.gap", "params": {"dropped": 0}}


class Socket:
    """Keeps what is sent; closed, it takes nothing."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.closed = False
        self.congested = False

    async def send(self, message: bytes) -> None:
        if self.closed:
            raise browser_gone("the connection was closed")
        self.sent.append(message)

    def abandon(self) -> None:
        self.closed = True


@pytest.fixture
def transport() -> ExtensionTransport:
    return ExtensionTransport(Timeouts())


def request(number: int) -> bytes:
    return b'{"id":%d,"method":"Page.enable","sessionId":"t1"}' % number


def attached(session: str, target: str, parent: str = "") -> bytes:
    params = {"sessionId": session, "targetInfo": {"targetId": target, "type": "page"}}
    said: dict[str, object] = {"method": "Target.attachedToTarget", "params": params}
    return json.dumps(said | ({"sessionId": parent} if parent else {})).encode()


async def received(transport: ExtensionTransport) -> list[dict[str, object]]:
    return [json.loads(message) for message in await transport.receive()]


async def test_passes_on(transport: ExtensionTransport) -> None:
    """Messages go through as they are, in order."""
    socket = Socket()
    transport.adopt(socket, [], READY)
    kind: Transport = transport
    assert (kind.kind, kind.congested) == ("extension", False)
    await transport.send(request(1))
    assert socket.sent == [request(1)]
    messages = [b'{"id":1,"result":{}}', b'{"method":"A.b"}', b"nonsense", b'{"id":{}}', b"\xff"]
    await transport.hear(messages)
    assert await transport.receive() == messages
    socket.congested = True
    assert transport.congested


async def test_waits_for_the_worker(
    transport: ExtensionTransport, autojump_clock: MockClock
) -> None:
    """A call waits a little for a worker that is being woken."""
    socket = Socket()
    async with trio.open_nursery() as nursery:
        calling = call_in(nursery, partial(transport.send, request(1)))
        await trio.sleep(0.7)
        transport.adopt(socket, [], READY)
        await calling.result()
    assert socket.sent == [request(1)]


async def test_asleep(transport: ExtensionTransport, autojump_clock: MockClock) -> None:
    """A worker that is not there in time costs 0.8 s, and the call may be made again."""
    began = trio.current_time()
    with pytest.raises(LinkError, match="not sent") as caught:
        await transport.send(request(1))
    assert (caught.value.code, caught.value.retryable) == ("EXTENSION_DISCONNECTED", True)
    assert trio.current_time() - began == pytest.approx(0.8)


async def test_closing_socket(transport: ExtensionTransport) -> None:
    """A socket that is closed before its end was noticed has sent nothing."""
    socket = Socket()
    transport.adopt(socket, [], READY)
    socket.closed = True
    with pytest.raises(LinkError, match="not sent"):
        await transport.send(request(1))
    transport.lose(socket)
    transport.adopt(Socket(), [], READY)
    assert await received(transport) == [GAP]


async def test_in_flight(transport: ExtensionTransport) -> None:
    """Calls under way when the socket drops fail at once, each once; answered ones do not."""
    socket = Socket()
    transport.adopt(socket, [], READY)
    for number in (1, 2, 3):
        await transport.send(request(number))
    await transport.hear([b'{"id":2,"sessionId":"t1","result":{}}'])
    transport.lose(socket)
    transport.lose(socket)
    first, *failed = await received(transport)
    assert first["id"] == 2
    assert [each["id"] for each in failed] == [1, 3]
    for each in failed:
        error = each["error"]
        assert isinstance(error, dict)
        assert (error["code"], error["data"]) == (-32000, {"reason": "outcomeUnknown"})
        assert "may or may not have happened" in error["message"]


async def test_lost_while_sent(transport: ExtensionTransport) -> None:
    """A call that waited for room on a socket until that was over is answered all the same."""
    narrow, room = Socket(), trio.Event()

    async def send(message: bytes) -> None:
        await room.wait()
        narrow.sent.append(message)

    narrow.send = send  # type: ignore[method-assign]
    transport.adopt(narrow, [], READY)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(transport.send, request(1))
        await wait_all_tasks_blocked()
        transport.lose(narrow)
        room.set()
    transport.finish(left())
    (answer,) = await received(transport)
    assert (answer["id"], narrow.sent) == (1, [request(1)])


async def test_answer_in_another_order(transport: ExtensionTransport) -> None:
    """An answer is known by its id, wherever in it that stands."""
    socket = Socket()
    transport.adopt(socket, [], READY)
    await transport.send(request(1))
    await transport.hear([b'{ "result": {}, "id": 1 }'])
    transport.lose(socket)
    assert len(await transport.receive()) == 1


async def test_sessions(transport: ExtensionTransport) -> None:
    """Tabs that are attached no more end with their sessions; children go with them unnamed."""
    transport.adopt(Socket(), [], READY)
    child = "t1.0123456789ABCDEF0123456789ABCDEF"
    over = b'{"method":"Target.detachedFromTarget","params":{"sessionId":"t4","targetId":"D"}}'
    began = [attached(f"t{number}", name) for number, name in enumerate("ABCD", start=1)]
    await transport.hear(
        [
            *began,
            attached(child, "E", "t1"),
            over,
            b'{"method":"Target.attachedToTarget","params":7}',
        ]
    )
    await transport.receive()
    kept = [Attached(tab_id=1, target_id="A"), Attached(tab_id=2, target_id="X")]
    transport.adopt(Socket(), kept, READY)
    ends = [
        {"method": "Target.detachedFromTarget", "params": {"sessionId": session, "targetId": name}}
        for session, name in (("t2", "B"), ("t3", "C"))
    ]
    assert await received(transport) == [*ends, GAP]
    transport.adopt(Socket(), kept, READY)
    assert await received(transport) == [GAP]


async def test_taken_over(transport: ExtensionTransport) -> None:
    """A second socket takes the place of the first, whose end changes nothing any more."""
    first, second = Socket(), Socket()
    transport.adopt(first, [], READY)
    await transport.send(request(1))
    transport.adopt(second, [], READY)
    transport.lose(first)
    await transport.send(request(2))
    assert second.sent == [request(2)]
    failed, gap = await received(transport)
    assert (failed["id"], gap) == (1, GAP)


async def test_first_time(transport: ExtensionTransport) -> None:
    """Nothing is missed by whoever comes first: there is no gap."""
    transport.adopt(Socket(), [], READY)
    await transport.hear([b"{}"])
    assert await transport.receive() == [b"{}"]


async def test_tabs(transport: ExtensionTransport) -> None:
    """How many tabs are shared, and whether a person has said stop, is known."""
    transport.adopt(Socket(), [], Ready(targets=[{"targetId": "A"}], paused=True))
    assert (transport.tabs, transport.paused) == ({"A"}, True)
    await transport.hear(
        [
            b'{"method":"Bridge.resumed","params":{}}',
            b'{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"B"}}}',
            b'{"method":"Target.targetDestroyed","params":{"targetId":"A"}}',
        ]
    )
    assert (transport.tabs, transport.paused) == ({"B"}, False)
    await transport.hear([b'{"method":"Bridge.paused","params":{}}'])
    assert transport.paused


async def test_end(transport: ExtensionTransport) -> None:
    """The end is told after all that came before it, to everybody, again and again."""
    socket = Socket()
    transport.adopt(socket, [], READY)
    await transport.send(request(1))
    transport.lose(socket)
    transport.finish(left())
    transport.finish(browser_gone("later"))
    assert len(await transport.receive()) == 1
    for _ in range(2):
        with pytest.raises(LinkError, match="not come back"):
            await transport.receive()
        with pytest.raises(LinkError, match="not come back"):
            await transport.send(request(2))
    late = Socket()
    transport.adopt(late, [], READY)
    assert late.closed
    await transport.hear([b"{}"])


async def test_end_wakes(transport: ExtensionTransport, autojump_clock: MockClock) -> None:
    """Whoever waits, to read or to send, learns of the end at once."""
    async with trio.open_nursery() as nursery:
        reading = call_in(nursery, transport.receive)
        sending = call_in(nursery, partial(transport.send, request(1)))
        await wait_all_tasks_blocked()
        await transport.aclose()
        for error in (await reading.error(), await sending.error()):
            assert error.code == "BROWSER_GONE"
    assert trio.current_time() < 1e9


async def test_too_big(transport: ExtensionTransport) -> None:
    """What the other side would not take is not sent, and the link goes on."""
    socket = Socket()
    transport.adopt(socket, [], READY)
    with pytest.raises(LinkError) as caught:
        await transport.send(b" " * (MAX_FRAME + 1))
    assert caught.value.code == "BACKPRESSURE"
    await transport.send(request(1))
    assert socket.sent == [request(1)]


async def test_unread(transport: ExtensionTransport) -> None:
    """A flood nobody reads is held up, not kept."""
    transport.adopt(Socket(), [], READY)
    await transport.hear([b" " * MAX_UNSENT, b" "])
    async with trio.open_nursery() as nursery:
        more = call_in(nursery, partial(transport.hear, [b"more"]))
        await wait_all_tasks_blocked()
        assert not more.ended
        await transport.receive()
        await more.result()
        assert await transport.receive() == [b"more"]


async def test_cancelled_reading(transport: ExtensionTransport) -> None:
    """A reader that is cancelled has lost nothing."""
    transport.adopt(Socket(), [], READY)
    await transport.hear([b"{}"])
    with trio.CancelScope() as scope:
        scope.cancel()
        await transport.receive()
    assert scope.cancelled_caught
    assert await transport.receive() == [b"{}"]


@pytest.mark.parametrize(
    ("message", "head"),
    [
        (b'{"id":5,"result":{}}', (5, "")),
        (b'{"id":5}', (5, "")),
        (b'{"id":2147483648,"result":{}}', (2147483648, "")),
        (b'{"method":"A.b","params":{}}', (None, "A.b")),
        (b'{"params":{"id":7},"method":"A.b"}', (None, "A.b")),
        (b'{"id":null,"method":"A.b"}', (None, "A.b")),
        (b'{"id":"5"}', (None, "")),
        (b"[]", (None, "")),
        (b"", (None, "")),
        (b"[" * 10_000, (None, "")),
        (b'{"method":"\xff"}', (None, "")),
    ],
)
def test_heads(message: bytes, head: tuple[int | None, str]) -> None:
    """A message is known by its id or method; noise by neither."""
    assert head_of(message) == head


def test_left() -> None:
    """A link that is over says what to look at."""
    error: BridgeError = left()
    assert not error.retryable
    assert "switched on" in error.hint
