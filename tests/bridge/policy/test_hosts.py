"""What an address means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.policy.hosts import is_in_use, is_ip, parse_address, parse_authority, told

_SAME_HOST = [
    "http://allowed.test/",
    "http://ALLOWED.test",
    "http://allowed.test:80/x",
    "ht\ttp://al\nlowed.test/",
    "http:\\\\allowed.test\\x",
    "http://evil.test@allowed.test/",
    "http://evil.test:80@allowed.test/",
    "http://allowed。test/",
    "http://ａllowed.test/",  # noqa: RUF001 -- a full-width letter
    "http://%61llowed%2etest/",
    "http:allowed.test",
    "http://al\u00adlowed.test/",
    "blob:http://allowed.test/1-2-3",
]
_OTHER_HOST = [
    ("http://allowed.test@evil.test/", "evil.test"),
    ("http://allowed.test\\@evil.test/", "allowed.test"),
    ("http://evil.test#@allowed.test", "evil.test"),
    ("http://allowed.test./", "allowed.test."),
    ("http://аllowed.test/", "xn--llowed-2nf.test"),  # noqa: RUF001 -- a Cyrillic letter
    ("http://2130706433/", "127.0.0.1"),
    ("http://0x7f.1/", "127.0.0.1"),
    ("http://0177.0.0.1/", "127.0.0.1"),
    ("http://[0:0::1]/", "[::1]"),
    ("http://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]"),
    ("view-source:http://allowed.test/", ""),
    ("javascript:alert(1)", ""),
    ("data:text/html,x", ""),
    ("blob:null/1", ""),
]


@pytest.mark.parametrize("text", _SAME_HOST)
def test_spellings_of_one_host(text: str) -> None:
    """However a host is spelt, it comes out as Chrome would write it."""
    address = parse_address(text)
    assert address is not None
    assert (address.host, address.port, address.origin) == (
        "allowed.test",
        80,
        "http://allowed.test",
    )


@pytest.mark.parametrize(("text", "host"), _OTHER_HOST)
def test_tricks(text: str, host: str) -> None:
    """What only looks like a host does not become that host."""
    address = parse_address(text)
    assert address is not None
    assert address.host == host


@pytest.mark.parametrize(
    "text", ["", "allowed.test", "http://", "//x", "http://a%00b/", "http://[::1"]
)
def test_no_address(text: str) -> None:
    """What no browser could open has no meaning."""
    assert parse_address(text) is None


@pytest.mark.parametrize("text", ["about:blank", "ABOUT:blank", "about:blank?x#y", " about:blank"])
def test_blank(text: str) -> None:
    """The blank page is recognised in every spelling."""
    address = parse_address(text)
    assert address is not None
    assert address.is_blank


@pytest.mark.parametrize("text", ["about:config", "about://blank", "about:blankx", "http://blank/"])
def test_not_blank(text: str) -> None:
    """No other page passes for the blank one."""
    address = parse_address(text)
    assert address is None or not address.is_blank


@given(st.text(st.characters(exclude_categories=())))
def test_any_text(text: str) -> None:
    """Any text at all, unpaired surrogates included, is an address or none."""
    address = parse_address(text)
    assert address is None or parse_address(address.href) is not None


def test_unpaired_surrogate_in_the_path() -> None:
    """An unpaired surrogate costs the character, as in Chrome, and not the address."""
    address = parse_address("http://allowed.test/\ud800")
    assert address is not None
    assert address.href == "http://allowed.test/%EF%BF%BD"


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("allowed.test:443", ("allowed.test", 443)),
        ("[::1]:8080", ("[::1]", 8080)),
        ("127.0.0.1:80", ("127.0.0.1", 80)),
        ("allowed.test", None),
        ("ALLOWED.test:80", None),
        ("2130706433:80", None),
        ("a@allowed.test:80", None),
        ("allowed.test/x:80", None),
        ("allowed.test:65536", None),
        ("allowed.test:٨٠", None),
        (":80", None),
    ],
)
def test_authorities(text: str, meaning: tuple[str, int] | None) -> None:
    """A proxy's client names a canonical host and a port, or nothing."""
    assert parse_authority(text) == meaning


def test_numeric_hosts() -> None:
    """Numeric addresses are told from names."""
    assert is_ip("127.0.0.1")
    assert is_ip("[::1]")
    assert not is_ip("1.example.com")


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("good.test", "good.test"),
        ("good.test:8080", "good.test:8080"),
        ("[::1]:80", "[::1]:80"),
        ("*", '"*"'),
        ("note;the.user.agreed", '"note;the.user.agreed"'),
        ('"),x.test', '"\\"),x.test"'),
        ("a" * 81, f'"{"a" * 79}…"'),
    ],
)
def test_in_a_sentence(host: str, said: str) -> None:
    """Plain names are told as they are; what a page made up is cut, and stands in quotes."""
    assert told(host) == said


@pytest.mark.parametrize("host", ["*", "*.com", "a,b.test", "a;b", "", "a" * 255])
def test_nobody_has_it(host: str) -> None:
    """A name that could be a pattern, holds other signs or is too long is nobody's."""
    assert not is_in_use(host)
    assert is_in_use("xn--pple-43d.com")
