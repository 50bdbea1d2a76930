"""An error code has exactly one family."""

from bridge.errors import FAMILIES, LaunchError, PageError, UsageError
from tests.house import codes, sources

OWNED = {family.__name__: family.codes for family in FAMILIES}


def test_one_family() -> None:
    """No code is claimed twice."""
    assert codes.shared(FAMILIES) == []


def test_families_are_complete() -> None:
    """Every class of errors is among the families."""
    assert codes.unlisted(FAMILIES) == []


def test_raised_by_its_family() -> None:
    """The product names each code together with the family that owns it."""
    found = [
        place
        for name in sources.product_modules()
        for place in codes.misraised(name, sources.read(name), OWNED)
    ]
    assert found == []


def test_shared_code() -> None:
    """A code of two families is found."""
    assert codes.shared([LaunchError, PageError, LaunchError]) == sorted(LaunchError.codes)


def test_unlisted_family() -> None:
    """A class of errors left out of the families is found."""
    without = [family for family in FAMILIES if family is not UsageError]
    assert codes.unlisted(without) == ["UsageError"]


def test_misraised_code() -> None:
    """A code raised by a foreign family is found, a code held in a variable is left alone."""
    text = (
        'raise errors.PageError("BUSY", "x")\nraise ChatError("BUSY", "x")\nPageError(code, "x")\n'
    )
    assert codes.misraised("a.py", text, OWNED) == ["a.py:1 BUSY"]
