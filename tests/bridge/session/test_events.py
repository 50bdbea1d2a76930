"""Subscriptions: bounded in count and in bytes, and honest about what they lose."""

import msgspec
import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from bridge import cdp
from bridge.errors import ChromeError, LinkError
from bridge.session import events, wire
from bridge.session.events import KEEP_BYTES, Loss, RawEvent, Subscription, decode

Load = cdp.page.LoadEventFired


def load(timestamp: float) -> wire.Event:
    return wire.Event("Page.loadEventFired", msgspec.Raw(b'{"timestamp":%f}' % timestamp))


def padded(timestamp: float, size: int) -> wire.Event:
    params = b'{"timestamp":%f,"more":"%b"}' % (timestamp, b"." * size)
    return wire.Event("Page.loadEventFired", msgspec.Raw(params))


def subscription(loss: Loss = Loss.OLDEST, keep: int = 1_000) -> Subscription[Load]:
    return Subscription(loss, keep)


def rest(heard: Subscription[Load]) -> list[float]:
    """Everything that waits."""
    found: list[float] = []
    while True:
        try:
            found.append(heard.receive_nowait().timestamp)
        except IndexError:
            return found


def gone() -> ChromeError:
    return ChromeError("TARGET_GONE", "the tab was closed")


async def test_order() -> None:
    """Events come typed and in order."""
    heard = subscription()
    for number in range(3):
        heard.publish(load(number))
    assert await heard.receive() == Load(timestamp=cdp.network.MonotonicTime(0))
    assert rest(heard) == [1, 2]


async def test_wakes() -> None:
    """A reader that waits is woken by the next event."""
    heard = subscription()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(heard.receive)
        await wait_all_tasks_blocked()
        heard.publish(load(1))


async def test_two_readers() -> None:
    """Two tasks that read one subscription share its events; neither is forgotten."""
    heard = subscription()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(heard.receive)
        nursery.start_soon(heard.receive)
        await wait_all_tasks_blocked()
        heard.publish(load(1))
        await wait_all_tasks_blocked()
        heard.publish(load(2))
    assert rest(heard) == []


def test_count_limit() -> None:
    """A log keeps the newest of its limit and counts the rest."""
    heard = subscription(keep=3)
    for number in range(10):
        heard.publish(load(number))
    assert (rest(heard), heard.lost) == ([7, 8, 9], 7)


def test_exact_count() -> None:
    """Exactly the limit loses nothing."""
    heard = subscription(keep=3)
    for number in range(3):
        heard.publish(load(number))
    assert (rest(heard), heard.lost) == ([0, 1, 2], 0)


def test_byte_limit() -> None:
    """Few large events are bounded by their size."""
    heard = subscription()
    for number in range(5):
        heard.publish(padded(number, KEEP_BYTES // 2 - 1_000))
    assert (rest(heard), heard.lost) == ([3, 4], 3)


def test_bytes_are_given_back() -> None:
    """What has been read does not count against the limit."""
    heard = subscription()
    for _ in range(5):
        for number in range(2):
            heard.publish(padded(number, KEEP_BYTES // 3))
        assert rest(heard) == [0, 1]
    assert heard.lost == 0


def test_single_giant() -> None:
    """An event larger than the limit is still delivered when it is alone."""
    heard = subscription()
    heard.publish(load(1))
    heard.publish(padded(2, KEEP_BYTES * 2))
    assert (rest(heard), heard.lost) == ([2], 1)


@pytest.mark.parametrize("size", [0, KEEP_BYTES], ids=["count", "bytes"])
async def test_fail(size: int) -> None:
    """What may not be lost ends with BACKPRESSURE instead, after what was heard, for good."""
    heard = subscription(Loss.FAIL, keep=3)
    for number in range(8):
        heard.publish(padded(number, size))
    kept = rest(heard)
    assert kept == list(range(len(kept)))
    assert kept
    for _ in range(2):
        with pytest.raises(LinkError, match=r"Page\.loadEventFired") as caught:
            await heard.receive()
        assert caught.value.code == "BACKPRESSURE"
    heard.publish(load(9))
    heard.finish(gone())
    with pytest.raises(LinkError):
        await heard.receive()
    assert (rest(heard), heard.lost) == ([], 0)


async def test_finish() -> None:
    """The end of the session comes after what was heard, and again for every reader."""
    heard = subscription()
    heard.publish(load(1))
    heard.finish(gone())
    heard.publish(load(2))
    assert (await heard.receive()).timestamp == 1
    errors = []
    for _ in range(2):
        with pytest.raises(ChromeError) as caught:
            await heard.receive()
        assert caught.value.code == "TARGET_GONE"
        errors.append(caught.value)
    assert errors[0] is not errors[1]


async def test_finish_wakes() -> None:
    """A reader that waits is woken by the end."""
    heard = subscription()

    async def read() -> None:
        with pytest.raises(ChromeError):
            await heard.receive()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read)
        nursery.start_soon(read)
        await wait_all_tasks_blocked()
        heard.finish(gone())


async def test_iteration() -> None:
    """A loop reads until the end of the session, which it raises."""
    heard = subscription()
    for number in range(3):
        heard.publish(load(number))
    heard.finish(gone())
    found: list[float] = []

    async def read() -> None:
        async for event in heard:
            found.append(event.timestamp)

    with pytest.raises(ChromeError):
        await read()
    assert found == [0, 1, 2]


async def test_first() -> None:
    """`first` passes over what the predicate refuses, which may be asynchronous."""
    heard = subscription()
    for number in range(6):
        heard.publish(load(number))

    async def even(event: Load) -> bool:
        await trio.lowlevel.checkpoint()
        return event.timestamp > 1 and event.timestamp % 2 == 0

    assert (await heard.first(lambda event: event.timestamp == 1)).timestamp == 1
    assert (await heard.first(even)).timestamp == 2
    assert rest(heard) == [3, 4, 5]


async def test_first_with_unreadable() -> None:
    """A predicate is never shown an event that could not be read."""
    heard = subscription()
    heard.publish(wire.Event("Page.loadEventFired", msgspec.Raw(b'{"timestamp":"never"}')))
    heard.publish(load(1))
    assert (await heard.first(lambda event: event.timestamp > 0)).timestamp == 1


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("Page.neverHeardOf", b'{"a":1}'),
        ("Nowhere.atAll", b"{}"),
        ("", b"{}"),
        ("Page.loadEventFired", b"{}"),
        ("Page.loadEventFired", b'{"timestamp":[]}'),
        ("Page.frameStartedLoading", b'{"frameId":"\xff"}'),
        ("Page.loadEventFired", b"null"),
        ("DOM.setChildNodes", b'{"parentId":1,"nodes":' + b'[{"children":' * 3_000 + b"]}"),
    ],
)
def test_raw(method: str, params: bytes) -> None:
    """What the bindings do not know or cannot read is delivered raw."""
    event = decode(wire.Event(method, msgspec.Raw(params)))
    assert isinstance(event, RawEvent)
    assert (event.method, bytes(event.params)) == (method, params)


def test_decoded_by_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Publishing decodes nothing: that is the reader's work, and only for what it reads."""
    read: list[str] = []

    def spy(event: wire.Event) -> object:
        read.append(event.method)
        return decode(event)

    monkeypatch.setattr(events, "decode", spy)
    heard = subscription()
    for number in range(5):
        heard.publish(load(number))
    assert read == []
    heard.receive_nowait()
    assert read == ["Page.loadEventFired"]
