"""The pipe: NUL-ended texts, cut by the kernel wherever it likes."""

import os
from itertools import pairwise

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st
from trio.testing import wait_all_tasks_blocked

from bridge.errors import ChromeError
from bridge.transport.pipe import open_pipe
from tests.support.patient import patient

TEXTS = st.lists(st.binary(max_size=30).map(lambda text: text.replace(b"\0", b"0")), max_size=8)


async def read_all(reader: int, found: list[bytes]) -> None:
    """Receive until the browser is gone, through a transport that closes both its descriptors."""

    async def read() -> None:
        while True:
            found.extend(await transport.receive())

    spare, writer = os.pipe()
    async with open_pipe(reader, writer) as transport:
        with pytest.raises(ChromeError) as caught:
            await read()
        assert caught.value.code == "BROWSER_GONE"
    os.close(spare)


@settings(patient, max_examples=60)
@given(texts=TEXTS, cuts=st.lists(st.integers(0, 250), max_size=12), tail=st.booleans())
async def test_any_chunking(texts: list[bytes], cuts: list[int], tail: bool) -> None:
    """However the bytes are cut, the same messages come out, and half a one never does."""
    data = b"".join(text + b"\0" for text in texts) + b"half" * tail
    edges = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    found: list[bytes] = []
    reader, writer = os.pipe()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_all, reader, found)
        for start, end in pairwise(edges):
            os.write(writer, data[start:end])
            await wait_all_tasks_blocked()
        os.close(writer)
    assert found == texts


async def test_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """A message without an end is refused at the limit instead of filling the memory."""
    monkeypatch.setattr("bridge.transport.pipe.MAX_MESSAGE", 50_000)
    reader, writer = os.pipe()
    found: list[bytes] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_all, reader, found)
        os.write(writer, b"x" * 40_000 + b"\0" + b"y" * 10_000)
        await wait_all_tasks_blocked()
        assert found == [b"x" * 40_000]
        os.write(writer, b"y" * 45_000)
        # Only the refusal ends the reader: the writing end is still open.
    os.close(writer)


async def test_limit_is_per_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any number of messages in pieces, each below the limit, is taken."""
    monkeypatch.setattr("bridge.transport.pipe.MAX_MESSAGE", 50_000)
    reader, writer = os.pipe()
    found: list[bytes] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read_all, reader, found)
        for _ in range(4):
            os.write(writer, b"x" * 30_000)
            await wait_all_tasks_blocked()
            os.write(writer, b"\0")
            await wait_all_tasks_blocked()
        os.close(writer)
    assert found == [b"x" * 30_000] * 4


async def test_descriptors_closed() -> None:
    """Both descriptors are closed when the block ends."""
    reader, writer = os.pipe()
    async with open_pipe(*(os.dup(fd) for fd in (reader, writer))) as transport:
        await transport.send(b"hello")
    os.close(writer)
    assert os.read(reader, 100) == b"hello\0"
    assert os.read(reader, 100) == b"", "somebody still holds the writing end"
    os.close(reader)


async def test_last_words_are_long() -> None:
    """What does not fit into the pipe at once arrives, also from a block that is cancelled."""
    theirs, ours = os.pipe()
    spare, end = os.pipe()
    words = b"x" * 500_000
    with trio.move_on_after(0):
        async with open_pipe(spare, ours) as transport:
            try:
                await trio.sleep_forever()
            finally:
                with trio.CancelScope(shield=True):
                    await transport.send(words)
                    heard = await trio.to_thread.run_sync(_read_message, theirs)
    assert heard == words
    os.close(theirs)
    os.close(end)


def _read_message(fd: int) -> bytes:
    heard = b""
    while not heard.endswith(b"\0"):
        heard += os.read(fd, 65_536)
    return heard[:-1]
