"""How many calls may begin in a minute."""

from hypothesis import example, given
from hypothesis import strategies as st

from bridge.policy.rate import WINDOW, Rate

_PAUSES = st.lists(st.floats(0, WINDOW), min_size=1, max_size=60)


def test_no_limit() -> None:
    """Without one nothing is counted."""
    rate = Rate()
    assert not any(rate.wait(0.0) for _ in range(10_000))


def test_limit() -> None:
    """One too many waits until the oldest is a minute old; one that was refused is not counted."""
    rate = Rate(2)
    assert [rate.wait(now) for now in (0.0, 10.0, 15.0, 20.0, 60.0, 69.0, 70.0)] == [
        0.0, 0.0, 45.0, 40.0, 0.0, 1.0, 0.0
    ]  # fmt: skip


def test_taken_back() -> None:
    """A call that has not begun after all leaves its place to another, and the others theirs."""
    rate = Rate(2)
    assert [rate.wait(0.0), rate.wait(10.0)] == [0.0, 0.0]
    rate.take_back(0.0)
    rate.take_back(5.0)
    assert [rate.wait(20.0), rate.wait(30.0)] == [0.0, 40.0]


@example([504.61462819938464, 0.0], 1)
@given(_PAUSES, st.integers(1, 5))
def test_any_minute(pauses: list[float], most: int) -> None:
    """No minute has more of them, wherever it begins, and nobody waits longer than one."""
    rate, now, begun = Rate(most), 0.0, list[float]()
    for pause in pauses:
        now += pause
        left = rate.wait(now)
        assert 0.0 <= left <= WINDOW
        if not left:
            begun.append(now)
    for first, beyond in zip(begun, begun[most:], strict=False):
        assert beyond >= first + WINDOW - 1e-6
