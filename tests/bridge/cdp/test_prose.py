"""Descriptions as docstrings."""

import ast

import pytest

from bridge.cdp.model import Member
from bridge.cdp.prose import WIDTH, describe, docstring


def test_flags() -> None:
    """Flags follow the description as words."""
    member = Member(description="A thing", experimental=True, deprecated=True)
    assert describe(member) == "A thing. Experimental. Deprecated."


def test_fallback() -> None:
    """Where nothing is said the fallback speaks, and a link keeps its end."""
    assert describe(Member(), "Page.frameResized.") == "Page.frameResized."
    assert describe(Member(description="See https://a.test/b")) == "See https://a.test/b"
    assert describe(Member()) == ""


@pytest.mark.parametrize("text", [r"a \d pattern", 'said "yes"', '"""', "\\", 'a\\"'])
def test_escape(text: str) -> None:
    """Backslashes and quotes survive the way through the source text."""
    (line,) = docstring(text)
    assert ast.literal_eval(line) == text


def test_refill() -> None:
    """Line breaks of the protocol's source are dropped, those of a list are kept."""
    lines = docstring("One\ntwo:\n- first\n- second", "    ")
    assert lines == ['    """One two:', "    - first", "    - second", '    """']


def test_width() -> None:
    """Long text is wrapped within the width, list entries with a hanging indent."""
    lines = docstring("word " * 60, "    ", [f"name: {'text ' * 40}"])
    assert max(map(len, lines)) <= WIDTH
    assert "        text text" in "\n".join(lines)


def test_empty() -> None:
    """No text makes no docstring."""
    assert docstring("") == []
