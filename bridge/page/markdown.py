"""Markdown of what a page is about.

The page is read into plain HTML by our own script (so hidden text is out, links are absolute and
nesting is bounded), and a library makes Markdown of that. The library is loaded with the first
page, in a thread: importing it takes 0.1 s, and a page of 300 KB a second or two.
"""

import re
from typing import Any

import trio

_LONGEST = 1_500_000  # characters of HTML that are worth the time


async def markdown_of(html: str) -> tuple[str, int]:
    """The Markdown, and how many characters of HTML were too many to be read."""
    kept = html if len(html) <= _LONGEST else f"{html[:_LONGEST]}…"
    text = await trio.to_thread.run_sync(_convert, kept, abandon_on_cancel=True)
    return text, max(len(html) - _LONGEST, 0)


def _convert(html: str) -> str:
    from bridge.page.converter import Converter

    converter = Converter(
        heading_style="ATX",
        bullets="-",
        autolinks=False,
        code_language_callback=_language,
        table_infer_header=True,
    )
    text: str = converter.convert(html)
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"(?<! ) +\n", "\n", text)).strip()


def _language(pre: Any) -> str:
    (name,) = pre.code["class"]
    return str(name).removeprefix("language-")
