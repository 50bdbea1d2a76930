"""Cutting, and going on."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.errors import UsageError
from bridge.tools.budget import BYTES_PER_TOKEN, Readings, fitting
from bridge.tools.reply import Reply

TEXTS = st.text(alphabet=st.sampled_from("ab \n€😀"), min_size=1, max_size=400)


def cursor_of(reply: Reply) -> str:
    """The cursor an answer names, or nothing."""
    return reply.more.partition("cursor: ")[2].partition(" ")[0]


def read_all(readings: Readings, text: str, tokens: int) -> list[str]:
    """All pieces of a text, as a caller gets them."""
    reply = readings.begin(text, source="", tokens=tokens)
    pieces = [reply.page]
    while cursor := cursor_of(reply):
        reply = readings.go_on(cursor, tokens)
        pieces.append(reply.page)
    return pieces


@given(TEXTS, st.integers(1, 60))
@settings(deadline=None)
def test_pieces_are_the_whole(text: str, tokens: int) -> None:
    """Cursors lead through the whole text, each piece within its budget."""
    start = 0
    while start < len(text):
        piece = fitting(text, start, tokens)
        assert piece
        assert len(piece.encode()) <= tokens * BYTES_PER_TOKEN
        start += len(piece)
    told = "".join(piece.replace("\n", "") for piece in read_all(Readings(), text, tokens))
    assert told == text.replace("\n", "")


def test_names_the_tool_that_goes_on() -> None:
    """Every piece of a reading names the tool it goes on with, whoever asked for the piece."""
    readings = Readings()
    first = readings.begin("one\ntwo\nthree\n", source="", tokens=1, tool="read_as_markdown")
    second = readings.go_on(cursor_of(first), 1)
    assert first.more.endswith(" (read_as_markdown goes on)")
    assert second.more.endswith(" (read_as_markdown goes on)")
    assert readings.begin("x" * 9, source="", tokens=1).more.endswith(" (get_text goes on)")


def test_whole_lines() -> None:
    """A piece ends with a line where it can, and in the middle of one that is very long."""
    assert fitting("one\ntwo\nthree", 0, 3) == "one\ntwo\n"
    assert fitting("x" * 100, 0, 3) == "x" * 12


def test_no_budget_is_everything() -> None:
    """A budget of 0 means all of it, and no cursor."""
    reply = Readings().begin("long " * 10_000, source="", tokens=0)
    assert (len(reply.page), reply.more) == (50_000, "")


def test_says_what_is_left() -> None:
    """A cut answer counts what it leaves out."""
    reply = Readings().begin("x" * 10_000, source="https://a.example/", tokens=100)
    assert reply.more.startswith("… cut: 9,600 more characters; cursor: ")
    assert reply.source == "https://a.example/"


def test_same_reading() -> None:
    """A cursor can be used again and says the same."""
    readings = Readings()
    cursor = cursor_of(readings.begin("one\ntwo\nthree\n", source="", tokens=1))
    assert readings.go_on(cursor, 1) == readings.go_on(cursor, 1)


@pytest.mark.parametrize("cursor", ["", "x", "x:1", ":", "e12", "{}:999", "{}:-1", "{}:", "{}:²"])
def test_bad_cursors(cursor: str) -> None:
    """What is no cursor of a kept reading is BAD_ARGS with the next step."""
    readings = Readings()
    key = cursor_of(readings.begin("x" * 100, source="", tokens=1)).partition(":")[0]
    with pytest.raises(UsageError) as refused:
        readings.go_on(cursor.replace("{}", key), 1)
    assert refused.value.code == "BAD_ARGS"
    assert "without a cursor" in refused.value.hint


def test_bounded() -> None:
    """The oldest reading is forgotten when there are too many or they are too large."""
    readings = Readings(kept=2, most=250)
    cursors = [cursor_of(readings.begin("x" * 100, source="", tokens=1)) for _ in range(3)]
    with pytest.raises(UsageError):
        readings.go_on(cursors[0], 1)
    assert readings.go_on(cursors[1], 1).page == "xxxx"
    large = readings.begin("x" * 251, source="", tokens=1)
    assert "too many to keep" in large.more
    assert readings.go_on(cursors[2], 1).page == "xxxx"


def test_scrubbed_before_it_is_cut() -> None:
    """What must not be shown is not shown in pieces either."""
    readings = Readings()
    readings.scrub = lambda text: text.replace("CANARY", "{{X}}")
    told = readings.begin("ab CANARY cd", source="", tokens=1)
    cursor = told.more.partition("cursor: ")[2].split()[0]
    rest = readings.go_on(cursor, 0)
    assert told.page + rest.page == "ab {{X}} cd"
