"""How hypothesis runs in this house."""

from hypothesis import settings

from tests.support.patient import patient


def test_no_deadline() -> None:
    """No example is failed for taking long, with or without settings of its own."""
    assert settings().deadline is None
    assert patient.deadline is None
