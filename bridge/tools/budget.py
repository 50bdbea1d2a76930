"""How long an answer may be, and the way to the rest of one that was cut.

A budget is counted in tokens, of four bytes each, as callers think of it. What does not fit is kept
for a while under a cursor; a cursor goes on in the same reading, whatever the page has become
meanwhile. Every tool that gives one takes it back, and `get_text` takes all of them.
"""

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from bridge.errors import UsageError
from bridge.tools.reply import Reply, counted
from bridge.tools.schema import Tokens

BYTES_PER_TOKEN = 4
LISTING = 4_000
"""Tokens of a listing, unless the caller says otherwise."""
TEXT = 25_000
"""Tokens of a page's text, unless the caller says otherwise."""

Cursor = str | None
"""From a cut answer, to go on there; the instructions say so once for all tools."""
MaxTokens = Annotated[Tokens, "0: all"]

_KEPT = 16  # readings at a time
_MOST = 8_000_000  # characters in all of them


@dataclass(frozen=True, slots=True)
class Reading:
    """A text that was longer than its answer."""

    text: str
    source: str
    tool: str


class Readings:
    """What one server has read and not yet told to the end; the oldest is forgotten first."""

    def __init__(self, *, kept: int = _KEPT, most: int = _MOST) -> None:
        self._kept = kept
        self._most = most
        self._readings: OrderedDict[str, Reading] = OrderedDict()
        self.scrub: Callable[[str], str] = str  # before it is cut: half a secret looks like none

    def begin(
        self,
        text: str,
        *,
        source: str,
        tokens: int,
        said: str = "",
        more: str = "",
        tool: str = "get_text",
    ) -> Reply:
        """As much of a page's text as the budget allows, and where to go on: with this tool."""
        text = self.scrub(text)
        piece = fitting(text, 0, tokens)
        if len(piece) == len(text):
            return Reply(said=said, page=text, source=source, more=more)
        reading = Reading(text, source, tool)
        rest = self._rest(self._keep(reading), reading, len(piece))
        return Reply(
            said=said, page=piece.removesuffix("\n"), source=source, more=f"{rest}\n{more}".rstrip()
        )

    def go_on(self, cursor: str, tokens: int) -> Reply:
        """The next part of a reading; BAD_ARGS for a cursor that leads nowhere any more."""
        key, _, place = cursor.partition(":")
        reading = self._readings.get(key)
        start = int(place) if place.isascii() and place.isdigit() and len(place) < 10 else -1
        if reading is None or not 0 <= start < len(reading.text):
            raise UsageError(
                "BAD_ARGS",
                f"the cursor {cursor[:100]!r} leads nowhere (any more)",
                hint="Read again without a cursor; the last few cut answers are kept.",
            )
        self._readings.move_to_end(key)
        piece = fitting(reading.text, start, tokens)
        end = start + len(piece)
        more = self._rest(key, reading, end) if end < len(reading.text) else ""
        return Reply(page=piece.removesuffix("\n"), source=reading.source, more=more)

    def _keep(self, reading: Reading) -> str:
        if len(reading.text) > self._most:
            return ""
        key = secrets.token_hex(4)
        self._readings[key] = reading
        while len(self._readings) > self._kept or self._held() > self._most:
            self._readings.popitem(last=False)
        return key

    def _held(self) -> int:
        return sum(len(reading.text) for reading in self._readings.values())

    def _rest(self, key: str, reading: Reading, end: int) -> str:
        left = f"… cut: {counted(len(reading.text) - end, 'more character')}"
        if key:
            return f"{left}; cursor: {key}:{end} ({reading.tool} goes on)"
        return f"{left}, too many to keep; read a part of the page, or all with maxTokens 0."


def fitting(text: str, start: int, tokens: int) -> str:
    """The part from `start` that the budget allows, whole lines where there are any; 0 is all."""
    if not tokens:
        return text[start:]
    room = tokens * BYTES_PER_TOKEN
    piece = text[start : start + room].encode(errors="replace")[:room].decode(errors="ignore")
    if start + len(piece) >= len(text):
        return piece
    line = piece.rfind("\n") + 1
    return piece[:line] if line > len(piece) // 2 else piece
