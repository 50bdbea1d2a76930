"""Names of keys, and what they mean."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import UsageError
from bridge.page.keys import key_for, parse_key
from tests.support.allowances import allowed


@pytest.mark.parametrize(
    ("text", "key", "code", "number", "writes", "held"),
    [
        ("a", "a", "KeyA", 65, "a", ()),
        ("A", "A", "KeyA", 65, "A", ()),
        ("!", "!", "Digit1", 49, "!", ()),
        ("+", "+", "Equal", 187, "+", ()),
        ("Enter", "Enter", "Enter", 13, "\r", ()),
        ("return", "Enter", "Enter", 13, "\r", ()),
        ("esc", "Escape", "Escape", 27, "", ()),
        (" ", " ", "Space", 32, " ", ()),
        ("F5", "F5", "F5", 116, "", ()),
        ("KeyQ", "q", "KeyQ", 81, "q", ()),
        ("Control+A", "a", "KeyA", 65, "a", ("Control",)),
        ("ctrl+shift+t", "T", "KeyT", 84, "T", ("Control", "Shift")),
        ("Shift+1", "!", "Digit1", 49, "!", ("Shift",)),
        ("Control++", "+", "Equal", 187, "+", ("Control",)),
        ("Meta+ArrowLeft", "ArrowLeft", "ArrowLeft", 37, "", ("Meta",)),
        ("é", "é", "", 0, "é", ()),
    ],
)
def test_keys(
    text: str, key: str, code: str, number: int, writes: str, held: tuple[str, ...]
) -> None:
    """A key has the name, code, number and text of a US keyboard."""
    stroke = parse_key(text)
    found = stroke.key
    assert (found.key, found.code, found.number, found.text) == (key, code, number, writes)
    assert stroke.held == held


def test_modifiers_beside() -> None:
    """Modifiers may come beside the key, and count once."""
    stroke = parse_key("Shift+Tab", ["Shift", "Alt"])
    assert stroke.held == ("Shift", "Alt")
    assert stroke.bits == 9
    stroke = parse_key("A", ["Control"])
    assert (stroke.key.key, stroke.held) == ("a", ("Control",))


@pytest.mark.parametrize(
    ("text", "meant"), [("Entr", "Enter"), ("ArowDown", "ArrowDown"), ("Hyper+a", "")]
)
def test_unknown(text: str, meant: str) -> None:
    """A key there is not is refused with the nearest there is."""
    with pytest.raises(UsageError, match="there is no key") as refused:
        parse_key(text)
    assert meant in refused.value.hint


def test_long_names() -> None:
    """A name that is far too long is not compared with any, and not shown: not even its beginning.

    What is cut may have been a secret, which is known only where it is whole.
    """
    began = time.process_time()
    with pytest.raises(UsageError, match="no key of 5,000,000 characters") as refused:
        parse_key("secret" + "x" * 4_999_994)
    assert time.process_time() - began < 0.3
    assert "secret" not in refused.value.report()


@given(st.characters())
def test_every_character(character: str) -> None:
    """Every character has a key that writes it."""
    assert key_for(character).text in (character, "\r", "")
    assert parse_key(character).held == ()


@given(st.text(max_size=20))
def test_any_text(text: str) -> None:
    """Any text is a key or a clear refusal."""
    with allowed("BAD_ARGS") as met:
        assert parse_key(text).key.key
    assert all(error.hint for error in met)
