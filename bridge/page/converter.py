"""The library's way from HTML to Markdown, but for the words of the page: they stay words.

Loaded with the first page that is read so, for it loads the library.
"""

from typing import Any

from markdownify import MarkdownConverter

from bridge.page import escaping

_BLOCKS = ("p", "li", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "[document]")
_BEGUN = {"p", "li", "blockquote", "[document]"}  # where a line's first signs are looked at
_MARKED = {"strong", "em", "del"}
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


class Converter(MarkdownConverter):
    """Of one page."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._pairs: dict[int, str] = {}
        self._theirs: Any = super()  # whose types tell of nothing but `convert`

    def process_text(self, el: Any, parent_tags: set[str] | None = None) -> str:
        """One text of the page."""
        text: str = self._theirs.process_text(el, parent_tags)
        tags = parent_tags or set()
        if not text or "_noformat" in tags:
            return text
        pairs = self._pairs_around(el) if any(mark in text for mark in "*_~") else ""
        plain = escaping.in_cell if "_inline" in tags else escaping.plain
        text = plain(text, pairs=pairs, linked="a" in tags, marked=bool(tags & _MARKED))
        if el.parent.name in _BEGUN and _begins(el):
            text = escaping.beginning(text)
        following = el.next_sibling
        heading_ends = following is None and el.parent.name in _HEADINGS and text.endswith("#")
        picture = following is not None and following.name == "a" and text.endswith("!")
        return f"{text[:-1]}\\{text[-1]}" if heading_ends or picture else text

    def escape(self, text: str, parent_tags: set[str]) -> str:
        """Nothing yet: the library tells no element here."""
        return text

    def _pairs_around(self, el: Any) -> str:
        block = el.find_parent(_BLOCKS) or el.parent
        if id(block) not in self._pairs:
            self._pairs[id(block)] = escaping.pairs_in(block.get_text())
        return self._pairs[id(block)]

    def convert_a(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """A link, whose address does not end before its end."""
        el["href"] = escaping.address(el.get("href") or "")
        return str(self._theirs.convert_a(el, text, parent_tags))

    def convert_hN(self, n: int, el: Any, text: str, parent_tags: set[str]) -> str:
        """A heading; none where nobody sees any words of it."""
        return str(self._theirs.convert_hN(n, el, text, parent_tags)) if text.strip() else ""

    def convert_img(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """A picture, named in the page's words."""
        el["src"] = escaping.address(el.get("src") or "")
        el["alt"] = escaping.plain(el.get("alt") or "", linked=True, marked=True)
        return str(self._theirs.convert_img(el, text, parent_tags))

    def convert_pre(self, el: Any, text: str, parent_tags: set[str]) -> str:
        """Lines of code, in a fence that none of them ends."""
        block: str = self._theirs.convert_pre(el, text, parent_tags)
        fence = escaping.fence(text)
        return block.replace("```", fence, 1)[: -len("```\n\n")] + f"{fence}\n\n" if block else ""


def _begins(el: Any) -> bool:
    """Whether nothing stands before this text on its line."""
    before = el.previous_sibling
    while before is not None and before.name is None and not before.strip():
        before = before.previous_sibling
    return before is None or before.name in ("br", "ul", "ol", "p", "pre", "table", "blockquote")
