"""A page's words, and its address, in a sentence of ours."""

import pytest

from bridge.page.quoting import address, cut, quoted


def test_one_line() -> None:
    """Nothing in it ends the line, leaves the quotes, or goes on for long."""
    assert quoted('a\r\n\u202eb "c" \\') == '"a b \\"c\\" \\\\"'
    assert quoted("x" * 5000, 10) == f'"{"x" * 9}…"'


def test_mark_of_a_cut() -> None:
    """Whatever is left out is marked, also where most of it was space: secrets are known by it."""
    assert quoted(" " * 95 + "hunter2zebra", 10) == '"hunte…"'
    assert quoted("a" + " " * 200, 10) == '"a…"'
    assert cut("hunter2zebra", 7) == "hunter…"
    assert cut("hunter2", 7) == "hunter2"


LONG = "x" * 2000


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"https://a/p?q#{LONG}", "https://a/p?q… (2,014 characters)"),
        (f"https://a/p?{LONG}#f", "https://a/p… (2,014 characters)"),
        (f"https://a/{LONG}", "https://a… (2,010 characters)"),
        (f"data:text/html,{LONG}", "data:… (2,015 characters)"),
        (LONG, "… (2,000 characters)"),
    ],
)
def test_long_address(url: str, shown: str) -> None:
    """A very long one ends where a part of it ends, and says that it does."""
    assert address(url) == shown


def test_address() -> None:
    """Any other is shown as it is."""
    url = f"https://a/p?{'q' * 900}#f"
    assert address(url) == url
