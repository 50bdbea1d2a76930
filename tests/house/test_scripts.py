"""No function of the page's library takes the place of another."""

import pytest

from bridge.page import library
from tests.house.scripts import claimed_twice


def test_library() -> None:
    """Every name at the top of the library's files is declared once."""
    files = [(name, library.script(name)) for name in library.ORDER]
    assert claimed_twice(files) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("function seen() {}", "function seen(a) {\n}"),
        ("function* seen() {}", "async function seen() {}"),
        ("const seen = 1;", "function seen() {}"),
        ("let seen;", "class seen {}"),
    ],
)
def test_twice(one: str, other: str) -> None:
    """A name of two files is found, however each declares it."""
    assert claimed_twice([("a", f"// x\n{one}\n"), ("b", f"\n{other}")]) == ["seen: a, b"]


def test_method() -> None:
    """So is a second answer to one call of ours."""
    text = "lib.seen = () => 1;\n"
    assert claimed_twice([("a", text), ("b", text)]) == ["lib.seen: a, b"]


def test_inner_names() -> None:
    """Names inside functions, and uses of a name, are nobody's business."""
    text = "function one() {\n  const at = 1;\n  function inner() {}\n}\nlib.one = one;\none();\n"
    assert claimed_twice([("a", text), ("b", text.replace("one", "two"))]) == []
