"""The tests mirror the packages."""

from tests.house import mirror, sources
from tests.house.sinners import verdict

KNOWN_SINNERS: frozenset[str] = frozenset()


def test_mirror() -> None:
    """Every module of the product has a test file of its own."""
    missing = mirror.untested(sources.product_modules(), sources.by_hand(".py"))
    assert verdict(missing, KNOWN_SINNERS) == []


def test_missing_test() -> None:
    """A module without its file is found, also when a file of that name stands elsewhere."""
    modules = ["bridge/a/x.py", "bridge/b/x.py", "bridge/b/__init__.py"]
    assert mirror.untested(modules, {"tests/bridge/a/test_x.py"}) == {"bridge/b/x.py"}
