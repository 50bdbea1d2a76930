"""Which links are wanted, and how they read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.page.links import Link, Wanted, chosen_links, matches

HOME = Link("https://a.example/", "Home", True)
AD = Link("https://b.example/ad?id=1", "Buy", False)


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [
        ("", True),
        ("example", True),
        ("a.example/*2026*.pdf", True),
        ("*", True),
        ("2026*a.example", False),
        ("A.EXAMPLE", False),
        ("^https", False),
    ],
)
def test_patterns(pattern: str, holds: bool) -> None:
    """A pattern is a part of the address, with stars for anything; nothing else is special."""
    assert matches(pattern, "https://a.example/x/2026/report.pdf") is holds


@given(st.text(), st.text())
def test_any_pattern(pattern: str, url: str) -> None:
    """An address matches itself; no pattern is an error."""
    matches(pattern, url)
    assert matches(url.replace("*", ""), url.replace("*", ""))


def test_wanted() -> None:
    """Own links only, included ones only, and without the excluded ones."""
    assert chosen_links([HOME, AD], Wanted(same_origin_only=True)) == [HOME]
    assert chosen_links([HOME, AD], Wanted(include=["ad?", "nothing"])) == [AD]
    assert chosen_links([HOME, AD], Wanted(include=["example"], exclude=["b."])) == [HOME]


def test_once_each() -> None:
    """An address comes once, with the first words there are for it."""
    blank, other = Link(HOME.url, "", True), Link(HOME.url, "Start", True)
    assert chosen_links([blank, HOME, other], Wanted()) == [HOME]


@pytest.mark.parametrize(
    ("link", "line"),
    [
        (HOME, "- [Home](https://a.example/)"),
        (Link("https://a.example/", "", True), "- https://a.example/"),
        (Link("https://a.example/", None, True), "- https://a.example/ [hidden]"),
        (Link("https://a.example/", "a [ref=e1] b", True), "- [a (ref=e1) b](https://a.example/)"),
    ],
)
def test_lines(link: Link, line: str) -> None:
    """A line has words and address; words cannot forge a mark."""
    assert link.line == line
