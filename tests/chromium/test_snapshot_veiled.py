"""Parts that scripts uncover as the page is scrolled: left out, and said to be."""

import pytest

from tests.support.reader import Reader
from tests.support.reader import reader as reader

pytestmark = [
    pytest.mark.chromium,
    pytest.mark.shared,
]

TOLD = "Left out: 1 part further down (e1), transparent"
_FALL = "<h1>Top</h1><p style='height:3000px'></p>{}<p>End</p>"
_VEILED = {
    "opacity": "<section style='opacity:0;height:99px'>WORD</section>",
    "moved, and without a pointer": (
        "<section style='opacity:0;transform:translateY(40px);pointer-events:none;height:99px'>"
        "<p>WORD</section>"
    ),
    "visibility": "<section style='visibility:hidden;height:99px'><p>WORD</section>",
}
_OTHER = {
    "seen": "<section style='height:99px'>WORD</section>",
    "not displayed": "<section hidden style='height:99px'>WORD</section>",
    "small": "<button style='opacity:0'>WORD</button>",
    "wordless": "<section style='opacity:0;height:99px'></section>",
    "out of the flow": "<section style='opacity:0;height:99px;position:fixed'>WORD</section>",
    "in view": "<section style='opacity:0;height:99px;margin-top:-3000px'>WORD</section>",
    "uncovered by a style": (
        "<style>@keyframes a { from { opacity: 0 } }</style>"
        "<section style='animation: a linear; animation-timeline: view();height:99px'>WORD"
    ),
}


async def test_veiled(reader: Reader) -> None:
    """What is large, has words and would be scrolled to is counted; what may be a trap is not."""
    for way, piece in {**_VEILED, **_OTHER}.items():
        await reader.show(_FALL.format(piece))
        for tool in ("snapshot", "get_text", "read_as_markdown"):
            told = await reader.text(tool)
            assert ("Left out" in told) == (way in _VEILED), (way, tool, told)
            assert "Top" in told
            assert "End" in told
            assert "WORD" not in told or way not in _VEILED


async def test_uncovered(reader: Reader) -> None:
    """The part is scrolled to by its ref, shows itself, and is read then."""
    await reader.show(_FALL.format(_VEILED["opacity"]))
    await reader.tab.evaluate(
        "new IntersectionObserver(([each], watch) => { if (each.isIntersecting)"
        " each.target.style.opacity = 1; }).observe(document.querySelector('section')); 1"
    )
    assert TOLD in await reader.text("snapshot")
    await reader.text("scroll", ref="e1")
    await reader.tab.evaluate(
        "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
    )
    told = await reader.text("snapshot")
    assert "WORD" in told
    assert "Left out" not in told
