r"""Unpaired surrogates, which JavaScript allows in a string and UTF-8 does not.

A page need only cut a string in the middle of an emoji: Chrome then sends the escape `\ud83d`
alone, and msgspec refuses the whole message, even where it only skips over it. Encoding a Python
string that holds one fails likewise. Both are mended by U+FFFD, the character for "unreadable".
"""

import re

# Tokens are read from the left, so that of `\\ud800` the first two characters are one token (an
# escaped backslash) and `ud800` is ordinary text. Only the lone half of a pair lands in the group.
_ESCAPE = re.compile(
    rb"\\(?:"
    rb"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # a true pair
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})"  # a half
    rb"|."  # any other escape
    rb")",
    re.DOTALL,
)


def scrub(data: bytes) -> bytes:
    """JSON text with every unpaired surrogate escape replaced; everything else untouched."""
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data)


def scrub_text(text: str) -> str:
    """A string that UTF-8 can hold: pairs of surrogates are joined, lone ones replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
