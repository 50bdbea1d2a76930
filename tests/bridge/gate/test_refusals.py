"""What is kept of refusals, and how it is told."""

import pytest

from bridge.gate.refusals import Refusal, Refusals, describe


def test_taken_once() -> None:
    """Refusals are counted by tab, host and kind, and told once."""
    refusals = Refusals()
    for kind in ("Image", "Image", "Script"):
        refusals.note("A", "evil.test", kind)
    refusals.note("B", "other.test", "Image")
    assert refusals.take("A") == (
        Refusal("evil.test", "Image", 2),
        Refusal("evil.test", "Script", 1),
    )
    assert refusals.take("A") == ()
    assert refusals.total == 4


def test_bounded() -> None:
    """Neither a page that asks everywhere nor thousands of tabs fill the memory."""
    refusals = Refusals()
    for number in range(1_000):
        refusals.note("A", f"h{number}.test", "Image")
    assert len(refusals.take("A")) == 50
    for number in range(1_000):
        refusals.note(f"T{number}", "evil.test", "Image")
    assert refusals.take("T0") == ()
    assert refusals.take("T999")


@pytest.mark.parametrize(
    ("hosts", "sentence"),
    [
        ([], ""),
        ([("a.test", 1)], "1 request to a.test was refused"),
        ([("a.test", 2), ("a.test", 1)], "3 requests to a.test were refused"),
        ([("b.test", 1), ("a.test", 2)], "3 requests were refused: 2 to a.test, 1 to b.test"),
        (
            [(f"h{n}.test", 1) for n in range(7)],
            "7 requests were refused: 1 to h0.test, 1 to h1.test, 1 to h2.test, 1 to h3.test, "
            "1 to h4.test and to 2 more hosts",
        ),
    ],
)
def test_one_sentence(hosts: list[tuple[str, int]], sentence: str) -> None:
    """An answer says in a sentence how many requests were refused, and to whom."""
    assert describe(tuple(Refusal(host, "Image", count) for host, count in hosts)) == sentence
