"""One reading of a page: its lines, and how they are handed out piece by piece.

What is in view comes first, with the lines it hangs under, then the rest in the order of the page.
Every later piece begins under the lines it belongs to as well, so each can be understood by itself.
A reading may be brief: then it has a rest that nobody has read yet.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bridge.page.quoting import counted

_STEP = "  "


@dataclass(slots=True)
class Lines:
    """Lines of one document, frames in it included; `in_view` numbers those a person sees now."""

    lines: list[str]
    in_view: set[int] | None = None  # None: not asked for
    veiled: list[Mapping[str, Any]] = field(default_factory=list)  # parts that are left out
    unread: int = 0  # about so many more

    def insert(self, after: int, inner: "Lines", depth: int) -> None:
        """Put the lines of a frame under its own line."""
        self.veiled += inner.veiled
        self.unread += inner.unread
        offset = after + 1
        indent = _STEP * depth
        self.lines[offset:offset] = [indent + line for line in inner.lines]
        if self.in_view is None:
            return
        seen = after in self.in_view
        count = len(inner.lines)
        within = inner.in_view if inner.in_view is not None else set(range(count))
        moved = {number if number < offset else number + count for number in self.in_view}
        self.in_view = moved | ({offset + number for number in within} if seen else set())


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a person sees of a page, as lines; `cursor` continues it, `left` counts what is left."""

    text: str
    cursor: str | None = None
    left: int = 0
    about: bool = False  # they have not been counted
    note: str = ""  # what there is beside it
    source: str = ""  # the page's address when it was read

    @property
    def more(self) -> str:
        """How to go on, or nothing if this is all."""
        count = f"about {_round(self.left):,} more lines" if self.about else ""
        count = count or counted(self.left, "more line")
        left = f"… {count}; cursor {self.cursor}" if self.cursor else ""
        return "\n".join(filter(None, (left, self.note)))


@dataclass(slots=True)
class Reading:
    """Lines that were read once and are handed out in pieces."""

    number: int
    lines: list[str]
    order: list[int] = field(default_factory=list)
    unread: int = 0
    _parents: list[int] = field(default_factory=list)
    _before: int = 0  # places that others had, which are told

    @property
    def places(self) -> range:
        """Where it can be gone on from."""
        return range(self._before, self._before + len(self.order) + bool(self.unread))

    def behind(self, earlier: "Reading", place: int) -> "Reading":
        """The same from there on: without what a brief one has told before that place."""
        told = Counter(_bare(earlier.lines[number]) for number in earlier.order[:place])
        rest: list[int] = []
        for number in self.order:
            line = _bare(self.lines[number])
            if told[line]:
                told[line] -= 1
            else:
                rest.append(number)
        return Reading(earlier.number, self.lines, rest, 0, self._parents, place)

    def piece(self, start: int, max_bytes: int) -> Snapshot:
        """Lines from this place on, as many as fit; at least one."""
        chosen: set[int] = set()
        size = 0
        place = start - self._before
        while place < len(self.order):
            fresh = [n for n in self._with_parents(self.order[place]) if n not in chosen]
            cost = sum(len(self.lines[number].encode()) + 1 for number in fresh)
            if max_bytes and chosen and size + cost > max_bytes:
                break
            chosen.update(fresh)
            size += cost
            place += 1
        left = len(self.order) - place + self.unread
        return Snapshot(
            text="\n".join(self.lines[number] for number in sorted(chosen)),
            cursor=f"s{self.number}:{place + self._before}" if left else None,
            left=left,
            about=bool(self.unread),
        )

    def _with_parents(self, number: int) -> Iterable[int]:
        while number >= 0:
            yield number
            number = self._parents[number]


def read_lines(number: int, read: Lines) -> Reading:
    """A reading to be handed out in pieces."""
    parents = _parents(read.lines)
    first: list[int] = []
    seen = set[int]()
    for line in sorted(read.in_view or ()):
        at = line
        while at >= 0 and at not in seen:
            seen.add(at)
            first.append(at)
            at = parents[at]
    rest = [line for line in range(len(read.lines)) if line not in seen]
    return Reading(number, read.lines, sorted(first) + rest, read.unread, parents)


def _bare(line: str) -> str:
    """What a line says, wherever it stands and whatever is below it."""
    return line.strip().removesuffix(":")


def _round(count: int) -> int:
    """As far as a guess goes."""
    return round(count, 2 - len(str(count)))


def _parents(lines: list[str]) -> list[int]:
    """For each line the one it hangs under, or -1."""
    parents: list[int] = []
    path: list[int] = []
    for number, line in enumerate(lines):
        depth = (len(line) - len(line.lstrip(" "))) // 2
        del path[depth:]
        parents.append(path[-1] if path else -1)
        path.append(number)
    return parents
