"""One tree of errors: families, codes, and copies that can be raised again."""

import pytest

from bridge import errors
from bridge.errors import FAMILIES, BridgeError, ChromeError, PageError


def test_families() -> None:
    """FAMILIES lists every family, each directly below the base and with codes of its own."""
    assert set(FAMILIES) == set(BridgeError.__subclasses__())
    assert all(family.codes for family in FAMILIES)
    assert len(FAMILIES) == 8


def test_tree_in_docstring() -> None:
    """The tree drawn at the top names every family."""
    assert errors.__doc__ is not None
    drawn = [
        line.split()[1] for line in errors.__doc__.splitlines() if line.lstrip()[:1] in tuple("├└")
    ]
    assert drawn == [family.__name__ for family in FAMILIES]


@pytest.mark.parametrize("code", ["TIMEOUT", "nonsense", ""])
def test_foreign_code(code: str) -> None:
    """A code of another family, or of none, cannot be raised."""
    with pytest.raises(ValueError, match="not a code of PageError"):
        PageError(code, "text")


def test_again() -> None:
    """A copy says the same, but is another object with facts of its own and no traceback."""
    first = ChromeError("CDP_ERROR", "text", hint="do", retryable=True, facts={"a": 1})
    try:
        raise first
    except ChromeError as caught:
        again = caught.again()
    assert type(again) is ChromeError
    assert (again.code, again.message, again.hint) == ("CDP_ERROR", "text", "do")
    assert (again.retryable, again.facts) == (True, {"a": 1})
    again.facts["b"] = 2
    assert first.facts == {"a": 1}
    assert again.__traceback__ is None


def test_report() -> None:
    """A report is code and sentence, then the hint if there is one."""
    assert ChromeError("CDP_ERROR", "It broke.").report() == "CDP_ERROR: It broke."
    hinted = ChromeError("CDP_ERROR", "It broke.", hint="Mend it.")
    assert hinted.report() == "CDP_ERROR: It broke.\nMend it."
    assert str(hinted) == "It broke."


def test_defaults() -> None:
    """Without a word from the raiser an error is not retryable: the call may have happened."""
    error = ChromeError("CDP_ERROR", "text")
    assert (error.retryable, error.hint, error.facts) == (False, "", {})
