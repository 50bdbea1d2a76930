"""Reads a page with all its frames and puts their lines together, each under its frame's line.

Only frames a person can see are asked at all. A frame that hangs, or goes meanwhile, costs a line
and not the reading.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import trio

from bridge import log
from bridge.errors import BridgeError
from bridge.page.frames import Frame, Frames
from bridge.page.owners import Owners
from bridge.page.reading import Lines
from bridge.page.target import Target
from bridge.page.unseen import Unseen
from bridge.page.worlds import Worlds
from bridge.policy.hosts import parse_address
from bridge.timeouts import deadline

SILENT = "… this frame did not answer"
_log = log.get("page")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What of a page is to be read."""

    interactive_only: bool = False
    max_bytes: int = 0  # of the piece that is shown first; 0 = all, in the order of the page
    brief: bool = False  # of a large page no more than that piece
    readable: Callable[[str], bool] = lambda url: True  # may a frame of this address be read?


class Stitcher:
    """Reads the documents of one tab."""

    def __init__(self, frames: Frames, worlds: Worlds) -> None:
        self._frames = frames
        self._worlds = worlds
        self._unseen = Unseen(worlds)
        self._owners = Owners(frames, worlds)

    async def read(self, target: Target | None, wish: Wish) -> Lines:
        """The lines of the page, or of one element of it."""
        if target is None:
            return await self._document(self._frames.main, None, wish, None)
        with target.named():
            return await self._document(target.frame, target.wanted, wish, None)

    async def _document(
        self, frame: Frame, wanted: Mapping[str, object] | None, wish: Wish, view: object
    ) -> Lines:
        options = {
            "only": wish.interactive_only,
            "bytes": wish.max_bytes,
            "brief": wish.brief,
            "view": view,
        }
        answer = await self._unseen.call(frame, "snapshot", wanted, options)
        in_view = answer["inView"]
        lines = Lines(
            answer["text"].split("\n") if answer["text"] else [],
            set(in_view) if in_view is not None else None,
            [answer["veiled"]] if "veiled" in answer else [],
            answer.get("unread", 0),
        )
        if answer["frames"]:
            await self._fill(frame, lines, answer["frames"], wish)
        return lines

    async def _fill(self, frame: Frame, lines: Lines, found: list[Any], wish: Wish) -> None:
        """Read the frames of these lines at the same time, and put them in, the last one first."""
        by_ref = await self._owners.children(frame)
        inner: dict[int, Lines] = {}
        failures: list[BridgeError] = []

        async def read(line: int, child: Frame, view: object) -> None:
            try:
                inner[line] = await self._child(child, wish, view)
            except BridgeError as error:
                failures.append(error)

        async with trio.open_nursery() as nursery:
            for line, ref, _, view in found:
                if child := by_ref.get(ref):
                    self._worlds.prefix(child)  # numbered as they are read, whoever answers first
                    lines.lines[line] += _origin_mark(child, self._frames.main)
                    nursery.start_soon(read, line, child, view)
        if failures:
            raise failures[0]
        for line, _, depth, _ in reversed(found):
            if inner.get(line, Lines([])).lines:
                lines.lines[line] += ":"
                lines.insert(line, inner[line], depth + 1)

    async def _child(self, child: Frame, wish: Wish, view: object) -> Lines:
        if not wish.readable(child.url):
            return Lines(["… not shown: the policy does not allow this address"])
        try:
            with deadline(child.session.connection.timeouts, "frame", "reading a frame"):
                return await self._document(child, None, wish, view)
        except BridgeError as error:
            if error.code == "DIALOG_OPEN":
                raise
            _log.debug("a frame is left out: %s", error.code)
            return Lines([SILENT])


def _origin_mark(child: Frame, main: Frame) -> str:
    """Says whose words these are, where they are not the page's own."""
    if child.url.startswith("chrome-error:"):
        return " [not loaded]"
    origin = origin_of(child.url)
    inherited = child.url.startswith("about:")
    return "" if inherited or origin == origin_of(main.url) else f" [origin={origin}]"


def origin_of(url: str) -> str:
    """Scheme, host and port; only the scheme of an address that has no host."""
    address = parse_address(url)
    if address is None:
        return "unknown"
    return address.origin or f"{address.scheme}:"
