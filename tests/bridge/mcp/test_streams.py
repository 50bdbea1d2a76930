"""The wire as the SDK sees it."""

import json

import anyio
import mcp_types as types
import pytest
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from bridge.mcp.admission import FIRST
from bridge.mcp.envelope import Message, read
from bridge.mcp.streams import Incoming, Outgoing, Places, encode, model_of
from bridge.mcp.wire import Wire, open_wire
from bridge.timeouts import Timeouts

_NEITHER = 499_900  # bytes of an answer that makes places neither more nor fewer


class Peer:
    """Says everything at once, then hangs up; keeps what it gets."""

    def __init__(self, *lines: str, stays: bool = False) -> None:
        self._said = "".join(f"{line}\n" for line in lines).encode()
        self._stays = stays
        self.got = b""

    async def read(self) -> bytes:
        said, self._said = self._said, b""
        if not said and self._stays:
            await trio.sleep_forever()
        await trio.lowlevel.checkpoint()
        return said

    async def write(self, data: bytes) -> None:
        await trio.lowlevel.checkpoint()
        self.got += data


def request(number: object, method: str = "tools/list") -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method})


def result(number: int, size: int = 0) -> SessionMessage:
    body = {"text": "x" * size}
    return SessionMessage(types.JSONRPCResponse(jsonrpc="2.0", id=number, result=body))


async def all_of(wire: Wire, places: Places) -> list[types.JSONRPCMessage]:
    return [each.message async for each in Incoming(wire, places)]


async def test_models() -> None:
    """Requests, notifications, results and errors become the SDK's own, until the end."""
    peer = Peer(
        request(1),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"result":{}}',
        '{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no"}}',
    )
    async with open_wire(peer, peer, Timeouts()) as wire:
        found = await all_of(wire, Places(wire))
    assert [type(each) for each in found] == [
        types.JSONRPCRequest,
        types.JSONRPCNotification,
        types.JSONRPCResponse,
        types.JSONRPCError,
    ]


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just("\ud83d"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("message"), inner),
)


@given(
    st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0")},
        optional={
            "id": _ANYTHING,
            "method": _ANYTHING,
            "params": _ANYTHING,
            "result": _ANYTHING,
            "error": _ANYTHING | st.fixed_dictionaries({"code": _ANYTHING, "message": _ANYTHING}),
        },
    )
)
def test_every_message_has_a_model(body: dict[str, object]) -> None:
    """Whatever passes the reader of lines, the SDK's models take."""
    for message in read(json.dumps(body).encode()):
        if isinstance(message, Message):
            model_of(message)


async def test_places() -> None:
    """An answer, and the word that there will be none, free a place."""
    peer = Peer(*(request(number) for number in range(FIRST + 2)), stays=True)
    async with open_wire(peer, peer, Timeouts()) as wire:
        places = Places(wire)
        incoming, outgoing = Incoming(wire, places), Outgoing(wire, places)
        taken = [await incoming.receive() for _ in range(FIRST)]
        with trio.move_on_after(0) as scope:
            await incoming.receive()
        assert scope.cancelled_caught
        await outgoing.send(result(0, _NEITHER))
        await outgoing.send(result(0, _NEITHER))
        assert (await incoming.receive()).message.id == FIRST  # type: ignore[union-attr]
        metadata = taken[1].metadata
        assert isinstance(metadata, ServerMessageMetadata)
        assert metadata.on_request_unanswered is not None
        await metadata.on_request_unanswered()
        assert (await incoming.receive()).message.id == FIRST + 1  # type: ignore[union-attr]


async def test_answered_before() -> None:
    """The SDK is played the handshake it missed, and its answer to that is dropped, once."""
    peer = Peer(stays=True)
    (first,) = read(request(7, "initialize").encode())
    assert isinstance(first, Message)
    async with open_wire(peer, peer, Timeouts()) as wire:
        places = Places(wire)
        incoming, outgoing = Incoming(wire, places, [first]), Outgoing(wire, places, 7)
        assert (await incoming.receive()).message.id == 7  # type: ignore[union-attr]
        await outgoing.send(result(7))
        await outgoing.send(result(7))
    assert peer.got.count(b"\n") == 1


async def test_client_gone() -> None:
    """A client that is gone is told in the SDK's own terms."""

    class Deaf(Peer):
        async def write(self, data: bytes) -> None:
            await trio.lowlevel.checkpoint()
            raise BrokenPipeError

    peer = Deaf(stays=True)
    async with open_wire(peer, peer, Timeouts()) as wire:
        outgoing = Outgoing(wire, Places(wire))
        await outgoing.send(result(1))
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(anyio.BrokenResourceError):
            await outgoing.send(result(2))


def test_encoded() -> None:
    """A message is one line, and half a surrogate pair in it is replaced."""
    message = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={"a": "x\ny", "b": "\ud83d!"})
    line = encode(message)
    assert line.count(b"\n") == 1
    assert json.loads(line)["result"] == {"a": "x\ny", "b": "?!"}
