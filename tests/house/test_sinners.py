"""The list of exceptions shelters nobody new and nobody who has reformed."""

from tests.house.sinners import verdict


def test_new_offender() -> None:
    """An offender that is not listed is a complaint."""
    assert verdict({"a.py"}, set()) == ["a.py breaks the rule"]


def test_reformed_offender() -> None:
    """A listed name that no longer offends has to leave the list."""
    assert verdict(set(), {"a.py"}) == ["a.py is no sinner any more: take it off the list"]


def test_known_offender() -> None:
    """A listed offender is tolerated."""
    assert verdict({"a.py"}, {"a.py"}) == []
