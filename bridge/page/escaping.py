"""Keeps words of a page from being read as Markdown: pure text in, text out.

Only what a parser would take for something is escaped, so ordinary words stay as they are: `2*3`,
`snake_case`, a footnote's star, `C#`. What a mark means depends on the whole of its block, so that
is asked for the marks that come in pairs.
"""

import re
from typing import Any

_INLINE = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|$)"  # it would take the next sign's meaning
    r"|`"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=\#?\w{1,31};)"
    r"|\](?=\()"
)
_OPENING = {
    "*": re.compile(r"(?<!\*)\*++(?=\S)"),
    "_": re.compile(r"(?<!\w)_++(?=\S)"),
    "~": re.compile(r"(?<!~)~++(?=\S)"),
}
_CLOSING = {
    "*": re.compile(r"[^\s*]\*"),
    "_": re.compile(r"[^\s_]_+(?!\w)"),
    "~": re.compile(r"[^\s~]~"),
}
_MARKS = re.compile(r"[*_~]")
_BRACKETS = re.compile(r"[\[\]]")
_BEGINNING = re.compile(
    r"#{1,6}(?=\s|$)"
    r"|[-+*](?=\s|$)"
    r"|>"
    r"|~~~"
    r"|(?:-+|=+|_{3,})(?=\s*$)"
    r"|\|"
    r"|\[(?=[ xX]\]\s|[^\]]*\]:)"  # a task, the address of a link
)
_NUMBER = re.compile(r"(\d{1,9})(?=[.)](?:\s|$))")
_PIPE = r"\|"


def pairs_in(block: str) -> str:
    """The marks that this text of a whole block would have in pairs."""
    return "".join(mark for mark in _OPENING if mark in block and _has_pair(mark, block))


def _has_pair(mark: str, block: str) -> bool:
    opening = _OPENING[mark].search(block)
    if opening is None:
        return False
    return any(closing.start() >= opening.end() for closing in _CLOSING[mark].finditer(block))


def plain(text: str, *, pairs: str = "", linked: bool = False, marked: bool = False) -> str:
    """The words so that they are read as they are, inside of a link and of marks as well."""
    text = _INLINE.sub(_escaped, text)
    for mark in "" if marked else pairs:
        text = _OPENING[mark].sub(_escaped, text)
    if marked:
        text = _MARKS.sub(_escaped, text)
    return _BRACKETS.sub(_escaped, text.replace("\\]", "]")) if linked else text


def in_cell(text: str, **within: Any) -> str:
    """The same for words in a table, whose pipes were escaped before."""
    return _PIPE.join(plain(part, **within) for part in text.split(_PIPE))


def beginning(text: str) -> str:
    """The same for words at the beginning of a line."""
    text = _BEGINNING.sub(_escaped, text, count=1) if _BEGINNING.match(text) else text
    return _NUMBER.sub(r"\1\\", text, count=1) if _NUMBER.match(text) else text


def address(href: str) -> str:
    """The address of a link, which a bracket of its own does not end."""
    href = re.sub(r"\s", "%20", href)
    open_ = 0
    for sign in href:
        open_ += (sign == "(") - (sign == ")")
        if open_ < 0:
            break
    return href.replace("(", "%28").replace(")", "%29") if open_ else href


def fence(code: str) -> str:
    """What these lines of code stand between."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    return "`" * (longest + 1)


def _escaped(match: re.Match[str]) -> str:
    return "".join(f"\\{sign}" for sign in match[0])
