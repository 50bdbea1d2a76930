"""A page's words in a sentence of ours."""

from bridge.page.quoting import quoted


def test_one_line() -> None:
    """Nothing in it ends the line, leaves the quotes, or goes on for long."""
    assert quoted('a\r\n\u202eb "c" \\') == '"a b \\"c\\" \\\\"'
    assert quoted("x" * 5000, 10) == f'"{"x" * 9}…"'
