"""Handing a reading out in pieces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.page.reading import Lines, read_lines

TREE = ["- main:", "  - list:", "    - a", "    - b", "  - c", "- d"]


def test_all_at_once() -> None:
    """What fits is handed out whole, in the order of the page, with nothing left."""
    shown = read_lines(1, Lines(list(TREE), {3})).piece(0, 1_000)
    assert shown.text == "\n".join(TREE)
    assert (shown.cursor, shown.left, shown.more) == (None, 0, "")


def test_in_view_first() -> None:
    """Lines in view come first, under the lines they hang under; the rest follows."""
    reading = read_lines(3, Lines(list(TREE), {3}))
    first = reading.piece(0, 30)
    assert first.text.splitlines() == ["- main:", "  - list:", "    - b"]
    assert first.more == "… 3 more lines; cursor s3:3"
    rest = reading.piece(3, 1_000)
    assert rest.text.splitlines() == ["- main:", "  - list:", "    - a", "  - c", "- d"]


def test_one_line_at_least() -> None:
    """A bound smaller than a line still hands out one, or a reader would never get on."""
    reading = read_lines(1, Lines(["- a" * 100, "- b"]))
    first = reading.piece(0, 10)
    assert first.text == "- a" * 100
    assert reading.piece(1, 10).text == "- b"


def test_nothing() -> None:
    """A page without lines is an empty piece."""
    shown = read_lines(1, Lines([])).piece(0, 10)
    assert (shown.text, shown.cursor) == ("", None)


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (None, None, None),
        ({0, 1}, {1}, {0, 1, 3}),
        ({0, 2}, {0, 1}, {0, 4}),
        ({1}, None, {1, 2, 3}),
    ],
)
def test_insert(outer: set[int] | None, inner: set[int] | None, expected: set[int] | None) -> None:
    """A frame's lines are indented under its own; they are in view if their frame is."""
    lines = Lines(["- a", "- iframe:", "- b"], outer)
    lines.insert(1, Lines(["- x", "  - y"], inner), 1)
    assert lines.lines == ["- a", "- iframe:", "  - x", "    - y", "- b"]
    assert lines.in_view == expected


@given(
    depths=st.lists(st.integers(0, 4), min_size=1, max_size=40),
    seen=st.sets(st.integers(0, 39)),
    bound=st.integers(1, 200),
)
def test_pieces(depths: list[int], seen: set[int], bound: int) -> None:
    """Together the pieces hold every line, each line under its parents, within the bound."""
    lines: list[str] = []
    depth = 0
    for number, wanted in enumerate(depths):
        depth = min(wanted, depth + 1) if number else 0
        lines.append("  " * depth + f"- {number}")
    reading = read_lines(1, Lines(list(lines), {n for n in seen if n < len(lines)}))
    told: set[str] = set()
    place = 0
    while True:
        piece = reading.piece(place, bound)
        own = piece.text.splitlines()
        assert sorted(own, key=lines.index) == own
        assert all("  " * (len(line) - len(line.lstrip())) is not None for line in own)
        assert own[0].startswith("- ")
        told.update(own)
        if piece.cursor is None:
            break
        place = int(piece.cursor.partition(":")[2])
        assert piece.left == len(lines) - place
    assert told == set(lines)


def test_brief() -> None:
    """A brief reading says about how much there is; one of the whole page goes on behind it."""
    brief = read_lines(7, Lines(["- main:", "  - a", "  - b"], unread=1_234))
    first = brief.piece(0, 1_000)
    assert first.more == "… about 1,200 more lines; cursor s7:3"
    assert 3 in brief.places
    assert 4 not in brief.places
    rest = read_lines(7, Lines(["- main:", "  - a", "  - b", "  - c", "- d"])).behind(brief, 3)
    assert rest.places == range(3, 5)
    piece = rest.piece(3, 14)
    assert piece.text.splitlines() == ["- main:", "  - c"]
    assert piece.more == "… 1 more line; cursor s7:4"
    assert rest.piece(4, 100).text == "- d"


def test_behind() -> None:
    """What was told is not told again, deeper or with more below it either."""
    brief = read_lines(1, Lines(["- a", "- a", "- b", "- c"], unread=9))
    lines = ["- list:", "  - a", "  - a", "  - a", "  - b:", "    - x", "- c"]
    whole = read_lines(1, Lines(lines))
    assert whole.behind(brief, 3).piece(3, 1_000).text.splitlines() == [
        "- list:",
        "  - a",
        "  - b:",
        "    - x",
        "- c",
    ]
