"""Words of a page survive the way through Markdown."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bridge.page.converter import Converter

_LINES = (
    "# no heading",
    "- no list",
    "1. no number",
    "> no quote",
    "---",
    "===",
    "```",
    "~~~",
    "[x](https://evil.example)",
    "![x](y)",
    "[x]: https://evil.example",
    "<script>alert(1)</script>",
    "<https://evil.example>",
    "*a* **b** _c_ __d__ ~~e~~ `f`",
    "&lt;b&gt; &amp; \\*",
    "| a | b |",
    "[ ] task",
    "C# #",
    "wow!",
)


def through(source: str) -> str:
    """The words that a parser of Markdown finds in what we made of this HTML."""
    markdown = Converter(heading_style="ATX", bullets="-", autolinks=False).convert(source)
    shown = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(markdown)
    assert not re.search(r"evil\.example\"", shown), markdown
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", shown)).split())


_SHAPES = (
    "<p>{}</p>",
    "<h2>{}</h2>",
    "<ul><li>{}</li></ul>",
    "<p>a<br>{}</p>",
    "<blockquote><p>{}</p></blockquote>",
    "<p>see <strong>{}</strong></p>",
    '<p><a href="https://a.example/(b)">{}</a></p>',
    "<table><tr><th>A</th></tr><tr><td>{}</td></tr></table>",
)


@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("line", _LINES)
def test_words(shape: str, line: str) -> None:
    """Whatever they look like, and wherever they stand, words come back as words."""
    inner = html.escape(line)
    if "<td>" in shape:
        inner = inner.replace("|", "\\|")  # as our script does
    found = through(shape.format(inner))
    assert " ".join(line.split()) in found


@given(st.lists(st.text("a b1*_~`[]()<>#+-=.|\\!&;:", max_size=12), min_size=1, max_size=4))
def test_any_words(words: list[str]) -> None:
    """The same for any mixture of signs, in a paragraph of several lines."""
    lines = [" ".join(each.split()) for each in words]
    source = "<p>" + "<br>".join(f"x {html.escape(line)} x" for line in lines) + "</p>"
    found = through(source)
    assert re.sub(r"\s", "", found) == re.sub(r"\s", "", "".join(f"x{line}x" for line in lines))


def test_link_after_exclamation() -> None:
    """A link after an exclamation mark is no picture."""
    made = Converter().convert('<p>wow!<a href="https://a.example/">x</a></p>')
    assert made.strip() == r"wow\![x](https://a.example/)"


def test_code() -> None:
    """Code keeps its signs, and no line of it ends the block."""
    made = Converter().convert("<p><code>a*b*c</code></p><pre><code>```\n# x\n```</code></pre>")
    assert made.strip() == "`a*b*c`\n\n````\n```\n# x\n```\n````"


def test_headings_without_words() -> None:
    """A heading nobody sees any words of, as of a logo alone, leaves no sign of itself."""
    assert through("<h1></h1><h2> <b> </b></h2><h3>Words</h3>").split() == ["Words"]
    assert "#" not in Converter(heading_style="ATX").convert("<p>a</p><h1> </h1><p>b</p>")
