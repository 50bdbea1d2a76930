"""Which hosts a pattern means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import UsageError
from bridge.policy.patterns import Pattern, other_spellings, parse_pattern

_LABEL = st.from_regex(r"[a-z]([a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
_NAME = st.lists(_LABEL, min_size=1, max_size=4).map(".".join)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("*", Pattern("")),
        ("*:8080", Pattern("", port=8080)),
        ("example.com", Pattern("example.com")),
        (" EXAMPLE.com ", Pattern("example.com")),
        ("*.example.com", Pattern("example.com", below=True)),
        ("example.com:8080", Pattern("example.com", port=8080)),
        ("example.com:80", Pattern("example.com", port=80)),
        ("https://example.com/a?b#c", Pattern("example.com")),
        ("https://example.com:8443/a", Pattern("example.com", port=8443)),
        ("https://*.example.com/*", Pattern("example.com", below=True)),
        ("straße.test", Pattern("xn--strae-oqa.test")),
        ("127.1", Pattern("127.0.0.1")),
        ("[::1]:80", Pattern("[::1]", port=80)),
    ],
)
def test_reading(text: str, pattern: Pattern) -> None:
    """A pattern is read into its canonical form, a pasted address into its host."""
    assert parse_pattern(text) == pattern


@pytest.mark.parametrize(
    "text",
    [
        *("", "*.", "ex*mple.com", "*example.com", "*.*", "**", "a b", "*.127.0.0.1", "*.[::1]"),
        *("a@b.test", "https://a@b.test/", "file:///etc", "example.com:99999"),
        *("a:b", "::1", "-:", "http://", "example.com:", "é%zz", ":80", "*:"),
        *(".example.com", "*..example.com", "a..test", "\u3002a.test"),
        *("a.test,b.test", "a.test;b.test", "a.test|b.test", "(a.test)", "a.test:80:80"),
    ],
)
def test_refusing(text: str) -> None:
    """What is no pattern is refused with the forms there are."""
    with pytest.raises(UsageError, match="cannot be a host pattern") as caught:
        parse_pattern(text)
    assert "*.example.com" in caught.value.hint


def test_user() -> None:
    """Of a pasted address with a user's name in it, that is what is wrong."""
    with pytest.raises(UsageError, match="users have no say"):
        parse_pattern("https://a@b.test/")


@given(_NAME, _LABEL)
def test_only_whole_labels(name: str, label: str) -> None:
    """`*.name` means the name and what is below it, never a name that only ends alike."""
    pattern = parse_pattern(f"*.{name}")
    assert pattern.matches(name, 443)
    assert pattern.matches(f"{label}.{name}", 443)
    assert not pattern.matches(f"{label}{name}", 443)
    elsewhere = f"{name}.{label}x"
    assert pattern.matches(elsewhere, 443) == elsewhere.endswith(f".{name}")
    assert not parse_pattern(name).matches(f"{label}.{name}", 443)


@given(_NAME, st.integers(1, 65535), st.integers(1, 65535))
def test_ports(name: str, mine: int, other: int) -> None:
    """A port that is named is the only one."""
    assert Pattern(name, port=mine).matches(name, other) == (mine == other)
    assert Pattern(name).matches(name, other)


@given(_NAME, st.booleans(), st.none() | st.integers(1, 65535))
def test_written_and_read_again(name: str, below: bool, port: int | None) -> None:
    """A pattern can be shown and read again without a change."""
    pattern = Pattern(name, below, port)
    assert parse_pattern(str(pattern)) == pattern


def test_refusals_cover_other_spellings() -> None:
    """A host stays refused with the root's dot behind it and as IPv6; only that one is allowed."""
    evil, loopback = parse_pattern("evil.test"), parse_pattern("127.0.0.1")
    assert evil.covers("evil.test.", 80)
    assert not evil.matches("evil.test.", 80)
    assert loopback.covers("[::ffff:7f00:1]", 80)
    assert not loopback.matches("[::ffff:7f00:1]", 80)
    assert not loopback.covers("[::1]", 80)
    assert parse_pattern("[::ffff:127.0.0.1]").covers("127.0.0.1", 80)
    assert parse_pattern("evil.test.").covers("evil.test", 80)


@pytest.mark.parametrize(
    ("host", "other"),
    [("127.0.0.2", ["[::ffff:7f00:2]"]), ("a.test", ["a.test."]), ("[::1]", []), ("", [])],
)
def test_other_spellings(host: str, other: list[str]) -> None:
    """An IPv4 address has a second spelling, and so has a name; each leads back to the first."""
    assert list(other_spellings(host)) == other
    assert [name for each in other for name in other_spellings(each)] == [host] * len(other)
