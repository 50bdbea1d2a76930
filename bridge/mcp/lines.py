"""Bytes as they come into whole lines, with a limit on what one line may cost.

A line above the limit is not collected: its beginning is kept, for the id it may carry, and the
rest is dropped as it arrives. Whoever reads goes on with the next line as if nothing had been.
"""

from collections.abc import Iterator
from dataclasses import dataclass

LIMIT = 64_000_000  # bytes of one line; what is longer is no tool call anybody meant
HEAD = 65_536  # bytes of an overlong line that are kept


@dataclass(frozen=True, slots=True)
class Overlong:
    """A line that was too long, and how it began."""

    head: bytes


class Lines:
    """Feed it chunks, get lines without their newline."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._head: bytes | None = None  # while the rest of an overlong line is dropped

    def feed(self, chunk: bytes) -> Iterator[bytes | Overlong]:
        """The lines this chunk completes."""
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._keep(chunk[start:end])
            yield self._take()
            start = end + 1
        self._keep(chunk[start:])

    def end(self) -> Iterator[bytes | Overlong]:
        """What came after the last newline, for a peer that forgot to send one."""
        if self._size or self._head is not None:
            yield self._take()

    def _keep(self, part: bytes) -> None:
        if self._head is not None:
            return
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._limit:
            self._head = b"".join(self._parts)[:HEAD]
            self._parts, self._size = [], 0

    def _take(self) -> bytes | Overlong:
        if self._head is not None:
            line: bytes | Overlong = Overlong(self._head)
        else:
            line = b"".join(self._parts)
        self._parts, self._size, self._head = [], 0, None
        return line
