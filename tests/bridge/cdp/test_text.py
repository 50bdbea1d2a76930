r"""Unpaired surrogates in JSON text and in strings."""

import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.cdp.text import scrub, scrub_text

_LONE = re.compile("[\ud800-\udfff]")
# Any string JavaScript can hold, rich in surrogates, backslashes and what looks like an escape.
_PIECES = st.sampled_from(
    ["\ud83d", "\ude00", "\ud800", "\udfff", "\U0001f600", "\\", "ud800", '"']
)
anything = st.lists(_PIECES | st.characters(), max_size=12).map("".join)


def mended(text: str) -> str:
    """What a reader that joins pairs and replaces the rest makes of a string."""
    joined = re.sub(
        "[\ud800-\udbff][\udc00-\udfff]",
        lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"),
        text,
    )
    return _LONE.sub("\ufffd", joined)


@given(anything)
def test_scrub(text: str) -> None:
    """What json.loads reads with lone surrogates in it, msgspec reads with U+FFFD for each."""
    data = json.dumps({"t": text}).encode()
    before = json.loads(data)["t"]
    assert msgspec.json.decode(scrub(data)) == {"t": mended(before)}


@given(anything)
def test_scrub_twice(text: str) -> None:
    """Scrubbing what has been scrubbed changes nothing."""
    once = scrub(json.dumps(text).encode())
    assert scrub(once) == once


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (rb'"\ud800"', rb'"\ufffd"'),
        (rb'"\uDBFF\uDC00"', rb'"\uDBFF\uDC00"'),
        (rb'"\ud83d\ud83d\ude00"', rb'"\ufffd\ud83d\ude00"'),
        (rb'"\\ud800"', rb'"\\ud800"'),
        (rb'"\\\ud800"', rb'"\\\ufffd"'),
        (rb'"\ude00\ud83d"', rb'"\ufffd\ufffd"'),
        (rb'"\ud83d\\ude00"', rb'"\ufffd\\ude00"'),
    ],
)
def test_scrub_cases(data: bytes, expected: bytes) -> None:
    """Halves are replaced; pairs and escaped backslashes are left alone."""
    assert scrub(data) == expected


@given(st.text())
def test_scrub_innocent(text: str) -> None:
    """Text without surrogates passes unchanged, escaped or not."""
    for data in (json.dumps(text).encode(), msgspec.json.encode(text)):
        assert msgspec.json.decode(scrub(data)) == text


@given(anything)
def test_scrub_text(text: str) -> None:
    """A scrubbed string can be encoded, and differs only where a surrogate was alone."""
    assert scrub_text(text) == mended(text)
    scrub_text(text).encode()
