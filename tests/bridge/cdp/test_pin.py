"""Pinning a browser's protocol."""

import json

import msgspec
import pytest

from bridge.cdp.generate import PINNED
from bridge.cdp.pin import format_protocol

RAW = b"""{"version": {"major": "1", "minor": "3"}, "domains": [
    {"domain": "A", "types": [{"id": "T", "type": "string"}, {"id": "U", "type": "string"}],
     "dependencies": ["B"], "commands": []}]}"""


def test_same_content() -> None:
    """Only the browser's version is added."""
    pinned = json.loads(format_protocol(RAW, "1.2.3.4"))
    assert pinned.pop("browser") == "1.2.3.4"
    assert pinned == json.loads(RAW)


def test_line_per_entry() -> None:
    """A new type shows as one line of a diff."""
    lines = format_protocol(RAW, "1").splitlines()
    assert '{"id":"U","type":"string"}],' in lines


def test_refusal() -> None:
    """What the generator would not understand is not pinned."""
    with pytest.raises(msgspec.ValidationError):
        format_protocol(RAW.replace(b'"id"', b'"novelty": 1, "id"', 1), "1")


def test_pinned_file() -> None:
    """The pinned file is in this form, so the next one differs by its content only."""
    text = PINNED.read_text("utf-8")
    content = json.loads(text)
    browser = content.pop("browser")
    assert format_protocol(json.dumps(content).encode(), browser) == text
