"""No number stands where a deadline is set."""

import pytest

from tests.house import deadlines, sources


def test_no_numbers() -> None:
    """The product takes every time limit from Timeouts."""
    found = [
        place
        for name in sources.product_modules()
        for place in deadlines.numbers_in_deadlines(name, sources.read(name))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "deadline(5, 'close', 'x')",
        "trio.move_on_after(0.5)",
        "fail_after(seconds=3)",
        "CancelScope(deadline=trio.current_time() + 2)",
        "move_on_after(timeouts.close * 2)",
        "GRACE = 2.0\nmove_on_after(GRACE)",
        "GRACE: float = 2.0\nmove_on_after(GRACE)",
    ],
)
def test_number(line: str) -> None:
    """A number is found, whether plain, in a sum or behind a constant."""
    assert len(deadlines.numbers_in_deadlines("a.py", line)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "deadline(timeouts, 'close', f'closing {n:.1f} of {names[1]}')",
        "move_on_after(timeouts.close, shield=True)",
        "move_on_after(max(0, end - now))",
        "other(5)",
    ],
)
def test_no_number(line: str) -> None:
    """Fields, flags, texts and zero are no complaint."""
    assert deadlines.numbers_in_deadlines("a.py", line) == []
