"""Markdown of plain HTML."""

import subprocess
import sys

import pytest

from bridge.page.markdown import markdown_of


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>Title</h2><p>a <em>b</em> <strong>c</strong></p>", "## Title\n\na *b* **c**"),
        ('<a href="https://a.example/?x=1&amp;y=2">go</a>', "[go](https://a.example/?x=1&y=2)"),
        ("<ul><li>One<ul><li>Two</li></ul></li></ul>", "- One\n  - Two"),
        ('<ol start="3"><li>three</li></ol>', "3. three"),
        (
            '<pre><code class="language-python">def f():\n    return "&lt;"\n</code></pre>',
            '```python\ndef f():\n    return "<"\n\n```',
        ),
        (
            "<table><tr><th>A</th></tr><tr><td>1 \\| 2</td></tr></table>",
            "| A |\n| --- |\n| 1 \\| 2 |",
        ),
        ("<p>snake_case and 2*3</p>", "snake_case and 2*3"),
        (
            '<img alt="A cat" src="https://a.example/cat.png">',
            "![A cat](https://a.example/cat.png)",
        ),
        ("", ""),
    ],
)
async def test_forms(html: str, markdown: str) -> None:
    """Each kind of content has its usual form."""
    text, dropped = await markdown_of(html)
    assert text.replace("\n\n```", "\n```") == markdown.replace("\n\n```", "\n```")
    assert dropped == 0


async def test_too_long() -> None:
    """Of a very long page the beginning is read, and the rest counted."""
    text, dropped = await markdown_of("<p>word</p>" + "x" * 1_600_000)
    assert text.startswith("word")
    assert dropped == 100_011


def test_loaded_late() -> None:
    """The library is not loaded before a page is read."""
    check = "import sys, bridge.page.markdown; sys.exit('bs4' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
