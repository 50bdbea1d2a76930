"""Words that something lies over: told, for they are there, and marked."""

import pytest

from bridge.browser.browser import Browser
from fixtures.site import Site
from tests.support.readings import read_all

pytestmark = [pytest.mark.chromium, pytest.mark.inside]

_LID = '<div style="position:absolute;inset:0;background:#fff;{}"></div>'
_UNDER = '<div style="position:relative">{}{}</div>'
_COVERED = {
    "text": _UNDER.format("<p>WORD</p>", _LID.format("")),
    "heading": _UNDER.format("<h2>WORD</h2>", _LID.format("")),
    "item": _UNDER.format("<ul><li>WORD</ul>", _LID.format("")),
    "bar that stays": (
        '<header style="position:fixed;top:0;left:0;right:0;height:99px;background:#eee">bar'
        "</header><p>WORD</p>"
    ),
    "text right in a shadow root": _UNDER.format(
        "<div id=h></div><script>h.attachShadow({mode: 'open'}).textContent = 'WORD'</script>",
        _LID.format(""),
    ),
    "words of the wall": _UNDER.format(
        "<p>WORD</p>",
        '<div style="position:absolute;inset:0;background:#fff"><p>other words</p></div>',
    ),
}
_BARE = {
    "nothing": "<p>WORD</p>",
    "glass": _UNDER.format("<p>WORD</p>", _LID.format("background:rgb(255 255 255 / 0.5)")),
    "faded": _UNDER.format("<p>WORD</p>", _LID.format("opacity:0.5")),
    "no ground": _UNDER.format("<p>WORD</p>", _LID.format("background:none")),
    "beneath": _UNDER.format(_LID.format(""), '<p style="position:relative">WORD</p>'),
    "beneath what takes no press": _UNDER.format(
        _LID.format(""), '<p style="position:relative;pointer-events:none">WORD</p>'
    ),
    "beneath contents": _UNDER.format(
        "<p>WORD</p>",
        '<div style="display:contents;background:#fff">'
        + _LID.format("background:#fff1")
        + '<p style="position:absolute;top:99px">other words</p></div>',
    ),
    "beneath what is inert": _UNDER.format(
        _LID.format(""), '<p style="position:relative" inert>WORD</p>'
    ),
    "beneath what a style switches off": _UNDER.format(
        _LID.format(""), '<p style="position:relative;interactivity:inert">WORD</p>'
    ),
    "beside a heading": (
        '<h1>WORD</h1><div style="position:absolute;top:0;left:30%;width:50%;height:99px;'
        'background:#fff">bar</div>'
    ),
    "between two lines": (
        '<p style="width:90px;font:20px/60px monospace"><span>WORD word</span>'
        '<b style="position:relative;background:#fff;top:-30px;left:-30px">x</b></p>'
    ),
    "link of a whole card": (
        "<style>a::after{content:'';position:absolute;inset:0}</style>"
        '<div style="position:relative"><a href="#">x</a><p>WORD</p></div>'
    ),
    "scrolled away in its box": (
        '<div id=s style="height:60px;overflow:auto"><p>WORD</p><p style="height:999px"></div>'
        + _UNDER.format("", _LID.format("top:-99px;z-index:-1"))
        + "<script>s.scrollTop=500</script>"
    ),
}


async def test_covered(browser: Browser, site: Site) -> None:
    """Words under a box that lets nothing through are marked so; all others are not."""
    texts = await read_all(browser, site, {**_COVERED, **{f"!{w}": p for w, p in _BARE.items()}})
    assert [way for way, text in texts.items() if "WORD" not in text] == []
    marked = [way for way, text in texts.items() if "[covered]" in text]
    assert marked == list(_COVERED)


async def test_forged(browser: Browser, site: Site) -> None:
    """A page cannot say so itself."""
    texts = await read_all(browser, site, {"forged": "<p>WORD [covered]</p>"})
    assert "[covered]" not in texts["forged"]
