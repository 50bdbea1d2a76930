"""A secret is known again however often it was escaped, and in whatever letters."""

import html
import json
from base64 import b64encode
from collections.abc import Callable
from urllib.parse import quote, quote_plus, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.page.links import Link
from bridge.tools.writing import Written

VALUE = 'Pä"ss w&rd/<1>+\\'


def _percent(text: str) -> str:
    return quote(text, safe="")


def _json(text: str) -> str:
    return json.dumps(text)[1:-1]


def _twice(text: str) -> str:
    return _json(_json(text))


def _scrubbed(value: str, text: str) -> str:
    return Written({"X": value}).replaced(text)


@pytest.mark.parametrize("value", ["hunter2zebra", "Hunter2 Zebra", "straße & Köln"])
@pytest.mark.parametrize("change", [str.upper, str.lower, str.title, str.capitalize, str.swapcase])
def test_letters_that_a_style_changed(value: str, change: Callable[[str], str]) -> None:
    """A value is found in capitals or small letters, escaped as well."""
    for told in (change(value), _percent(change(value)), _json(change(value))):
        assert _scrubbed(value, f"q={told}&x") == "q={{X}}&x"


def test_name_of_a_host() -> None:
    """A value that became part of the name of a host has small letters only."""
    host = urlsplit("http://Hunter2ZEBRA.example/").hostname or ""
    assert _scrubbed("Hunter2ZEBRA", f"http://{host}/") == "http://{{X}}.example/"


def test_short_value_in_other_letters() -> None:
    """A value of few characters is a word of its own in other letters, and stays."""
    assert _scrubbed("Rust", "rust RUST Rust") == "rust RUST {{X}}"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("sk_live_0-1.2", r"sk\_live\_0\-1\.2"),
        ("1. Zebra", r"1\. Zebra"),
        ("_Ze_ bra_", r"\_Ze\_ bra\_"),
        ("____", r"\_\_\_\_"),
        ("a[b]_c(d)", r"a\[b\]\_c(d)"),
    ],
)
def test_words_in_markdown(value: str, told: str) -> None:
    """A value is found where Markdown marks its signs as no marks of its own."""
    assert _scrubbed(value, f"> {told}") == "> {{X}}"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("Köln中straße", "K%F6ln%26%2320013%3Bstra%DFe"),  # as Chrome sends it, in ISO-8859-1
        ("Köln中straße", "K%F6ln%u4E2Dstra%DFe"),  # as `escape` has it
        ("zażółć gęślą", "za%BF%F3%B3%E6+g%EA%9Cl%B9"),
        ("пароль-1", "%EF%E0%F0%EE%EB%FC-1"),
        ("表示パス", "%95%5C%8E%A6%83p%83X"),
        ("秘密🙂98", "%C3%D8%C3%DC%26%23128578%3B98"),
    ],
)
def test_letters_of_an_old_page(value: str, told: str) -> None:
    """A value is found in an address that a page has made which is not in UTF-8."""
    assert _scrubbed(value, f"?q={told}&x") == "?q={{X}}&x"


@pytest.mark.parametrize("told", ["K%F6ln-9%26%2320013%3Bab", "K%F6ln-9%u4E2Dab"])
def test_letters_of_an_old_page_cut_off(told: str) -> None:
    """So is the beginning of one, wherever it was cut."""
    for left in range(len("K%F6ln-9"), len(told)):
        assert _scrubbed("Köln-9中ab", f"?q={told[:left]}…") == "?q={{X}}…", left


_KEY = "-----BEGIN KEY-----\nMIIE+/d\nef\n-----END KEY-----"


@pytest.mark.parametrize(
    "told",
    [
        *(_KEY.replace("\n", end) for end in ("\n", "\r\n", "\n  ", "\n> ", "<br>", "")),
        *(write(_KEY.replace("\n", "\r\n")) for write in (_percent, quote_plus, _json, _twice)),
        b64encode(_KEY.replace("\n", "\r\n").encode()).decode(),
        " ".join(_KEY.split()),
    ],
)
def test_lines(told: str) -> None:
    """A value of several lines is found however forms, lists and markup end and begin them."""
    assert _scrubbed(_KEY, f"({told})") == "({{X}})"


def test_words_of_a_link() -> None:
    """A value with square brackets is found in a list of links, which shows round ones."""
    line = Link("https://a.example/", "Key: pa[ss]_word", True).line
    assert _scrubbed("pa[ss]_word", line) == "- [Key: {{X}}](https://a.example/)"


@pytest.mark.parametrize("outer", [_percent, _json, html.escape, str])
@pytest.mark.parametrize("inner", [_percent, _json, html.escape])
def test_escaped_twice(inner: Callable[[str], str], outer: Callable[[str], str]) -> None:
    """A value is found in an address in an address, JSON in JSON, and one in the other."""
    if (inner, outer) == (html.escape, _percent):
        return  # nobody does
    assert _scrubbed(VALUE, f"q={outer(inner(VALUE))}!") == "q={{X}}!"
    if inner is outer:
        assert _scrubbed(VALUE, f"q={outer(outer(inner(VALUE)))}!") == "q={{X}}!"


def test_escaped_twice_and_cut() -> None:
    """So is the beginning of one, wherever it was cut."""
    for escape in (_percent, _json):
        whole = escape(escape(VALUE))
        for left in range(len(escape(escape(VALUE[:6]))), len(whole)):
            assert _scrubbed(VALUE, f"q={whole[:left]}…") == "q={{X}}…", left


@pytest.mark.parametrize("value", [r"\u005c", r"a\\u005cb", "&amp;x&#38;", "%2525%", r"C:\new\x41"])
def test_value_that_looks_escaped(value: str) -> None:
    """A value is found as it is, though its signs could be the escape of others."""
    for told in (value, _percent(value), html.escape(value)):
        assert _scrubbed(value, f"({told})") == "({{X}})"


@settings(max_examples=25)  # to compile the patterns of one takes 0.1 s
@given(st.text(min_size=4).filter(lambda text: len(text.strip()) >= 4))
def test_any_value_twice(value: str) -> None:
    """Whatever the value, it is found in an address in an address."""
    if value in "{{X}}":
        return
    try:
        twice = _percent(_percent(value))
    except UnicodeEncodeError:
        return
    assert twice not in _scrubbed(value, f"\n{twice}\n").replace("{{X}}", "\0")


@pytest.mark.parametrize("piece", ['\\\\\\"\\\\\\u00e4', "%25", "&amp;", '\\"', "\\"])
def test_near_misses(piece: str) -> None:
    """What is nearly a value, over and over, takes no longer than its length asks for."""
    value = '\\"ä' * 12 + "%C3&" * 4 + "\\" * 12 + "x"
    text = piece * (60_000 // len(piece))
    assert _scrubbed(value, text) == text


WORDS = " ".join(f"word{chr(97 + number)}{number}" for number in range(24))
LINES = "\n".join(f"{chr(65 + number) * 20}{number}/+=abcdefghijklmnop" for number in range(9))


@pytest.mark.parametrize("value", [WORDS, LINES])
@pytest.mark.parametrize("change", [str, _percent, _json, _twice, str.upper])
def test_long_value_that_was_cut(value: str, change: Callable[[str], str]) -> None:
    """Of a long value with spaces or lines nothing is left, wherever it was cut."""
    told = change(value)
    for length in range(20, len(told), 7):
        assert _scrubbed(value, f"is {told[:length]}… ({length})") == f"is {{{{X}}}}… ({length})"


@pytest.mark.parametrize("value", [WORDS, LINES, "hunter2zebra", VALUE])
@pytest.mark.parametrize("change", [str, _percent, _json, _twice, str.upper])
def test_end_of_a_value_behind_a_cut(value: str, change: Callable[[str], str]) -> None:
    """Nothing is left of a value whose middle was left out, as Chrome does in logged objects."""
    for kept in range(8, min(50, len(value) - 1)):
        told = f"{change(value[:9])}…{change(value[-kept:])}"
        assert _scrubbed(value, f'"{told}"') == '"{{X}}…{{X}}"'
    assert _scrubbed(value, f"a… {change(value[-8:])}") == f"a… {change(value[-8:])}"


def test_what_begins_like_a_long_value() -> None:
    """Its beginning over and over takes no longer than its length asks for, and is shown."""
    text = (LINES[:70] + "!") * 6_000 + " …"
    assert _scrubbed(LINES, text) == text
    assert _scrubbed(LINES, f"{LINES[:70]}! {LINES[:90]}…") == f"{LINES[:70]}! {{{{X}}}}…"


def test_whose_value() -> None:
    """Each of many values has its own name put in its place, the longest first."""
    values = {f"N{number}": f"value-{number}" for number in range(60)}
    written = Written(values)
    text = " ".join(values.values())
    assert written.replaced(text) == " ".join(f"{{{{{name}}}}}" for name in values)
    assert written.replaced("is value-5…") == "is {{N5}}…"
