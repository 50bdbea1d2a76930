"""Reads a page with all its frames and puts their lines together, each under its frame's line.

Which frame is in which element only Chrome knows: it is asked once for each frame, and only for
frames a person can see. A frame that hangs, or goes meanwhile, costs a line and not the reading.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import trio

from bridge import cdp, log
from bridge.errors import BridgeError
from bridge.page.closed_roots import ClosedRoots
from bridge.page.frames import Frame, Frames
from bridge.page.reading import Lines
from bridge.page.target import Target
from bridge.page.worlds import Handle, Worlds
from bridge.timeouts import deadline

SILENT = "… this frame did not answer"
_log = log.get("page")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What of a page is to be read."""

    interactive_only: bool = False
    max_bytes: int = 0  # of the piece that is shown first; 0 = all, in the order of the page
    readable: Callable[[str], bool] = lambda url: True  # may a frame of this address be read?


class Stitcher:
    """Reads the documents of one tab."""

    def __init__(self, frames: Frames, worlds: Worlds) -> None:
        self._frames = frames
        self._worlds = worlds
        self._roots = ClosedRoots(worlds)
        self._owners: dict[tuple[str, str, str], str] = {}  # (frame, its parent's document) -> ref

    async def read(self, target: Target | None, wish: Wish) -> Lines:
        """The lines of the page, or of one element of it."""
        if target is None:
            return await self._document(self._frames.main, None, wish, None)
        with target.named():
            return await self._document(target.frame, target.wanted, wish, None)

    async def _document(
        self, frame: Frame, wanted: Mapping[str, object] | None, wish: Wish, view: object
    ) -> Lines:
        options = {"only": wish.interactive_only, "bytes": wish.max_bytes, "view": view}
        answer = await self._worlds.call(frame, "snapshot", wanted, options)
        while answer["suspects"] and await self._roots.find(frame):
            answer = await self._worlds.call(frame, "snapshot", wanted, options)
        in_view = answer["inView"]
        lines = Lines(
            answer["text"].split("\n") if answer["text"] else [],
            set(in_view) if in_view is not None else None,
        )
        if answer["frames"]:
            await self._fill(frame, lines, answer["frames"], wish)
        return lines

    async def _fill(self, frame: Frame, lines: Lines, found: list[Any], wish: Wish) -> None:
        """Read the frames of these lines at the same time, and put them in, the last one first."""
        by_ref = await self._children(frame)
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

    # Which frame is in which element.

    async def _children(self, frame: Frame) -> dict[str, Frame]:
        """The frames of a document by the refs of their elements."""
        found: dict[str, Frame] = {}

        async def ask(child: Frame) -> None:
            try:
                found[await self._owner(frame, child)] = child
            except BridgeError as error:
                if error.code == "DIALOG_OPEN":
                    raise
                _log.debug("a frame has no element any more: %s", error.code)

        async with trio.open_nursery() as nursery:
            for child in list(frame.children.values()):
                nursery.start_soon(ask, child)
        live = {each.id for each in self._frames}
        self._owners = {key: ref for key, ref in self._owners.items() if key[0] in live}
        return found

    async def _owner(self, frame: Frame, child: Frame) -> str:
        key = (child.id, frame.id, frame.loader)
        if key not in self._owners:
            owner = await frame.session.execute(cdp.dom.get_frame_owner(child.id))
            world = await self._worlds.context(frame)
            node = await frame.session.execute(
                cdp.dom.resolve_node(
                    backend_node_id=owner.backend_node_id, execution_context_id=world
                )
            )
            assert node.object.object_id is not None
            ref = await self._worlds.call(frame, "number", Handle(node.object.object_id))
            self._owners[key] = ref
        return self._owners[key]


def _origin_mark(child: Frame, main: Frame) -> str:
    """Says whose words these are, where they are not the page's own."""
    origin = origin_of(child.url)
    inherited = child.url.startswith("about:")
    return "" if inherited or origin == origin_of(main.url) else f" [origin={origin}]"


def origin_of(url: str) -> str:
    """Scheme, host and port; only the scheme of an address that has no host."""
    parts = urlsplit(url)
    plain = (
        f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        if parts.netloc
        else parts.scheme + ":"
    )
    return (
        "".join(c for c in plain if c.isascii() and c.isprintable() and c not in ' "[]')
        or "unknown"
    )
