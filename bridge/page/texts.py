"""What a page says and how it is written: its visible text, its content, its markup.

Text is what a person sees, frames in their places. Content is the part of it that is about the
page's subject, as plain HTML. Markup is whatever is there, hidden or not, but for secrets.
"""

from dataclasses import dataclass

from bridge.page.frames import Frames
from bridge.page.parts import Part, Parts, Readable
from bridge.page.target import Target
from bridge.page.worlds import Worlds


@dataclass(frozen=True, slots=True)
class PageText:
    """Text of a page; `dropped` characters were too many to be read at all."""

    text: str
    dropped: int = 0
    matches: int = 1  # of the selector
    notes: str = ""  # frames that are missing in it


class Texts:
    """Text and markup of one tab."""

    def __init__(self, frames: Frames, worlds: Worlds, parts: Parts) -> None:
        self._frames = frames
        self._worlds = worlds
        self._parts = parts

    async def text(self, target: Target | None, readable: Readable) -> PageText:
        """The text a person sees on the page, or in one element of it."""
        part = await self._parts.ask("text", target, readable=readable)
        return _told(part, _joined(part))

    async def content(self, target: Target | None, readable: Readable) -> PageText:
        """What the page is about, as plain HTML; what is in frames comes after the rest."""
        part = await self._parts.ask("content", target, readable=readable)
        found = [each.answer["html"] for each in part.walk() if each.answer]
        return _told(part, "<hr>".join(filter(None, found)))

    async def markup(self, target: Target | None, *, outer: bool = True) -> PageText:
        """The markup of the page's main document, or of one element."""
        if target is None:
            answer = await self._worlds.call(self._frames.main, "html", None, True)
        else:
            with target.named():
                answer = await self._worlds.call(target.frame, "html", target.wanted, outer)
        return PageText(answer["text"], answer["dropped"], answer["matches"])


def _told(part: Part, text: str) -> PageText:
    dropped = sum(each.answer.get("dropped", 0) for each in part.walk())
    return PageText(text, dropped, part.answer["matches"], part.notes)


def _joined(part: Part) -> str:
    """The pieces of a document, with the text of each frame between them."""
    if not part.answer:
        return ""
    first, *others = part.answer["pieces"]
    texts = [first]
    for ref, after in zip(part.answer["frames"], others, strict=True):
        if ref in part.inner:
            texts.append(_joined(part.inner[ref]))
        texts.append(after)
    return "\n".join(text.strip("\n") for text in texts if text.strip())
