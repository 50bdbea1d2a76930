"""A page's words, and its address, in a sentence of ours."""

import pytest

from bridge.page.quoting import address, quoted, shortened


def test_one_line() -> None:
    """Nothing in it ends the line, leaves the quotes, or goes on for long."""
    assert quoted('a\r\n\u202eb "c" \\') == '"a b \\"c\\" \\\\"'
    assert quoted("x" * 5000, 10) == f'"{"x" * 9}…"'


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


def test_shortened() -> None:
    """What is cut ends with the sign for it, and what is not stays as it is."""
    assert shortened("abcd", 4) == "abcd"
    assert shortened("abcde", 4) == "abcd…"
