"""Links of a page, as a list that says each address once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """`text` is None for a link that a person does not see."""

    url: str
    text: str | None
    own: bool  # of the origin of the document it is in

    @property
    def line(self) -> str:
        """How a list shows it."""
        if self.text is None:
            return f"- {self.url} [hidden]"
        words = self.text.replace("[", "(").replace("]", ")")
        return f"- [{words}]({self.url})" if words else f"- {self.url}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which links a caller wants."""

    same_origin_only: bool = False
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()

    def takes(self, link: Link) -> bool:
        if self.same_origin_only and not link.own:
            return False
        if self.include and not any(matches(each, link.url) for each in self.include):
            return False
        return not any(matches(each, link.url) for each in self.exclude)


def chosen_links(links: Iterable[Link], wanted: Wanted) -> list[Link]:
    """Those a caller wants, each address once, with the first words there are for it."""
    found: dict[str, Link] = {}
    for link in links:
        if wanted.takes(link):
            known = found.get(link.url)
            if known is None or (not known.text and link.text):
                found[link.url] = link
    return list(found.values())


def matches(pattern: str, url: str) -> bool:
    """Whether the pattern is in the address; `*` stands for anything."""
    at = 0
    for part in pattern.split("*"):
        place = url.find(part, at)
        if place < 0:
            return False
        at = place + len(part)
    return True
