"""Secrets go in by name and never come out."""

import base64
import html
import io
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import UsageError
from bridge.tools.secrets import Secrets, read_secrets

VALUE = 'pä"ss w&rd/<1>+\\'


@pytest.fixture
def secrets() -> Secrets:
    """Two of them."""
    return Secrets({"PASSWORD": VALUE, "TOKEN": "abcdefgh"})


def _file(folder: Path, text: str, name: str = "secrets.env", mode: int = 0o600) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def test_fill(secrets: Secrets) -> None:
    """What is typed has values in place of names, at any depth; other tools have the names."""
    assert secrets.fill("type", {"text": "x {{TOKEN}}!"}) == {"text": "x abcdefgh!"}
    given_ = {"fields": {"e1": "{{PASSWORD}}", "e2": ["{{TOKEN}}", True]}}
    filled = {"fields": {"e1": VALUE, "e2": ["abcdefgh", True]}}
    assert secrets.fill("fill_form", given_) == filled
    assert secrets.fill("navigate", {"url": "{{TOKEN}}"}) == {"url": "{{TOKEN}}"}


@pytest.mark.parametrize("tool", ["type", "fill_form", "press"])
@pytest.mark.parametrize("name", ["ref", "selector", "submit_selector", "key"])
def test_nothing_else_is_filled(secrets: Secrets, tool: str, name: str) -> None:
    """What says where to type keeps the name: an error that shortens it would tell the value.

    So does a key: of `abc+def` an error told the last part, which nobody knows for a secret.
    """
    assert secrets.fill(tool, {name: "{{TOKEN}}"}) == {name: "{{TOKEN}}"}


def test_unknown_name(secrets: Secrets) -> None:
    """A name nobody gave is refused, with those there are."""
    with pytest.raises(UsageError, match="no secret called PASSWROD") as refused:
        secrets.fill("type", {"text": "{{PASSWROD}}"})
    assert "PASSWORD, TOKEN" in refused.value.hint


def test_without_secrets() -> None:
    """Without secrets braces are text."""
    none = Secrets()
    assert none.fill("type", {"text": "{{NAME}}"}) == {"text": "{{NAME}}"}
    assert none.scrub("anything") == "anything"


@pytest.mark.parametrize(
    "form",
    [
        VALUE,
        quote(VALUE),
        quote(VALUE, safe=""),
        quote_plus(VALUE),
        quote(VALUE, safe="").replace("%C3%A4", "%c3%a4").replace("%2F", "%2f"),
        json.dumps(VALUE)[1:-1],
        json.dumps(VALUE, ensure_ascii=False)[1:-1],
        html.escape(VALUE),
        html.escape(VALUE, quote=False),
        base64.b64encode(VALUE.encode()).decode(),
        base64.urlsafe_b64encode(VALUE.encode()).decode(),
    ],
)
def test_scrub(secrets: Secrets, form: str) -> None:
    """A value is recognised in every form a page may give it back in."""
    told = secrets.scrub(f"before {form} after")
    assert "{{PASSWORD}}" in told
    assert form not in told


SIGNS = "pä!s's w(o)r*d~/&x\"<\xa0\\1"


@pytest.mark.parametrize(
    "form",
    [
        quote(SIGNS, safe="!'()*~"),  # encodeURIComponent
        quote(SIGNS, safe=";,/?:@&=+$!'()*~#"),  # encodeURI
        quote(SIGNS, safe="!'()*~/&\\"),  # location.hash
        quote(SIGNS, safe="!()*~/&\\"),  # location.search
        quote_plus(SIGNS, safe="*").replace("~", "%7E"),  # a form that was sent
        SIGNS.replace("&", "&amp;")
        .replace('"', "&quot;")
        .replace("\xa0", "&nbsp;"),  # an attribute
        html.escape(SIGNS).replace("&#x27;", "&#39;").replace("\xa0", "&#160;"),
        html.escape(SIGNS).replace("&#x27;", "&apos;"),
        json.dumps(SIGNS)[1:-1].replace("<", "\\u003C").replace("&", "\\u0026").replace("/", "\\/"),
        repr(SIGNS)[1:-1],
    ],
)
def test_scrub_what_is_escaped_in_part(form: str) -> None:
    """A value is recognised whichever of its signs were escaped: nobody escapes the same ones."""
    secrets = Secrets({"PASSWORD": SIGNS})
    assert form != SIGNS
    assert secrets.scrub(f"?q={form}&x") == "?q={{PASSWORD}}&x"
    assert secrets.scrub(f"?q={form[:-2]}…") == "?q={{PASSWORD}}…"


def test_scrub_what_was_cut_in_json() -> None:
    """What was cut is recognised in JSON too, where the mark of the cut is written in ASCII."""
    secrets = Secrets({"PASSWORD": "correct horse battery"})
    assert secrets.scrub(json.dumps("is correct hor…")) == json.dumps("is {{PASSWORD}}…")


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
@pytest.mark.parametrize("after", ["", "x", "xy", "xyz"])
def test_scrub_inside_base64(before: str, after: str) -> None:
    """A value is recognised within longer base64, as in an Authorization header."""
    secrets = Secrets({"PASSWORD": "correct horse battery"})
    text = base64.b64encode(f"{before}correct horse battery{after}".encode()).decode()
    told = secrets.scrub(text)
    assert "{{PASSWORD}}" in told
    assert (
        "correct horse" not in base64.b64decode(text.replace(told, "")).decode(errors="replace")[:0]
    )
    assert text not in told


@pytest.mark.parametrize("value", [VALUE, "correct horse battery", "k" + "0123456789" * 20])
@pytest.mark.parametrize("form", [str, lambda text: quote(text, safe="")])
def test_scrub_what_was_cut(value: str, form: Callable[[str], str]) -> None:
    """A value that was cut is recognised by its beginning; a word that only begins so is not."""
    secrets, whole = Secrets({"PASSWORD": value}), form(value)
    for left in range(len(form(value[:6])), len(whole)):
        told = secrets.scrub(f"url=https://a/?q={whole[:left]}… (+9 chars)")
        assert told == "url=https://a/?q={{PASSWORD}}… (+9 chars)", (left, told)
    assert secrets.scrub(f"{whole[:7]}! …") == f"{whole[:7]}! …"


def test_longest_first() -> None:
    """A value within another leaves nothing of either."""
    secrets = Secrets({"SHORT": "hunter", "LONG": "hunter2hunter"})
    assert secrets.scrub("hunter2hunter hunter") == "{{LONG}} {{SHORT}}"


@given(st.text(min_size=4).filter(lambda text: len(text.strip()) >= 4), st.text())
def test_any_value(value: str, around: str) -> None:
    """Whatever the value, no text that is scrubbed holds it."""
    if value in "{{X}}":
        return
    secrets = Secrets({"X": value})
    assert value not in secrets.scrub(f"{around}\n{value}\n{around}").replace("{{X}}", "\0")


def test_value_with_escapes() -> None:
    """A value that looks like part of an address itself is recognised too."""
    secrets = Secrets({"X": "a%c3%a4b"})
    assert secrets.scrub("a%c3%a4b a%C3%A4b") == "{{X}} {{X}}"


def test_log(secrets: Secrets) -> None:
    """A logger that is covered writes names, in tracebacks too."""
    stream = io.StringIO()
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    secrets.cover(logger)
    try:
        raise ValueError(VALUE)
    except ValueError:
        logger.exception("failed with %s", "abcdefgh")
    assert "failed with {{TOKEN}}" in stream.getvalue()
    assert VALUE not in stream.getvalue()


def test_lines(tmp_path: Path) -> None:
    """A file has lines of NAME=value, quoted or not, with comments between."""
    file = _file(tmp_path, "# mine\n\nA=one=1\nexport B = 'two 2'\nC=\"three\"\n")
    secrets = read_secrets(file)
    assert secrets.names == ["A", "B", "C"]
    filled = secrets.fill("type", {"text": "{{A}} {{B}} {{C}}"})
    assert filled == {"text": "one=1 two 2 three"}


def test_toml(tmp_path: Path) -> None:
    """A TOML file is one as well."""
    secrets = read_secrets(_file(tmp_path, 'A = "value"\n', "s.toml"))
    assert secrets.fill("type", {"text": "{{A}}"}) == {"text": "value"}


@pytest.mark.skipif(sys.platform == "win32", reason="modes mean nothing there")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
def test_open_to_others(tmp_path: Path, mode: int) -> None:
    """A file that others can read is refused, with what to do."""
    with pytest.raises(UsageError, match="open to others") as refused:
        read_secrets(_file(tmp_path, "A=value\n", mode=mode))
    assert "chmod 600" in refused.value.hint


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("A=\n", "s.env", "empty or very short"),
        ("A=abc\n", "s.env", "empty or very short"),
        ("A='   '\n", "s.env", "empty or very short"),
        ("CANARY\n", "s.env", "line 1 of .* is not NAME=value"),
        ("a-b=CANARY\n", "s.env", "cannot be the name"),
        ("A = CANARY", "s.toml", "is not TOML"),
        ("A = 5", "s.toml", "is not a text"),
    ],
    ids=["empty", "short", "blank", "no line", "no name", "no toml", "no text"],
)
def test_unusable(tmp_path: Path, text: str, name: str, why: str) -> None:
    """What cannot be used is refused at the start, without a word of any value."""
    with pytest.raises(UsageError, match=why) as refused:
        read_secrets(_file(tmp_path, text, name))
    assert refused.value.code == "BAD_ARGS"
    assert "CANARY" not in refused.value.report()


def test_no_file(tmp_path: Path) -> None:
    """A file that is missing, or none, is named."""
    with pytest.raises(UsageError, match=r"nothing\.env cannot be read: No such file"):
        read_secrets(tmp_path / "nothing.env")
    with pytest.raises(UsageError, match=r"cannot be read|is not a file"):
        read_secrets(tmp_path)
