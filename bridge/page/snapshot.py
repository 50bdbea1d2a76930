"""Snapshots of a page: what a person sees and can use, as lines of text, in bounded pieces.

A cursor goes on in the same reading, which is kept here and not made again: the page may have
changed meanwhile, and a mixture of two states would describe neither. But of a large page nobody
waits for what is not told: the rest of it is read when somebody goes on, as it is by then.
"""

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

from bridge.errors import UsageError
from bridge.page.frames import Frames
from bridge.page.quoting import counted
from bridge.page.reading import Lines, Reading, Snapshot, read_lines
from bridge.page.stitch import Stitcher, Wish
from bridge.page.target import Target
from bridge.page.unseen import at_rest
from bridge.page.veiled import veil_note
from bridge.page.worlds import Worlds

DEFAULT_BYTES = 16_000
_KEPT_BYTES = 4_000_000
_REMEMBERED = 3  # readings whose lines are kept, to say what an expired ref was
_CURSOR = re.compile(r"s([0-9]{1,9}):([0-9]{1,9})")


class Snapshots:
    """Readings of one tab; the last one can be continued."""

    def __init__(self, frames: Frames, worlds: Worlds) -> None:
        self._frames = frames
        self._stitcher = Stitcher(frames, worlds)
        self._count = 0
        self._reading: Reading | None = None
        self._source = ""  # of that: a page that may have gone since
        self._brief: _Asked | None = None  # for what the last one was, if there is more to read
        self._seen = deque[list[str]](maxlen=_REMEMBERED)

    async def take(
        self,
        target: Target | None = None,
        *,
        interactive_only: bool = False,
        max_bytes: int = DEFAULT_BYTES,
        readable: Callable[[str], bool] = lambda url: True,
    ) -> Snapshot:
        """Read the page, or one element of it; `max_bytes=0` means all of it at once.

        Frames whose address is not `readable` are named and left out.
        """
        wish = Wish(
            interactive_only=interactive_only,
            max_bytes=max_bytes,
            brief=max_bytes > 0,
            readable=readable,
        )
        read = await self._read(target, wish)
        note = veil_note(read.veiled)
        source = self._frames.main.url
        if not max_bytes:
            return Snapshot(text="\n".join(read.lines) or _NOTHING, note=note, source=source)
        self._count += 1
        self._source = source
        self._reading = read_lines(self._count, _bounded(read))
        asked = _Asked(target=target, wish=wish, loader=self._frames.main.loader)
        self._brief = asked if read.unread else None
        shown = self._reading.piece(0, max_bytes)
        if shown.cursor is None:
            self._reading = None
        return replace(shown, text=shown.text or _NOTHING, note=note, source=source)

    async def _read(self, target: Target | None, wish: Wish) -> Lines:
        read = await at_rest(self._frames, target, lambda: self._stitcher.read(target, wish))
        self._seen.appendleft(_bounded(read).lines)
        return read

    def described(self, ref: str) -> str:
        """What a late snapshot called the element of this ref: role and name; "" if nothing."""
        mark = f" [ref={ref}]"
        for line in chain(*self._seen):
            head, found, _ = line.partition(mark)
            if found:
                return head.strip().removeprefix("- ")
        return ""

    async def continue_(
        self,
        cursor: str,
        max_bytes: int = DEFAULT_BYTES,
        *,
        readable: Callable[[str], bool] = lambda url: True,
    ) -> Snapshot:
        """The next piece of the last reading; BAD_ARGS for a cursor of another one."""
        match = _CURSOR.fullmatch(cursor)
        reading = self._reading
        if match is None:
            raise _no_cursor(cursor, "is no cursor of a snapshot")
        number, place = int(match[1]), int(match[2])
        if reading is None or number != reading.number or place not in reading.places:
            raise _no_cursor(cursor, "belongs to a snapshot that is not kept any more")
        brief = self._brief
        if brief is None:
            return replace(reading.piece(place, max_bytes), source=self._source)
        if brief.loader != self._frames.main.loader:
            raise _no_cursor(cursor, "belongs to a page that has been left, and was not read on")
        read = await self._read(brief.target, replace(brief.wish, brief=False, readable=readable))
        source = self._frames.main.url
        whole = read_lines(number, _bounded(read)).behind(reading, place)
        if self._reading is reading:
            self._reading, self._brief, self._source = whole, None, source
        shown = whole.piece(place, max_bytes)
        note = veil_note(read.veiled)
        return replace(shown, text=shown.text or _NO_MORE, note=note, source=source)


_NOTHING = "… nothing to see here"
_NO_MORE = "… nothing more to see by now"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a reading was made for."""

    target: Target | None
    wish: Wish
    loader: str  # of the page


def _no_cursor(cursor: str, why: str) -> UsageError:
    return UsageError(
        "BAD_ARGS",
        f"the cursor {cursor[:40]!r} {why}",
        hint="Take a new snapshot; only the last one of a tab can be continued.",
    )


def _bounded(read: Lines) -> Lines:
    """No more than may be kept; what is cut off is counted."""
    size = 0
    for number, line in enumerate(read.lines):
        size += len(line) + 1
        if size > _KEPT_BYTES:
            left = len(read.lines) - number
            note = f"… {counted(left, 'line')} cut off: the page is too long; look at a part of it"
            in_view = read.in_view
            kept = {line for line in in_view if line < number} if in_view is not None else None
            return Lines([*read.lines[:number], note], kept)
    return read
