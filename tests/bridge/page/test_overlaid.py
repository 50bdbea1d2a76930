"""Scripts that ask elements past the names of what is inside them."""

import re

import pytest

from bridge.page import library
from bridge.page.overlaid import METHODS, PROPERTIES, past_overlays, second_names


@pytest.mark.parametrize(
    ("script", "made"),
    [
        ("element.localName", "element[$localName]"),
        ("element?.parentElement?.id", "element?.[$parentElement]?.[$id]"),
        ("`<${element.localName}>`", "`<${element[$localName]}>`"),
        ("at.matches(wanted)", "at[$matches](wanted)"),
        ("tree.getElementById?.(id)", "tree[$getElementById]?.(id)"),
        ("found.matches + matches", "found.matches + matches"),
        ("lib.attributes = lib.focus(x)", "lib.attributes = lib.focus(x)"),
        ("this.children(root)", "this.children(root)"),
        ("root.children.length", "root[$children].length"),
        ("element.titles", "element.titles"),
    ],
)
def test_asked_by_the_second_name(script: str, made: str) -> None:
    """What an element can be asked goes by its second name; what is ours stays as it is."""
    assert past_overlays(script) == made


def test_each_has_one() -> None:
    """Every name in a script is declared before it."""
    declared = set(re.findall(r"^const (\$\w+) =", second_names(), re.MULTILINE))
    used = set(re.findall(r"\[(\$\w+)\]", library.source()))
    assert used <= declared
    assert len(declared) == len(PROPERTIES + METHODS)


def test_none_is_taken_apart() -> None:
    """No script takes such a property by a pattern, where it would keep its first name."""
    for name in library.ORDER:
        patterns = re.findall(r"\{([^{}]*)\} =[^=>]", library.script(name))
        taken = {word for pattern in patterns for word in re.findall(r"\w+", pattern)}
        assert not taken & set(PROPERTIES), name
