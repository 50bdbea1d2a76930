"""What a page says and how it is written: its visible text, and its markup.

Text is what a person sees, frames in their places, closed shadow roots included. Markup is
whatever is there, hidden or not, except that secrets are masked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bridge import log
from bridge.errors import BridgeError
from bridge.page.closed_roots import ClosedRoots
from bridge.page.frames import Frame, Frames
from bridge.page.owners import Owners
from bridge.page.stitch import SILENT
from bridge.page.target import Target
from bridge.page.worlds import Worlds
from bridge.timeouts import deadline

WITHHELD = "… not shown: the policy does not allow this address"
_log = log.get("page")

Readable = Callable[[Frame], bool]


@dataclass(frozen=True, slots=True)
class PageText:
    """Text of a page; `dropped` characters were too many to be read at all."""

    text: str
    dropped: int = 0
    matches: int = 1  # of the selector


class Texts:
    """Text and markup of one tab."""

    def __init__(self, frames: Frames, worlds: Worlds) -> None:
        self._frames = frames
        self._worlds = worlds
        self.owners = Owners(frames, worlds)
        self._roots = ClosedRoots(worlds)

    async def text(self, target: Target | None, readable: Readable) -> PageText:
        """The text a person sees on the page, or in one element of it."""
        if target is None:
            return await self._read(self._frames.main, None, readable)
        with target.named():
            return await self._read(target.frame, target.wanted, readable)

    async def markup(self, target: Target | None, *, outer: bool = True) -> PageText:
        """The markup of the page's main document, or of one element."""
        if target is None:
            answer = await self._worlds.call(self._frames.main, "html", None, True)
        else:
            with target.named():
                answer = await self._worlds.call(target.frame, "html", target.wanted, outer)
        return PageText(answer["text"], answer["dropped"], answer["matches"])

    async def _read(
        self, frame: Frame, wanted: Mapping[str, object] | None, readable: Readable
    ) -> PageText:
        answer = await self._worlds.call(frame, "text", wanted)
        while answer["suspects"] and await self._roots.find(frame):
            answer = await self._worlds.call(frame, "text", wanted)
        first, *others = answer["pieces"]
        dropped = answer["dropped"]
        children = await self.owners.children(frame) if others else {}
        texts = [first]
        for ref, after in zip(others[::2], others[1::2], strict=True):
            if ref in children:
                inner = await self._child(children[ref], readable)
                dropped += inner.dropped
                texts.append(inner.text)
            texts.append(after)
        return PageText(
            "\n".join(text.strip("\n") for text in texts if text.strip()),
            dropped,
            answer["matches"],
        )

    async def _child(self, child: Frame, readable: Readable) -> PageText:
        """A frame's text; one that hangs, or goes meanwhile, costs a line."""
        if not readable(child):
            return PageText(f"[frame {child.url[:200]}]\n{WITHHELD}")
        try:
            with deadline(child.session.connection.timeouts, "frame", "reading a frame"):
                return await self._read(child, None, readable)
        except BridgeError as error:
            if error.code == "DIALOG_OPEN":
                raise
            _log.debug("a frame is left out: %s", error.code)
            return PageText(f"[frame {child.url[:200]}]\n{SILENT}")
