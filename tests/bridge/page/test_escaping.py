"""What of a page's words would be read as Markdown."""

import time

import pytest

from bridge.page import escaping
from bridge.page.escaping import address, beginning, fence, in_cell, pairs_in, plain


@pytest.mark.parametrize(
    "text",
    [
        "2*3 and 5 * 4",
        "snake_case, a_b_c",
        "Price* and more. *terms apply",
        "~5 to ~6",
        "C# [1] (see [2]) a < b & c <3",
        r"C:\Users\me",
        "What? Yes! No: 50 % + 3 = x | y",
    ],
)
def test_ordinary(text: str) -> None:
    """Ordinary words stay as they are."""
    assert plain(text, pairs=pairs_in(text)) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("5*3*2", r"5\*3\*2"),
        ("__init__", r"\_\_init__"),
        ("~~old~~", r"\~\~old~~"),
        ("[x](y)", r"[x\](y)"),
        ("`rm -rf`", r"\`rm -rf\`"),
        ("<b>x</b> <!-- -->", r"\<b>x\</b> \<!-- -->"),
        ("&lt; &#60;", r"\&lt; \&#60;"),
        (r"\* \a", r"\\* \a"),
        ("ends\\", "ends\\\\"),
    ],
)
def test_inside(text: str, escaped: str) -> None:
    """What would be structure anywhere is told from it."""
    assert plain(text, pairs=pairs_in(text)) == escaped


def test_places() -> None:
    """Links keep their brackets, cells their pipes, marks their own."""
    assert plain("a] [b", linked=True) == r"a\] \[b"
    assert plain("a](b", linked=True) == r"a\](b"
    assert in_cell(r"a \| `b") == r"a \| \`b"
    assert plain("*a* ~", marked=True) == r"\*a\* \~"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("# a", r"\# a"),
        ("#tag", "#tag"),
        ("- a", r"\- a"),
        ("-5", "-5"),
        ("+ a", r"\+ a"),
        ("* a", r"\* a"),
        ("1. a", r"1\. a"),
        ("12) a", r"12\) a"),
        ("1.5 a", "1.5 a"),
        ("> a", r"\> a"),
        ("~~~", r"\~~~"),
        ("---", r"\-\-\-"),
        ("===", r"\=\=\="),
        ("[a]: b", r"\[a]: b"),
        ("[ ] a", r"\[ ] a"),
        ("[1] a", "[1] a"),
        ("| a |", r"\| a |"),
        ("a # b - c > d 1. e", "a # b - c > d 1. e"),
    ],
)
def test_beginning(text: str, escaped: str) -> None:
    """What is structure at the beginning of a line is so only there."""
    assert beginning(text).replace(r"\~\~\~", r"\~~~") == escaped


def test_address() -> None:
    """An address does not end at a bracket of its own."""
    assert address("https://a.example/b_(c)") == "https://a.example/b_(c)"
    assert address("https://a.example/b)[c](d") == "https://a.example/b%29[c]%28d"
    assert address("mailto:a b") == "mailto:a%20b"


def test_fence() -> None:
    """No line of the code ends it."""
    assert fence("a ` b") == "```"
    assert fence("````\n```") == "`````"


@pytest.mark.parametrize("sign", "*_~`[]\\<&-1#|")
def test_hostile(sign: str) -> None:
    """A million of one sign are looked at once, not over and over."""
    begun = time.monotonic()
    for text in (sign * 300_000, f"{sign}a" * 300_000, f"a{sign} " * 300_000):
        beginning(plain(text, pairs=pairs_in(text), linked=True))
    assert time.monotonic() - begun < 10
    assert escaping.pairs_in("") == ""
