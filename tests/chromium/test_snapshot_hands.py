"""What has nothing but the hand cursor: that is all a page shows of a listener elsewhere."""

import re

import pytest

from tests.support.reader import Reader, reader
from tests.support.rows import in_turn

__all__ = ["reader"]
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]


@in_turn(
    ("html", "lines"),
    [
        ("<div class=p>Open</div>", ['- generic "Open" [clickable]']),
        ("<div class=p><div class=p>Deep</div></div>", ['- generic "Deep" [clickable]']),
        ("<div class=p><button>Go</button></div>", ['- button "Go"']),
        (
            "<div class=p><h2>Card</h2><p>Text</p><button>Go</button></div>",
            ["- generic [clickable]:", '  - button "Go"'],
        ),
        (
            "<ul><li class=p>One</li><li class=p>Two</li></ul>",
            ['- listitem "One" [clickable]', '- listitem "Two" [clickable]'],
        ),
        (
            "<ul class=p><li>One</li><li>Two</li></ul>",
            ['- listitem "One" [clickable]', '- listitem "Two" [clickable]'],
        ),
        (
            "<table><tbody class=p><tr><td>1<td>2</tr><tr><td>3<td>4</tr></table>",
            ["- row [clickable]: 1 | 2", "- row [clickable]: 3 | 4"],
        ),
        ("<div class=p title=Delete><i></i></div>", ['- generic "Delete" [clickable]']),
    ],
)
async def test_hand(reader: Reader, html: str, lines: list[str]) -> None:
    """The outermost element with the hand has a ref, or each item of what only holds items."""
    await reader.show(f"<style>.p {{ cursor: pointer }}</style>{html}")
    shown = await reader.page("snapshot", interactiveOnly=True)
    assert shown.count("[ref=") == len(lines)
    assert re.sub(r" \[ref=\w+\]", "", shown).splitlines() == lines


@in_turn(
    ("html", "line"),
    [
        ("<button role=gridcell>7</button>", '- gridcell "7" [clickable]'),
        (
            "<div onclick='1' title=Delete><svg width=16 height=16></svg></div>",
            '- generic "Delete" [clickable]',
        ),
        (
            "<svg><rect width=40 height=40 onclick='1'><title>42</title></svg>",
            '- generic "42" [clickable]',
        ),
        ("<div onclick='1' title=Delete>x</div>", '- generic "x" [clickable]'),
    ],
)
async def test_made_usable(reader: Reader, html: str, line: str) -> None:
    """What is made for clicks has a ref, whatever it calls itself, and a name if only its tip."""
    await reader.show(html)
    shown = await reader.page("snapshot")
    assert re.sub(r" \[ref=\w+\]", "", shown) == line


@in_turn("role", ["treeitem", "option", "tab"])
async def test_part_of_an_item(reader: Reader, role: str) -> None:
    """What unfolds an item has a ref of its own; its words, and what is as clickable, have none."""
    await reader.show(
        "<style>b { display: inline-block; width: 9px; height: 9px } .p { cursor: pointer }"
        f"</style><div role={role} class=i><b class=p></b><span class=p>Root</span></div>"
        f"<div role={role} class=p><b></b>Leaf</div>"
    )
    shown = await reader.page("snapshot")
    assert re.sub(r" \[ref=\w+\]", "", shown).splitlines() == [
        f'- {role} "Root":',
        "  - generic [clickable]",
        f'- {role} "Leaf"',
    ]
