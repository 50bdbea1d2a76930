"""Asks a page and the frames a person sees in it the same thing, each in its own document.

The library names the frames it met; Python finds them and asks them at the same time. A frame that
hangs, or goes meanwhile, costs a note; one that the policy does not allow is not asked.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import trio

from bridge import log
from bridge.errors import BridgeError
from bridge.page.frames import Frame, Frames
from bridge.page.owners import Owners
from bridge.page.stitch import SILENT, origin_of
from bridge.page.target import Target
from bridge.page.unseen import Unseen, at_rest
from bridge.page.veiled import veil_note
from bridge.page.worlds import Worlds
from bridge.timeouts import deadline

WITHHELD = "… not shown: the policy does not allow this address"
_log = log.get("page")

Readable = Callable[[Frame], bool]


@dataclass(slots=True)
class Part:
    """What one document answered; `note` says why it did not."""

    frame: Frame
    answer: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""
    inner: "dict[str, Part]" = field(default_factory=dict)  # by the ref of the frame's element

    def walk(self) -> "Iterator[Part]":
        """This part and all below it, in the order of the documents."""
        yield self
        for ref in self.answer.get("frames", ()):
            if ref in self.inner:
                yield from self.inner[ref].walk()

    @property
    def notes(self) -> str:
        """The frames that did not answer, a line each, and what was left out.

        Of their addresses only the origin: the rest is a page's words, which may not be ours.
        """
        parts = list(self.walk())
        silent = [f"[frame {origin_of(part.frame.url)}] {part.note}" for part in parts if part.note]
        veiled = [part.answer["veiled"] for part in parts if "veiled" in part.answer]
        return "\n".join(filter(None, (*silent, veil_note(veiled))))


class Parts:
    """The documents of one tab."""

    def __init__(self, frames: Frames, worlds: Worlds) -> None:
        self.owners = Owners(frames, worlds)
        self._frames = frames
        self._unseen = Unseen(worlds)

    async def ask(
        self, function: str, target: Target | None, *args: object, readable: Readable
    ) -> Part:
        """`lib.function(wanted, *args)` of the page, or of the one document a target is in."""
        asked = (target.wanted if target else None, *args)

        async def read() -> Part:
            frame = target.frame if target else self._frames.main
            return await self._ask(frame, function, asked, readable)

        with target.named() if target else nullcontext():
            return await at_rest(self._frames, target, read)

    async def _ask(
        self, frame: Frame, function: str, args: tuple[object, ...], readable: Readable
    ) -> Part:
        answer = await self._unseen.call(frame, function, *args)
        part = Part(frame, answer)
        if answer["frames"]:
            await self._fill(part, function, (None, *args[1:]), readable)
        return part

    async def _fill(
        self, part: Part, function: str, args: tuple[object, ...], readable: Readable
    ) -> None:
        children = await self.owners.children(part.frame)
        dialogs: list[BridgeError] = []

        async def fill(ref: str, child: Frame) -> None:
            try:
                part.inner[ref] = await self._child(child, function, args, readable)
            except BridgeError as error:
                dialogs.append(error)

        async with trio.open_nursery() as nursery:
            for ref in part.answer["frames"]:
                if ref in children:
                    nursery.start_soon(fill, ref, children[ref])
        if dialogs:
            raise dialogs[0]

    async def _child(
        self, child: Frame, function: str, args: tuple[object, ...], readable: Readable
    ) -> Part:
        if not readable(child):
            return Part(child, note=WITHHELD)
        try:
            with deadline(child.session.connection.timeouts, "frame", "reading a frame"):
                return await self._ask(child, function, args, readable)
        except BridgeError as error:
            if error.code == "DIALOG_OPEN":
                raise
            _log.debug("a frame is left out: %s", error.code)
            return Part(child, note=SILENT)
