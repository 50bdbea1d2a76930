"""Modules and functions stay below their ceilings."""

from tests.house import ceilings, sources
from tests.house.sinners import verdict

TALL_MODULES: frozenset[str] = frozenset()
TALL_FUNCTIONS: frozenset[str] = frozenset()


def test_modules() -> None:
    """No hand-written module is longer than the ceiling."""
    tall = {
        found
        for name in sources.by_hand(".py", ".js", ".mjs")
        for found in ceilings.tall_module(name, sources.read(name))
    }
    assert verdict(tall, TALL_MODULES) == []


def test_functions() -> None:
    """No hand-written function is longer than the ceiling."""
    tall = {
        found
        for name in sources.by_hand(".py")
        for found in ceilings.tall_functions(name, sources.read(name))
    }
    assert verdict(tall, TALL_FUNCTIONS) == []


def test_tall_module() -> None:
    """One line above the ceiling is found, the ceiling itself is not."""
    assert ceilings.tall_module("a.py", "x = 1\n" * ceilings.MODULE) == set()
    assert ceilings.tall_module("a.py", "x = 1\n" * (ceilings.MODULE + 1)) == {"a.py"}


def test_tall_function() -> None:
    """One line above the ceiling is found in a method too; decorators do not count."""
    body = "        pass\n"
    fits = "class A:\n    @d\n    @d\n    def f(self):\n" + body * (ceilings.FUNCTION - 1)
    assert ceilings.tall_functions("a.py", fits) == set()
    assert ceilings.tall_functions("a.py", fits + body) == {"a.py:f"}
