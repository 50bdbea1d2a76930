"""Finds elements by their text or name, on the page and in its frames."""

from dataclasses import dataclass

from bridge.page.parts import Parts, Readable
from bridge.page.target import Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Lines about elements, those a person sees first; the counts are of all there are."""

    lines: list[str]
    visible: int
    hidden: int
    notes: str = ""


class Finding:
    """Looking for words in one tab."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def find(
        self,
        text: str,
        target: Target | None = None,
        *,
        exact: bool,
        limit: int,
        readable: Readable,
    ) -> Found:
        """Elements whose text or name has this in it (or is this, with `exact`).

        Of a target only what it is or holds; of a selector all that it matches.
        """
        part = await self._parts.ask("find", target, text, exact, limit, readable=readable)
        answers = [each.answer for each in part.walk() if each.answer]
        lines = [line for answer in answers for line in answer["lines"]]
        lines += [line for answer in answers for line in answer["unseen"]]
        return Found(
            lines=lines[:limit],
            visible=sum(answer["visible"] for answer in answers),
            hidden=sum(answer["hidden"] for answer in answers),
            notes=part.notes,
        )
