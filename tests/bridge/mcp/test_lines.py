"""Chunks into lines, whatever the chunks, with a limit on what a line may cost."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from bridge.mcp.lines import HEAD, Lines, Overlong


def split(lines: Lines, *chunks: bytes) -> list[bytes | Overlong]:
    found = [line for chunk in chunks for line in lines.feed(chunk)]
    return [*found, *lines.end()]


@given(st.lists(st.binary(max_size=20)), st.lists(st.integers(0, 60)))
def test_any_chunks(parts: list[bytes], cuts: list[int]) -> None:
    """However the bytes are cut, the lines are those between the newlines."""
    data = b"\n".join(parts)
    places = sorted({min(cut, len(data)) for cut in cuts})
    bounds = [0, *places, len(data)]
    chunks = [data[a:b] for a, b in itertools.pairwise(bounds)]
    expected = data.split(b"\n")
    if expected[-1] == b"":
        expected.pop()  # nothing came after the last newline
    assert split(Lines(), *chunks) == expected


def test_overlong() -> None:
    """A line above the limit is told by its beginning, and the next one is read."""
    found = split(Lines(limit=10), b"0123456", b"789abc", b"def\nnext\n")
    assert found == [Overlong(b"0123456789abc"), b"next"]


def test_overlong_in_one_chunk() -> None:
    """It makes no difference that the whole line came at once."""
    assert split(Lines(limit=3), b"abcdef\nabc\n") == [Overlong(b"abcdef"), b"abc"]


def test_overlong_costs_its_head() -> None:
    """Of a line that never ends, only the beginning is kept."""
    lines = Lines(limit=100_000)
    for _ in range(50):
        assert list(lines.feed(b"x" * 10_000)) == []
    (found,) = lines.end()
    assert isinstance(found, Overlong)
    assert len(found.head) == HEAD


def test_overlong_at_the_end() -> None:
    """The end of the input ends an overlong line too."""
    assert split(Lines(limit=2), b"abc") == [Overlong(b"abc")]
