"""Frames of a WebSocket server: joined however they are cut, refused when they break the rules."""

import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.transport.base import MAX_MESSAGE
from bridge.transport.websocket import FrameError, FrameReader, frame, mask
from tests.support.patient import patient

MORE, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
FINAL, RSV1, MASKED = 0x80, 0x40, 0x80


def server_frame(head: int, payload: bytes = b"", *, length: int | None = None) -> bytes:
    """A frame as servers send it; `length` lies about the size."""
    size = len(payload) if length is None else length
    if size < 126:
        return struct.pack(">BB", head, size) + payload
    if size < 1 << 16:
        return struct.pack(">BBH", head, 126, size) + payload
    return struct.pack(">BBQ", head, 127, size) + payload


payloads = st.one_of(
    st.binary(max_size=8),
    st.integers(120, 130).map(lambda size: b"m" * size),
    st.integers(65_530, 65_540).map(lambda size: b"l" * size),
)
pings = st.lists(st.sampled_from([PING, PONG]), max_size=1)
messages = st.lists(st.lists(st.tuples(pings, payloads), min_size=1, max_size=4), max_size=4)


@patient
@given(messages=messages, data=st.data())
def test_any_cut(messages: list[list[tuple[list[int], bytes]]], data: st.DataObject) -> None:
    """Fragments with control frames in between are joined the same way at any cut."""
    wire = b""
    expected: list[tuple[int, bytes]] = []
    for message in messages:
        for number, (controls, payload) in enumerate(message):
            for control in controls:
                wire += server_frame(FINAL | control, b"control")
                expected.append((control, b"control"))
            last = FINAL if number == len(message) - 1 else 0
            wire += server_frame(last | (MORE if number else TEXT), payload)
        expected.append((TEXT, b"".join(payload for _, payload in message)))
    cuts = data.draw(st.lists(st.integers(0, len(wire)), max_size=10))
    reader = FrameReader()
    found: list[tuple[int, bytes]] = []
    for start, end in pairwise(sorted({0, len(wire), *cuts})):
        found += reader.feed(wire[start:end])
    assert found == expected


def test_byte_by_byte() -> None:
    """One byte at a time gives the same frames, whatever their length is written in."""
    sizes = [0, 125, 126, 65_535, 65_536]
    wire = b"".join(server_frame(FINAL | TEXT, b"x" * size) for size in sizes)
    assert [len(payload) for _, payload in feed_bytes(FrameReader(), wire)] == sizes


def feed_bytes(reader: FrameReader, wire: bytes) -> list[tuple[int, bytes]]:
    found: list[tuple[int, bytes]] = []
    for byte in wire:
        found += reader.feed(bytes([byte]))
    return found


@pytest.mark.parametrize(
    ("wire", "why"),
    [
        pytest.param(bytes([FINAL | TEXT, MASKED | 1]), "masked", id="masked"),
        pytest.param(server_frame(FINAL | RSV1 | TEXT, b"x"), "not agreed", id="compressed"),
        pytest.param(server_frame(FINAL | 3, b"x"), "not agreed", id="reserved data"),
        pytest.param(server_frame(FINAL | 11, b"x"), "not agreed", id="reserved control"),
        pytest.param(server_frame(FINAL | PING, b"x" * 126), "too long", id="long ping"),
        pytest.param(server_frame(CLOSE, b"x"), "pieces", id="close in pieces"),
        pytest.param(server_frame(FINAL | MORE, b"x"), "fragments", id="continues nothing"),
        pytest.param(
            server_frame(TEXT, b"x") + server_frame(FINAL | TEXT, b"y"),
            "fragments",
            id="begins inside",
        ),
        pytest.param(
            server_frame(FINAL | TEXT, length=MAX_MESSAGE + 1), "more than", id="too long"
        ),
        pytest.param(server_frame(FINAL | TEXT, length=(1 << 64) - 1), "more than", id="absurd"),
        pytest.param(
            server_frame(TEXT, b"x") + server_frame(FINAL | MORE, length=MAX_MESSAGE),
            "more than",
            id="too long in sum",
        ),
    ],
)
def test_refused(wire: bytes, why: str) -> None:
    """A frame no server may send ends the connection, before its payload has arrived."""
    with pytest.raises(FrameError, match=why) as caught:
        FrameReader().feed(wire)
    assert caught.value.too_big == (why == "more than")
    with pytest.raises(FrameError, match=why):
        feed_bytes(FrameReader(), wire)


def test_limit_is_per_message() -> None:
    """Any number of messages in fragments, each below the limit, is taken."""
    message = server_frame(TEXT, b"x" * 400) + server_frame(FINAL | MORE, b"x" * 400)
    assert FrameReader(limit=1_000).feed(message * 5) == [(TEXT, b"x" * 800)] * 5


def test_largest_is_not_refused() -> None:
    """A frame of exactly the limit is waited for."""
    assert FrameReader().feed(server_frame(FINAL | TEXT, length=MAX_MESSAGE)) == []


@given(payload=payloads, key=st.binary(min_size=4, max_size=4))
def test_mask(payload: bytes, key: bytes) -> None:
    """Each byte is masked with the next of the key's, in turn; twice is not at all."""
    masked = mask(payload, key)
    assert list(masked) == [byte ^ key[at % 4] for at, byte in enumerate(payload)]
    assert mask(masked, key) == payload


def test_mask_in_pieces() -> None:
    """A payload that is masked piece by piece keeps its place in the key."""
    payload = bytes(range(251)) * 12_000
    masked = mask(payload, b"\1\2\3\4")
    assert masked[2_500_000] == payload[2_500_000] ^ b"\1\2\3\4"[2_500_000 % 4]
    assert mask(masked, b"\1\2\3\4") == payload


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_both_sides(size: int) -> None:
    """What a client says a server's reader understands, byte by byte too, and the reverse."""
    payload = bytes(range(256)) * 257
    said = frame(TEXT, mask(payload[:size], b"mask"), b"mask")
    assert FrameReader(masked=True).feed(said) == [(TEXT, payload[:size])]
    assert feed_bytes(FrameReader(masked=True), said) == [(TEXT, payload[:size])]
    assert FrameReader().feed(frame(TEXT, payload[:size], b"")) == [(TEXT, payload[:size])]


def test_unmasked() -> None:
    """A client that does not mask is refused."""
    with pytest.raises(FrameError, match="no client"):
        FrameReader(masked=True).feed(frame(TEXT, b"x", b""))
