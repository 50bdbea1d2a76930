"""A module has its test where a stranger looks: bridge/x/y.py, tests/bridge/x/test_y.py."""

from collections.abc import Collection, Iterable
from pathlib import PurePosixPath

EXEMPT = {"__init__.py", "__main__.py"}


def home_of_test(module: str) -> str:
    """Where the test of a module belongs."""
    path = PurePosixPath(module)
    return str(PurePosixPath("tests") / path.parent / f"test_{path.name}")


def untested(modules: Iterable[str], tests: Collection[str]) -> set[str]:
    """The modules whose mirrored test file is missing."""
    return {
        module
        for module in modules
        if PurePosixPath(module).name not in EXEMPT and home_of_test(module) not in tests
    }
