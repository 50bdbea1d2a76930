"""The numbers of refs that several tabs share."""

from bridge.page.numbers import Numbers


def _give(numbers: Numbers, tab_id: str, count: int, least: int = 1) -> int:
    with numbers.series(tab_id, least) as series:
        series.after = series.first + count
    return series.first


def test_one_after_the_other() -> None:
    """Tabs that are asked in turn go on where the last one stopped, and it is known who did."""
    numbers = Numbers()
    assert [_give(numbers, "a", 3), _give(numbers, "b", 2), _give(numbers, "a", 1)] == [1, 4, 6]
    assert [numbers.tab_of(0, number) for number in range(1, 8)] == [*"aaabba", ""]


def test_at_once() -> None:
    """Tabs that are asked at the same time begin far apart; one tab goes on in its own numbers."""
    numbers = Numbers()
    with numbers.series("a", 1) as first, numbers.series("b", 1) as second:
        with numbers.series("a", 7) as third:
            assert third.first > second.first
        first.after, second.after = first.first + 6_000, second.first + 2
    assert first.after < second.first
    assert numbers.tab_of(0, second.first) == "b"
    assert _give(numbers, "a", 1) == second.after


def test_nothing_given_out() -> None:
    """Where nothing was given out no number is spent; a page goes on above what it had itself."""
    numbers = Numbers()
    with numbers.series("a", 1), numbers.series("b", 1):
        pass
    assert _give(numbers, "a", 1) == 1
    assert _give(numbers, "a", 1, least=50) == 50


def test_cut_off() -> None:
    """A call that fails half-way spends nothing, and holds up nobody."""
    numbers = Numbers()
    try:
        with numbers.series("a", 1):
            raise KeyError
    except KeyError:
        pass
    assert _give(numbers, "b", 1) == 1


def test_frames() -> None:
    """A frame has a number that no frame of another tab has."""
    numbers = Numbers()
    assert [numbers.frame(tab_id) for tab_id in "aba"] == [1, 2, 3]
    assert [numbers.tab_of(frame, 5) for frame in (1, 2, 3, 4)] == ["a", "b", "a", ""]
